#include "core/tensor/dtype.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/base/error.h"

namespace rondo {
namespace {

constexpr std::array<std::string_view, kDtypeCount> kNames{
    "bool",  "uint8",   "int8",     "int16",   "int32",
    "int64", "float16", "bfloat16", "float32", "float64"};

}  // namespace

std::string_view dtype_name(Dtype dtype) {
  return kNames.at(static_cast<std::size_t>(dtype));
}

Dtype dtype_from_name(std::string_view name) {
  const auto* found = std::find(kNames.begin(), kNames.end(), name);
  check<DtypeError>(found != kNames.end(), "dtype: unknown name: '{}'; expected one of {}", name,
                    fmt::join(kNames, ", "));
  return static_cast<Dtype>(found - kNames.begin());
}

Dtype promote(Dtype a, Dtype b) {
  if (a == b) {
    return a;
  }
  if (a > b) {
    std::swap(a, b);
  }
  // The order of the codes is the order of promotion, but for two pairs that neither contains.
  if (a == Dtype::uint8 && b == Dtype::int8) {
    return Dtype::int16;
  }
  if (a == Dtype::float16 && b == Dtype::bfloat16) {
    return Dtype::float32;
  }
  return b;
}

}  // namespace rondo
