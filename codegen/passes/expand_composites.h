// Pass: replaces each composite by its body.
#pragma once

#include "core/graph/flow.h"

namespace rondo::codegen {

/// The same flow with the bodies of composites in place of their calls. Values of the given flow
/// keep their numbers, but a composite's results are values of its body.
/// Errors: InternalError if a composite reads an opaque view, or its body returns an operand or a
/// view; those of the body.
Flow expand_composites(const Flow& flow);

}  // namespace rondo::codegen
