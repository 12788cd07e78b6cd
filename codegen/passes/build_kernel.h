// Pass: makes the kernel of a group of nodes.
#pragma once

#include "codegen/lower.h"
#include "codegen/passes/group_nodes.h"

namespace rondo::codegen {

/// The step of group `g`.
Step build_step(const Flow& flow, const Grouping& grouping, int g);

/// Marks element values that a later phase needs and that cost more to compute again than to keep.
void mark_spills(Kernel& kernel);

}  // namespace rondo::codegen
