// Emits a kernel as CUDA C++. This is what all forms share; their loops are in flat.cpp and
// row_program.cpp.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "codegen/cuda/variant.h"

namespace rondo::codegen::cuda {

/// Lines of source, indented by their braces.
class Source {
 public:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_.append(2 * depth_, ' ');
    text_ += fmt::format(format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  /// Opens a block after `head`.
  template <class... Args>
  void open(fmt::format_string<Args...> format, Args&&... args) {
    line("{} {{", fmt::format(format, std::forward<Args>(args)...));
    ++depth_;
  }
  void close() {
    --depth_;
    line("}}");
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::size_t depth_ = 0;
};

class Emitter {
 public:
  Emitter(const Kernel& kernel, const CudaVariant& variant, std::string name);
  virtual ~Emitter() = default;

  /// The kernel as a function `name`, without what it includes.
  std::string emit();

 protected:
  /// The loops, inside the function.
  virtual void emit_loops() = 0;

  /// Where element operand `operand` has the element under way; offsets are of type I.
  std::string element_address(int operand, const std::string& o, const std::string& c) const;
  std::string value(int n) const { return fmt::format("v{}", n); }
  /// `const F32 v3 = scalar::add(v1, v2);`
  void emit_op(int n);
  void emit_load(int n, const std::string& address);
  void emit_store(int n, const std::string& address);
  /// Declares `a<n>`, the address of row `r` (an expression of type I) of each operand that `uses`
  /// asks for.
  void emit_row_addresses(const std::string& r, bool rows_differ);

  const Instr& instr(int n) const { return kernel_.code[static_cast<std::size_t>(n)]; }
  Dtype dtype_of(int operand) const {
    return kernel_.operands[static_cast<std::size_t>(operand)].dtype;
  }
  StrideClass stride_of(int operand) const {
    return variant_.strides[static_cast<std::size_t>(operand)];
  }
  bool is_uniform(int n) const { return uniform_[static_cast<std::size_t>(n)] != 0; }

  const Kernel& kernel_;
  const CudaVariant& variant_;
  const std::vector<Phase> phases_;
  Source source_;

 private:
  void emit_uniform();

  std::string name_;
  std::vector<char> uniform_;
};

/// "F32", and "Float16".
const char* reg_type(Reg reg);
const char* dtype_type(Dtype dtype);

/// What every program of kernels begins with.
const char* program_head();

/// The kernel as `extern "C" __global__ void name(...)`.
std::string emit_kernel(const Kernel& kernel, const CudaVariant& variant, const std::string& name);
std::string emit_flat(const Kernel& kernel, const CudaVariant& variant, const std::string& name);
std::string emit_row_program(const Kernel& kernel, const CudaVariant& variant,
                             const std::string& name);

}  // namespace rondo::codegen::cuda
