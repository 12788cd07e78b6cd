#include "core/tensor/scalar.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace rondo {

std::int64_t Scalar::to_int() const {
  if (!is_floating()) {
    return i_;
  }
  const bool fits = d_ >= -9223372036854775808.0 && d_ < 9223372036854775808.0;
  return fits ? static_cast<std::int64_t>(d_) : std::numeric_limits<std::int64_t>::min();
}

std::string Scalar::str() const {
  if (kind_ == Dtype::boolean) {
    return i_ != 0 ? "True" : "False";
  }
  if (!is_floating()) {
    return std::to_string(i_);
  }
  if (!std::isfinite(d_)) {
    return std::isnan(d_) ? "nan" : (d_ > 0 ? "inf" : "-inf");
  }
  std::string text = fmt::format("{}", d_);
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text;
}

}  // namespace rondo
