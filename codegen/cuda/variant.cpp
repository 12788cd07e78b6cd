#include "codegen/cuda/variant.h"

#include <fmt/format.h>

#include <algorithm>

namespace rondo::codegen::cuda {

std::string print(const CudaVariant& variant) {
  constexpr const char* kForms[] = {"flat", "rows", "block", "columns"};
  constexpr const char* kStages[] = {"whole", "partial", "finish"};
  return fmt::format("{} {} {} {} loops{} pack{} {}", kForms[static_cast<int>(variant.form)],
                     kStages[static_cast<int>(variant.stage)], variant.wide ? 64 : 32,
                     variant.one_row ? "row" : "rows", variant.loops, variant.pack,
                     print(variant.strides));
}

int partial_words(const Kernel& kernel) {
  int words = 0;
  for (const Instr& in : kernel.code) {
    if (in.kind == InstrKind::reduce && in.phase == 0) {
      words += gives_place(in.reduce) ? 2 : 1;
    }
  }
  return words;
}

int spill_bytes(const Kernel& kernel) {
  int bytes = 0;
  for (const Instr& in : kernel.code) {
    bytes += in.spill ? static_cast<int>(reg_bytes(in.reg)) : 0;
  }
  return bytes;
}

bool can_split(const Kernel& kernel) {
  return partial_words(kernel) > 0 && spill_bytes(kernel) == 0;
}

bool can_flatten(const Kernel& kernel) {
  return std::none_of(kernel.code.begin(), kernel.code.end(), [](const Instr& in) {
    return in.kind == InstrKind::reduce || (in.kind == InstrKind::store && in.level == Level::row);
  });
}

}  // namespace rondo::codegen::cuda
