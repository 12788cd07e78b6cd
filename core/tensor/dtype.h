// Element types: their codes, sizes, names and promotion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rondo {

/// Codes are stable: they stand in archives. 32 and up are reserved for complex, float8, int4 and
/// quantised types.
enum class Dtype : std::uint8_t {
  boolean = 0,
  uint8 = 1,
  int8 = 2,
  int16 = 3,
  int32 = 4,
  int64 = 5,
  float16 = 6,
  bfloat16 = 7,
  float32 = 8,
  float64 = 9,
};
inline constexpr int kDtypeCount = 10;

/// Bits of one element; bool takes a byte.
constexpr int dtype_bits(Dtype dtype) {
  constexpr int kBits[kDtypeCount] = {8, 8, 8, 16, 32, 64, 16, 16, 32, 64};
  return kBits[static_cast<int>(dtype)];
}

/// Bytes of `count` consecutive elements.
constexpr std::int64_t size_bytes(Dtype dtype, std::int64_t count) {
  return (dtype_bits(dtype) * count + 7) / 8;
}

constexpr bool is_floating(Dtype dtype) {
  return dtype >= Dtype::float16;
}
constexpr bool is_integral(Dtype dtype) {
  return dtype >= Dtype::uint8 && dtype <= Dtype::int64;
}

/// The dtype that arithmetic is done in: 16-bit floats compute in float32, everything else in
/// itself.
constexpr Dtype compute_dtype(Dtype dtype) {
  return dtype == Dtype::float16 || dtype == Dtype::bfloat16 ? Dtype::float32 : dtype;
}

/// "float32", "bool" and so on, as NumPy and PyTorch spell them.
std::string_view dtype_name(Dtype dtype);

/// The dtype of that name. Errors: DtypeError if there is none.
Dtype dtype_from_name(std::string_view name);

/// PyTorch's promotion of two dtypes of the same standing (two tensors with dimensions).
Dtype promote(Dtype a, Dtype b);

/// A set of dtypes, one bit each.
class DtypeSet {
 public:
  constexpr DtypeSet() = default;
  template <class... D>
  constexpr explicit DtypeSet(D... dtypes) : bits_((... | (1U << static_cast<unsigned>(dtypes)))) {}
  constexpr bool contains(Dtype d) const { return ((bits_ >> static_cast<unsigned>(d)) & 1U) != 0; }
  constexpr DtypeSet operator|(DtypeSet o) const {
    DtypeSet r;
    r.bits_ = bits_ | o.bits_;
    return r;
  }

 private:
  unsigned bits_ = 0;
};

inline constexpr DtypeSet kFloating{Dtype::float16, Dtype::bfloat16, Dtype::float32,
                                    Dtype::float64};
inline constexpr DtypeSet kIntegral{Dtype::uint8, Dtype::int8, Dtype::int16, Dtype::int32,
                                    Dtype::int64};
inline constexpr DtypeSet kBoolean{Dtype::boolean};
inline constexpr DtypeSet kNumeric = kFloating | kIntegral;
inline constexpr DtypeSet kAnyDtype = kNumeric | kBoolean;
inline constexpr DtypeSet kBitwise = kIntegral | kBoolean;

}  // namespace rondo
