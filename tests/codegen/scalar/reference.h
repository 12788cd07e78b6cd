// Reference values of scalar functions by MPFR, and the distance to them in units in the last
// place.
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rondo::codegen {

/// A number of 200 bits.
class Precise {
 public:
  Precise() { mpfr_init2(value_, 200); }
  explicit Precise(double x) : Precise() { mpfr_set_d(value_, x, MPFR_RNDN); }
  Precise(const Precise&) = delete;
  Precise& operator=(const Precise&) = delete;
  ~Precise() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

 private:
  mpfr_t value_;
};

/// How far `actual` is from `exact` in units in the last place of T at `exact`. Infinities count as
/// the power of two after the largest number; a wrong NaN, infinity or sign of zero is far away.
template <class T>
double ulps(T actual, const Precise& exact) {
  constexpr double kFar = 1e9;
  constexpr int kDigits = std::numeric_limits<T>::digits;
  constexpr int kMaxExponent = std::numeric_limits<T>::max_exponent;
  constexpr int kLeast = std::numeric_limits<T>::min_exponent - kDigits;  // of a subnormal's place
  if (mpfr_nan_p(exact.get()) != 0 || std::isnan(actual)) {
    return mpfr_nan_p(exact.get()) != 0 && std::isnan(actual) ? 0 : kFar;
  }
  if (mpfr_inf_p(exact.get()) != 0 || mpfr_zero_p(exact.get()) != 0) {
    const bool same = mpfr_cmp_d(exact.get(), static_cast<double>(actual)) == 0 &&
                      (mpfr_signbit(exact.get()) != 0) == std::signbit(actual);
    return same ? 0 : kFar;
  }
  Precise distance(static_cast<double>(actual));
  if (std::isinf(actual)) {
    mpfr_set_si_2exp(distance.get(), actual < 0 ? -1 : 1, kMaxExponent, MPFR_RNDN);
    if (mpfr_cmpabs(exact.get(), distance.get()) >= 0) {
      return (mpfr_signbit(exact.get()) != 0) == std::signbit(actual) ? 0 : kFar;
    }
  }
  if (actual == 0 && (mpfr_signbit(exact.get()) != 0) != std::signbit(actual)) {
    return kFar;
  }
  mpfr_sub(distance.get(), distance.get(), exact.get(), MPFR_RNDN);
  const auto exponent = static_cast<int>(mpfr_get_exp(exact.get()));
  const int place = std::max(std::min(exponent, kMaxExponent) - kDigits, kLeast);
  mpfr_mul_2si(distance.get(), distance.get(), -place, MPFR_RNDN);
  return std::fabs(mpfr_get_d(distance.get(), MPFR_RNDN));
}

}  // namespace rondo::codegen
