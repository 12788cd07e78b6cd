// The passes of lowering, in order.
#include "codegen/lower.h"
#include "codegen/passes/build_kernel.h"
#include "codegen/passes/expand_composites.h"
#include "codegen/passes/group_nodes.h"
#include "codegen/passes/symbols.h"

namespace rondo::codegen {

Lowered lower(const Flow& flow) {
  Lowered lowered;
  lowered.flow = expand_composites(flow);
  const SymbolTable symbols(lowered.flow);
  Grouping grouping = group_nodes(lowered.flow, symbols);
  for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
    lowered.steps.push_back(build_step(lowered.flow, grouping, static_cast<int>(g)));
  }
  lowered.stored = std::move(grouping.stored);
  return lowered;
}

}  // namespace rondo::codegen
