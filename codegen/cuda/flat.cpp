// The flat form: a grid-stride loop over elements, or over packs of them along c.
#include "codegen/cuda/emitter.h"

namespace rondo::codegen::cuda {
namespace {

class FlatEmitter final : public Emitter {
 public:
  using Emitter::Emitter;

 private:
  void emit_loops() override;
  void emit_row_values();
  void emit_element();
  bool packed(int operand) const {
    return variant_.pack > 1 && stride_of(operand) == StrideClass::unit;
  }
  std::string pack_type(int operand) const {
    return fmt::format("Pack<{}, {}>", dtype_type(dtype_of(operand)), variant_.pack);
  }
};

void FlatEmitter::emit_loops() {
  const int pack = variant_.pack;
  source_.line("const I packs = static_cast<I>(p.cols){};",
               pack == 1 ? "" : fmt::format(" / {}", pack));
  source_.line("const I all = {}packs;", variant_.one_row ? "" : "static_cast<I>(p.all_rows) * ");
  source_.line("const I step = static_cast<I>(gridDim.x) * {};", kThreads);
  source_.open("for (I n = static_cast<I>(blockIdx.x) * {} + threadIdx.x; n < all; n += step)",
               kThreads);
  if (variant_.one_row) {
    source_.line("const I c = n{};", pack == 1 ? "" : fmt::format(" * {}", pack));
    source_.line("constexpr I r = 0;");
  } else {
    source_.line("const I r = n / packs;");
    source_.line("const I c = (n - r * packs){};", pack == 1 ? "" : fmt::format(" * {}", pack));
  }
  emit_row_addresses("r", !variant_.one_row);
  emit_row_values();
  emit_element();
  source_.close();
}

void FlatEmitter::emit_row_values() {
  for (const int n : phases_[0].row_code) {
    if (is_uniform(n)) {
      continue;
    }
    if (instr(n).kind == InstrKind::load) {
      emit_load(n, fmt::format("a{}", instr(n).operand));
    } else {
      emit_op(n);
    }
  }
}

void FlatEmitter::emit_element() {
  const std::vector<int>& code = phases_[0].element_code;
  for (const int n : code) {
    const Instr& in = instr(n);
    if (in.kind == InstrKind::load && packed(in.operand)) {
      source_.line("const auto m{} = load_pack<{}, {}>({});", n, dtype_type(dtype_of(in.operand)),
                   variant_.pack, element_address(in.operand, "", "c"));
    } else if (in.kind == InstrKind::store && packed(in.operand)) {
      source_.line("{} m{};", pack_type(in.operand), n);
    }
  }
  const bool packs = variant_.pack > 1;
  if (packs) {
    source_.line("#pragma unroll");
    source_.open("for (int w = 0; w < {}; ++w)", variant_.pack);
  }
  const std::string c = packs ? "(c + w)" : "c";
  for (const int n : code) {
    const Instr& in = instr(n);
    const char* type = in.operand < 0 ? "" : dtype_type(dtype_of(in.operand));
    if (in.kind == InstrKind::op) {
      emit_op(n);
    } else if (in.kind == InstrKind::index) {
      source_.line("const I64 v{} = p.first_index + static_cast<I64>(r) * p.cols + {};", n, c);
    } else if (in.kind == InstrKind::load && packed(in.operand)) {
      source_.line("const {} v{} = {}::widen(m{}.at[w]);", reg_type(in.reg), n, type, n);
    } else if (in.kind == InstrKind::load) {
      emit_load(n, element_address(in.operand, "", c));
    } else if (packed(in.operand)) {
      source_.line("m{}.at[w] = {}::narrow(v{});", n, type, in.a);
    } else {
      emit_store(n, element_address(in.operand, "", c));
    }
  }
  if (packs) {
    source_.close();
  }
  for (const int n : code) {
    const Instr& in = instr(n);
    if (in.kind == InstrKind::store && packed(in.operand)) {
      source_.line("store_pack<{}, {}>({}, m{});", dtype_type(dtype_of(in.operand)), variant_.pack,
                   element_address(in.operand, "", "c"), n);
    }
  }
}

}  // namespace

std::string emit_flat(const Kernel& kernel, const CudaVariant& variant, const std::string& name) {
  return FlatEmitter(kernel, variant, name).emit();
}

}  // namespace rondo::codegen::cuda
