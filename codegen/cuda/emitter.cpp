#include "codegen/cuda/emitter.h"

#include <algorithm>
#include <utility>

namespace rondo::codegen::cuda {

const char* reg_type(Reg reg) {
  constexpr const char* kNames[] = {"I32", "I64", "F32", "F64"};
  return kNames[static_cast<int>(reg)];
}

const char* dtype_type(Dtype dtype) {
  constexpr const char* kNames[kDtypeCount] = {"Bool",    "Uint8",  "Int8",    "Int16",
                                               "Int32",   "Int64",  "Float16", "Bfloat16",
                                               "Float32", "Float64"};
  return kNames[static_cast<int>(dtype)];
}

const char* program_head() {
  return "#include \"codegen/cuda/device/prelude.h\"\n"
         "\n"
         "#include \"codegen/cuda/device/fold.h\"\n"
         "\n"
         "using namespace rondo::codegen::device;\n"
         "namespace scalar = rondo::codegen::scalar;\n";
}

Emitter::Emitter(const Kernel& kernel, const CudaVariant& variant, std::string name)
    : kernel_(kernel),
      variant_(variant),
      phases_(plan_phases(kernel)),
      name_(std::move(name)),
      uniform_(uniform_values(kernel)) {}

std::string Emitter::emit() {
  source_.line("extern \"C\" __global__ void __launch_bounds__({}, {})", threads_of(variant_.form),
               least_blocks(variant_.form));
  source_.open("{}(const __grid_constant__ Parameters<{}, {}, {}> p)", name_,
               std::max<std::size_t>(kernel_.operands.size(), 1), std::max(kernel_.scalars, 1),
               std::max(variant_.loops, 1));
  source_.line("using I = {};", variant_.wide ? "I64" : "I32");
  emit_uniform();
  emit_loops();
  source_.close();
  return source_.take();
}

void Emitter::emit_uniform() {
  for (std::size_t i = 0; i < kernel_.code.size(); ++i) {
    const int n = static_cast<int>(i);
    const Instr& in = instr(n);
    if (!is_uniform(n)) {
      continue;
    }
    if (in.kind == InstrKind::constant) {
      const bool wide = reg_bytes(in.reg) == 8;
      source_.line("constexpr {} v{} = __builtin_bit_cast({}, {:#x}{});", reg_type(in.reg), n,
                   reg_type(in.reg), wide ? in.bits : in.bits & 0xFFFFFFFFU, wide ? "UL" : "U");
    } else if (in.kind == InstrKind::scalar) {
      source_.line("const {} v{} = scalar_parameter<{}>(p.scalar[{}]);", reg_type(in.reg), n,
                   reg_type(in.reg), in.operand);
    } else {
      emit_op(n);
    }
  }
}

void Emitter::emit_op(int n) {
  const Instr& in = instr(n);
  std::string arguments;
  for (const int use : {in.a, in.b, in.c}) {
    if (use >= 0) {
      arguments += fmt::format("{}v{}", arguments.empty() ? "" : ", ", use);
    }
  }
  source_.line("const {} v{} = scalar::{}({});", reg_type(in.reg), n,
               scalar_op_info(in.scalar).name, arguments);
}

void Emitter::emit_load(int n, const std::string& address) {
  const Instr& in = instr(n);
  source_.line("const {} v{} = load<{}>({});", reg_type(in.reg), n,
               dtype_type(dtype_of(in.operand)), address);
}

void Emitter::emit_store(int n, const std::string& address) {
  const Instr& in = instr(n);
  source_.line("store<{}>({}, v{});", dtype_type(dtype_of(in.operand)), address, in.a);
}

std::string Emitter::element_address(int operand, const std::string& o,
                                     const std::string& c) const {
  std::string address = fmt::format("a{}", operand);
  if (!o.empty()) {
    address += fmt::format(" + {} * static_cast<I>(p.operand[{}].outer)", o, operand);
  }
  if (stride_of(operand) == StrideClass::unit) {
    address += fmt::format(" + {} * {}", c, size_bytes(dtype_of(operand), 1));
  } else if (stride_of(operand) == StrideClass::any) {
    address += fmt::format(" + {} * static_cast<I>(p.operand[{}].col)", c, operand);
  }
  return address;
}

void Emitter::emit_row_addresses(const std::string& r, bool rows_differ) {
  std::string row = r;
  if (rows_differ && variant_.loops > 0) {
    source_.line("I rest = {} / static_cast<I>(p.rows);", r);
    source_.line("const I row = {} - rest * static_cast<I>(p.rows);", r);
    row = "row";
    for (int l = variant_.loops - 1; l >= 0; --l) {
      source_.line("const I l{} = rest % static_cast<I>(p.loop_size[{}]);", l, l);
      source_.line("rest /= static_cast<I>(p.loop_size[{}]);", l);
    }
  }
  for (std::size_t k = 0; k < kernel_.operands.size(); ++k) {
    if (!rows_differ) {
      source_.line("char* const a{} = p.operand[{}].data;", k, k);
      continue;
    }
    std::string at = fmt::format("{} * static_cast<I>(p.operand[{}].row)", row, k);
    for (int l = 0; l < variant_.loops; ++l) {
      at += fmt::format(" + l{} * static_cast<I>(p.operand[{}].loop[{}])", l, k, l);
    }
    source_.line("char* const a{} = p.operand[{}].data + ({});", k, k, at);
  }
}

std::string emit_kernel(const Kernel& kernel, const CudaVariant& variant, const std::string& name) {
  return variant.form == Form::flat ? emit_flat(kernel, variant, name)
                                    : emit_row_program(kernel, variant, name);
}

}  // namespace rondo::codegen::cuda
