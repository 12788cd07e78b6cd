// Runs block loops on vectors, for the tests of scalar functions, and the numbers that they try.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "codegen/scalar/block.h"

namespace rondo::codegen {

using I32 = std::vector<std::int32_t>;
using I64 = std::vector<std::int64_t>;
using F32 = std::vector<float>;
using F64 = std::vector<double>;

inline constexpr float kInfF = std::numeric_limits<float>::infinity();
inline constexpr float kNanF = std::numeric_limits<float>::quiet_NaN();
inline constexpr double kInfD = std::numeric_limits<double>::infinity();
inline constexpr double kNanD = std::numeric_limits<double>::quiet_NaN();
inline constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int64_t kLeast64 = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kMost64 = std::numeric_limits<std::int64_t>::max();

template <class T>
inline constexpr Reg kRegOf = Reg::i32;
template <>
inline constexpr Reg kRegOf<std::int64_t> = Reg::i64;
template <>
inline constexpr Reg kRegOf<float> = Reg::f32;
template <>
inline constexpr Reg kRegOf<double> = Reg::f64;

/// Registers aligned as block loops want them.
class Registers {
 public:
  explicit Registers(std::size_t bytes)
      : bytes_(::operator new(bytes + 64, std::align_val_t(128))) {
    std::memset(bytes_, 0x5A, bytes + 64);
  }
  template <class T>
  explicit Registers(const std::vector<T>& values) : Registers(values.size() * sizeof(T)) {
    std::memcpy(bytes_, values.data(), values.size() * sizeof(T));
  }
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;
  ~Registers() { ::operator delete(bytes_, std::align_val_t(128)); }

  void* data() { return bytes_; }

  template <class T>
  std::vector<T> values(std::size_t count) const {
    std::vector<T> result(count);
    std::memcpy(result.data(), bytes_, count * sizeof(T));
    return result;
  }

 private:
  void* bytes_;
};

/// The operation on each element of one, two or three vectors of one size.
template <class Out, class T>
std::vector<Out> apply(ScalarOp op, const std::vector<T>& a) {
  Registers first(a);
  Registers out(a.size() * sizeof(Out));
  block_function(op, kRegOf<T>)(static_cast<std::int64_t>(a.size()), out.data(), first.data(),
                                nullptr, nullptr);
  return out.values<Out>(a.size());
}

template <class Out, class A, class T>
std::vector<Out> apply(ScalarOp op, const std::vector<A>& a, const std::vector<T>& b) {
  Registers first(a);
  Registers second(b);
  Registers out(a.size() * sizeof(Out));
  block_function(op, kRegOf<T>)(static_cast<std::int64_t>(a.size()), out.data(), first.data(),
                                second.data(), nullptr);
  return out.values<Out>(a.size());
}

template <class Out, class A, class T>
std::vector<Out> apply(ScalarOp op, const std::vector<A>& a, const std::vector<T>& b,
                       const std::vector<T>& c) {
  Registers first(a);
  Registers second(b);
  Registers third(c);
  Registers out(a.size() * sizeof(Out));
  block_function(op, kRegOf<T>)(static_cast<std::int64_t>(a.size()), out.data(), first.data(),
                                second.data(), third.data());
  return out.values<Out>(a.size());
}

/// The bits of a value, all NaNs being one.
inline std::uint64_t canonical_bits(float x) {
  return x != x ? 0x7FC00000U : __builtin_bit_cast(std::uint32_t, x);
}
inline std::uint64_t canonical_bits(double x) {
  return x != x ? 0x7FF8000000000000U : __builtin_bit_cast(std::uint64_t, x);
}
inline std::uint64_t canonical_bits(std::int32_t x) {
  return static_cast<std::uint32_t>(x);
}
inline std::uint64_t canonical_bits(std::int64_t x) {
  return static_cast<std::uint64_t>(x);
}

/// Fails unless both vectors hold the same bits, any NaN being equal to any other.
template <class T>
void expect_same_bits(const std::vector<T>& actual, const std::vector<T>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(canonical_bits(actual[i]), canonical_bits(expected[i]))
        << "element " << i << ": " << actual[i] << " and " << expected[i];
  }
}

}  // namespace rondo::codegen
