// Inputs for tests of scalar functions: special values, and random ones of all magnitudes.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace rondo::codegen {

template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_integral_v<T>) {
    return {0,
            1,
            -1,
            2,
            -2,
            3,
            7,
            31,
            32,
            33,
            63,
            64,
            65,
            127,
            128,
            255,
            256,
            -128,
            -129,
            32767,
            32768,
            65535,
            65536,
            Limits::min(),
            Limits::max(),
            Limits::min() + 1,
            Limits::max() - 1,
            T{1} << 30};
  } else {
    std::vector<T> values{0,       1,        T(0.5),   T(0.25),  2,        3,       T(0.1),
                          T(0.75), T(1.5),   10,       T(88.5),  T(0.693), T(3.14), T(1.57),
                          T(103),  T(709.5), T(745.1), T(65504), T(65520), 127,     128,
                          255,     T(1e6),   T(1e9),   T(3e9),   T(1e15),  T(1e19), T(1e30),
                          T(1e-5), T(1e-30), T(32767), T(32768)};
    values.insert(values.end(),
                  {Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::min(),
                   Limits::denorm_min(), Limits::min() - Limits::denorm_min(), Limits::epsilon(),
                   1 + Limits::epsilon(), 1 - Limits::epsilon() / 2, T(0x1p31), T(0x1p63)});
    const std::size_t count = values.size();
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(-values[i]);
    }
    return values;
  }
}

/// One value of many kinds: any bits, moderate numbers, numbers near 1 and small integers.
template <class T>
T random_value(std::mt19937_64& bits) {
  const std::uint64_t word = bits();
  const auto unit = static_cast<double>(word >> 11) * 0x1p-52 - 1.0;
  switch (bits() % 4) {
    case 0: {
      T value;
      std::memcpy(&value, &word, sizeof(T));
      return value;
    }
    case 1:
      return static_cast<T>(unit * 100.0);
    case 2:
      return static_cast<T>(unit * 2.0);
    default:
      return static_cast<T>(static_cast<std::int64_t>(unit * 40.0));
  }
}

}  // namespace rondo::codegen
