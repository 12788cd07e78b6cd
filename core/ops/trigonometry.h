// Trigonometric functions, in radians.
#pragma once

#include "core/ops/math.h"

namespace rondo {

/// sine
struct Sin : MathFunction<Sin> {
  static constexpr Schema schema{"sin(Tensor input) -> Tensor"};
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return fn::sin(x); }
  static void gradient(GradContext& g);
};
inline constexpr Sin sin;

/// cosine
struct Cos : MathFunction<Cos> {
  static constexpr Schema schema{"cos(Tensor input) -> Tensor"};
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return fn::cos(x); }
  static void gradient(GradContext& g);
};
inline constexpr Cos cos;

/// tangent
struct Tan : MathFunction<Tan> {
  static constexpr Schema schema{"tan(Tensor input) -> Tensor"};
  static constexpr Saves saves{"output"};
  static auto compute(auto x) { return fn::tan(x); }
  static void gradient(GradContext& g);
};
inline constexpr Tan tan;

/// arc sine, in [-pi/2, pi/2]; NaN outside of [-1, 1]
struct Asin : MathFunction<Asin> {
  static constexpr Schema schema{"asin(Tensor input) -> Tensor"};
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return fn::asin(x); }
  static void gradient(GradContext& g);
};
inline constexpr Asin asin;

/// arc cosine, in [0, pi]; NaN outside of [-1, 1]
struct Acos : MathFunction<Acos> {
  static constexpr Schema schema{"acos(Tensor input) -> Tensor"};
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return fn::acos(x); }
  static void gradient(GradContext& g);
};
inline constexpr Acos acos;

/// arc tangent, in [-pi/2, pi/2]
struct Atan : MathFunction<Atan> {
  static constexpr Schema schema{"atan(Tensor input) -> Tensor"};
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return fn::atan(x); }
  static void gradient(GradContext& g);
};
inline constexpr Atan atan;

/// The angle of the point (x = other, y = input), in [-pi, pi].
struct Atan2 : MathFunction<Atan2> {
  static constexpr Schema schema{"atan2(Tensor input, Tensor other) -> Tensor"};
  static constexpr Saves saves{"input", "other"};
  static auto compute(auto y, auto x) { return fn::atan2(y, x); }
  static void gradient(GradContext& g);
};
inline constexpr Atan2 atan2;

using TrigonometryOps = OpList<Sin, Cos, Tan, Asin, Acos, Atan, Atan2>;

}  // namespace rondo
