// Pass: replaces each composite by its body.
#pragma once

#include "core/graph/flow.h"

namespace rondo::codegen {

/// The same flow with the bodies of composites in place of their calls. Values of the given flow
/// keep their numbers, except that a composite's results are renamed: `renamed[v]` is the new
/// number of value v.
Flow expand_composites(const Flow& flow, std::vector<int>& renamed);

}  // namespace rondo::codegen
