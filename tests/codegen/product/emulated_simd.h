// The vectors of x86-64-v4 made of two of v3, so that its kernels run in tests on any machine.
#pragma once

namespace rondo::codegen::RONDO_ISA {

template <class Half>
struct Pair {
  typename Half::Vector low;
  typename Half::Vector high;
};

template <class T, class Half>
struct PairSimd {
  static constexpr int kWidth = 2 * Half::kWidth;
  static constexpr int kRegisters = 32;
  using Vector = Pair<Half>;
  using Mask = Index;
  static Mask mask(Index lanes) { return lanes; }
  static auto low(Mask m) { return Half::mask(m < Half::kWidth ? m : Half::kWidth); }
  static auto high(Mask m) { return Half::mask(m < Half::kWidth ? 0 : m - Half::kWidth); }
  static Vector zero() { return {Half::zero(), Half::zero()}; }
  static Vector broadcast(T x) { return {Half::broadcast(x), Half::broadcast(x)}; }
  static Vector load(const T* p) { return {Half::load(p), Half::load(p + Half::kWidth)}; }
  static Vector load(const T* p, Mask m) {
    return {Half::load(p, low(m)), Half::load(p + Half::kWidth, high(m))};
  }
  static void store(T* p, Vector v) {
    Half::store(p, v.low);
    Half::store(p + Half::kWidth, v.high);
  }
  static void store(T* p, Vector v, Mask m) {
    Half::store(p, v.low, low(m));
    Half::store(p + Half::kWidth, v.high, high(m));
  }
  static Vector add(Vector a, Vector b) {
    return {Half::add(a.low, b.low), Half::add(a.high, b.high)};
  }
  static Vector fma(Vector a, Vector b, Vector c) {
    return {Half::fma(a.low, b.low, c.low), Half::fma(a.high, b.high, c.high)};
  }
  static Vector select(Mask m, Vector a, Vector b) {
    return {Half::select(low(m), a.low, b.low), Half::select(high(m), a.high, b.high)};
  }
};

template <>
struct Simd<float> : PairSimd<float, Avx2Float> {};
template <>
struct Simd<double> : PairSimd<double, Avx2Double> {};

}  // namespace rondo::codegen::RONDO_ISA
