// A number of any dtype, held exactly.
#pragma once

#include <cstdint>
#include <string>

#include "core/tensor/dtype.h"

namespace rondo {

/// A bool, an int64 or a double, as Python and C++ literals are.
class Scalar {
 public:
  Scalar() = default;
  Scalar(bool v) : kind_(Dtype::boolean) { i_ = v ? 1 : 0; }  // NOLINT(*-explicit-*)
  Scalar(int v) : kind_(Dtype::int64) { i_ = v; }             // NOLINT(*-explicit-*)
  Scalar(long v) : kind_(Dtype::int64) { i_ = v; }            // NOLINT(*-explicit-*)
  Scalar(long long v) : kind_(Dtype::int64) { i_ = v; }       // NOLINT(*-explicit-*)
  Scalar(double v) : kind_(Dtype::float64) { d_ = v; }        // NOLINT(*-explicit-*)
  Scalar(float v) : Scalar(static_cast<double>(v)) {}         // NOLINT(*-explicit-*)

  /// boolean, int64 or float64.
  Dtype kind() const { return kind_; }
  bool is_floating() const { return kind_ == Dtype::float64; }
  double to_double() const { return is_floating() ? d_ : static_cast<double>(i_); }
  /// Truncates; NaN and out of range give the least int64.
  std::int64_t to_int() const;
  bool to_bool() const { return is_floating() ? d_ != 0 : i_ != 0; }
  bool operator==(const Scalar& o) const { return kind_ == o.kind_ && i_ == o.i_; }

  std::string str() const;

 private:
  Dtype kind_ = Dtype::int64;
  union {
    std::int64_t i_ = 0;
    double d_;
  };
};

}  // namespace rondo
