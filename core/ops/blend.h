// Choosing between operands by a condition.
#pragma once

#include "core/op/elementwise.h"

namespace rondo {

/// input where condition is true, else other. What is not chosen gets a gradient of exactly 0.
///
/// Dtypes: condition bool; input and other are promoted
struct Where : Elementwise<Where> {
  static constexpr Schema schema{"where(Tensor condition, Tensor input, Tensor other) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr std::uint32_t kOwnDtype = 0b001;
  static constexpr Saves saves{"condition"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static auto compute(auto condition, auto x, auto y) { return fn::select(condition, x, y); }
  static void gradient(GradContext& g);
};
inline constexpr Where where;

/// input with `value` where mask is true; the dtype is that of input
struct MaskedFill : Elementwise<MaskedFill> {
  static constexpr Schema schema{"masked_fill(Tensor input, Tensor mask, Tensor value) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr std::uint32_t kOwnDtype = 0b110;
  static constexpr Saves saves{"mask"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static auto compute(auto x, auto mask, auto value) {
    return fn::select(mask, fn::convert(value, x.reg()), x);
  }
  static void gradient(GradContext& g);
};
inline constexpr MaskedFill masked_fill;

using BlendOps = OpList<Where, MaskedFill>;

}  // namespace rondo
