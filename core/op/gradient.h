// What the gradient of an op sees: its saved operands and results, incoming gradients, and what is
// needed.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "core/op/op_info.h"

namespace rondo {

/// Bits of a mask of needed gradients; the last one stands for all further operands.
inline constexpr int kNeedsBits = 64;

/// The gradient of an operand: whole, or of a range of one axis and zero outside of it.
struct Gradient {
  Tensor tensor;
  int dim = -1;            // the axis, or -1: whole
  std::int64_t begin = 0;  // of the range
};

/// What is known of an operand also where it is not saved.
struct InputMeta : Meta {
  bool transposed = false;  // a matrix whose neighbours along columns are the nearer in memory
  Device device{};
};

class GradContext {
 public:
  GradContext(const OpInfo& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
              std::span<const Tensor> grads, std::span<const Attr> attrs,
              std::span<const InputMeta> input_metas, std::uint64_t needs);

  /// A saved input or result. Errors: InternalError if the op did not declare that it saves it.
  const Tensor& input(std::string_view name) const;
  const Tensor& input(int i) const;
  const Tensor& output(int i = 0) const;
  /// The gradient of result i; undefined if nothing flowed into it and the op has several results.
  const Tensor& grad(int i = 0) const { return grads_[static_cast<std::size_t>(i)]; }
  const Attr& attr(std::string_view name) const;
  std::span<const Attr> attrs() const { return attrs_; }
  /// Shape and dtype of an input are known also where it is not saved.
  const InputMeta& meta(std::string_view name) const { return metas_[operand_index(op_, name)]; }
  const InputMeta& meta(int i) const { return metas_[static_cast<std::size_t>(i)]; }
  int inputs() const { return static_cast<int>(metas_.size()); }

  bool needs(std::string_view name) const {
    return needs(static_cast<int>(operand_index(op_, name)));
  }
  bool needs(int i) const { return ((needs_ >> std::min(i, kNeedsBits - 1)) & 1U) != 0; }
  /// Gives the gradient of an input; it is summed over broadcast axes and cast to the input's
  /// dtype.
  void set(std::string_view name, const Tensor& gradient) {
    set(static_cast<int>(operand_index(op_, name)), gradient);
  }
  void set(int i, const Tensor& gradient) { set(i, Gradient{gradient}); }
  void set(int i, const Gradient& gradient) { results_[static_cast<std::size_t>(i)] = gradient; }

  std::vector<Gradient>& results() { return results_; }

 private:
  const OpInfo& op_;
  std::span<const Tensor> inputs_;
  std::span<const Tensor> outputs_;
  std::span<const Tensor> grads_;
  std::span<const Attr> attrs_;
  std::span<const InputMeta> metas_;
  std::uint64_t needs_;
  std::vector<Gradient> results_;
};

}  // namespace rondo
