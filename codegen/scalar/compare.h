// Comparisons, tests of floating-point classes, and selection: flags are 0 or 1 in i32.
#pragma once

#include "codegen/scalar/lanes.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

/// The i32 lanes that go with L.
template <class L>
using Flag = With<L, std::int32_t>;

template <class L>
RONDO_FUNCTION Flag<L> eq(L a, L b) {
  return flag_of<L>(a == b);
}

template <class L>
RONDO_FUNCTION Flag<L> ne(L a, L b) {
  return flag_of<L>(a != b);
}

template <class L>
RONDO_FUNCTION Flag<L> lt(L a, L b) {
  return flag_of<L>(a < b);
}

template <class L>
RONDO_FUNCTION Flag<L> le(L a, L b) {
  return flag_of<L>(a <= b);
}

template <class L>
RONDO_FUNCTION Flag<L> gt(L a, L b) {
  return flag_of<L>(a > b);
}

template <class L>
RONDO_FUNCTION Flag<L> ge(L a, L b) {
  return flag_of<L>(a >= b);
}

template <class L>
RONDO_FUNCTION Flag<L> isnan(L x) {
  return flag_of<L>(x != x);
}

template <class L>
RONDO_FUNCTION Flag<L> isinf(L x) {
  return flag_of<L>(magnitude(x) == splat<L>(kInfinity<L>));
}

template <class L>
RONDO_FUNCTION Flag<L> isfinite(L x) {
  return flag_of<L>(magnitude(x) < splat<L>(kInfinity<L>));
}

template <class L>
RONDO_FUNCTION L select(Flag<L> condition, L a, L b) {
  return choose<L>(mask_of<L>(condition), a, b);
}

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
