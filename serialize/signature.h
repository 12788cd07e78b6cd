// The contract of a method's values, and the check of a call against it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/dtype.h"
#include "serialize/dimension.h"

namespace rondo::serialize {

/// What a method takes or gives at one place.
struct ValueSpec {
  std::string name;
  Dtype dtype = Dtype::float32;
  std::vector<Dimension> shape;
  std::string device;  // a device slot

  bool operator==(const ValueSpec&) const = default;
};

/// What was given there.
struct ActualValue {
  Dtype dtype = Dtype::float32;
  std::span<const std::int64_t> shape;
};

/// "[batch, 2*seq+1] of float32".
std::string describe(const ValueSpec& spec);
/// "[4, 7] of float32".
std::string describe(const ActualValue& value);

/// Checks the values of a call of `method` and gives the sizes of the symbols. A symbol that stands
/// alone takes the size that it first meets, in the order of inputs and dimensions; every dimension
/// is then checked.
///
/// Errors: ArgumentError for a wrong number of values, DtypeError or ShapeError for a wrong value:
/// `forward: input 'x' is invalid: expected [batch, 1, 28, 28] of float32, got [3, 28, 28] of
/// float32`, followed by the sizes of the symbols in it and the inputs that gave them.
Bindings check_inputs(std::string_view method, std::span<const ValueSpec> specs,
                      std::span<const ActualValue> values);

/// The names of symbols in `specs` that never stand alone, so that no call could give their sizes.
std::vector<std::string_view> unbound_symbols(std::span<const ValueSpec> specs);

}  // namespace rondo::serialize
