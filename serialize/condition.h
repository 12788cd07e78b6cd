// Conditions over sizes, such as `seq <= 512` or `batch//2*2 == batch`: what guards require.
#pragma once

#include <string_view>

#include "serialize/dimension.h"
#include "serialize/manifest.h"

namespace rondo::serialize {

/// Two expressions and a comparison: == != < <= > >=.
struct Condition {
  enum class Comparison : std::uint8_t { equal, not_equal, less, at_most, greater, at_least };
  Dimension left;
  Comparison comparison = Comparison::equal;
  Dimension right;

  /// Spaces may stand around the comparison. Errors: FormatError.
  static Condition parse(std::string_view text);
  /// Errors: those of Dimension::evaluate.
  bool holds(const Bindings& sizes) const;
};

/// Checks one guard of a method against the sizes of a call. Errors: ShapeError
/// `forward: the sizes break a guard: seq <= 512, where seq is 600: <message> (model.py:12)`.
void check_guard(std::string_view method, const Guard& guard, const Condition& condition,
                 const Bindings& sizes);

}  // namespace rondo::serialize
