// Comparisons and conversions.
#include <bit>
#include <cmath>
#include <limits>

#include "tests/support/ptx/instructions.h"

namespace rondo::ptx {

float widen_half(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 31U;
  const std::uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 31) {
    return std::bit_cast<float>(sign | 0x7F800000U | mantissa << 13U);
  }
  const float size = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                   : std::ldexp(static_cast<float>(mantissa | 0x400U),
                                                static_cast<int>(exponent) - 25);
  return sign != 0 ? -size : size;
}

std::uint16_t narrow_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
  const float size = std::fabs(value);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(sign | 0x7FFFU);
  }
  if (size >= 65520.0F) {
    return static_cast<std::uint16_t>(sign | 0x7C00U);
  }
  // The spacing of halves there: numbers below 2^-14 share that of 2^-14.
  const int exponent = size < 0x1p-14F ? -14 : std::ilogb(size);
  const float units = std::nearbyint(std::ldexp(size, 10 - exponent));
  const auto whole = static_cast<std::uint32_t>(units);  // of 2^(exponent - 10)
  const std::uint32_t base = size < 0x1p-14F ? 0 : static_cast<std::uint32_t>(exponent + 14) << 10U;
  return static_cast<std::uint16_t>(sign | (base + whole));
}

namespace {

enum class Relation { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

template <class T>
bool holds(Relation relation, T a, T b) {
  const bool unordered = a != a || b != b;
  switch (relation) {
    case Relation::eq:
      return a == b;
    case Relation::ne:
      return a != b && !unordered;
    case Relation::lt:
      return a < b;
    case Relation::le:
      return a <= b;
    case Relation::gt:
      return a > b;
    case Relation::ge:
      return a >= b;
    case Relation::equ:
      return a == b || unordered;
    case Relation::neu:
      return a != b || unordered;
    case Relation::ltu:
      return a < b || unordered;
    case Relation::leu:
      return a <= b || unordered;
    case Relation::gtu:
      return a > b || unordered;
    case Relation::geu:
      return a >= b || unordered;
    case Relation::num:
      return !unordered;
    default:
      return unordered;
  }
}

enum class Combine { none, conjunction, disjunction, exclusive };

template <Relation relation, Combine combine>
struct Compare {
  template <class T>
  static void run(Thread& t, const Code& c) {
    bool result = holds(relation, t.get<T>(c.from[0]), t.get<T>(c.from[1]));
    if constexpr (combine != Combine::none) {
      const bool other = t.predicate(c.from[2]);
      result = combine == Combine::conjunction   ? (result && other)
               : combine == Combine::disjunction ? (result || other)
                                                 : result != other;
    }
    t.set<std::uint64_t>(c.to[0], result ? 1 : 0);
  }
};

template <Relation relation>
Handler find_relation(const std::string& combine, Type type) {
  const auto of = [&]<class Op>(Op) {
    return type == Type::f32 || type == Type::f64 ? floats<Op>(type) : integers<Op>(type);
  };
  if (combine.empty()) {
    return of(Compare<relation, Combine::none>{});
  }
  if (combine == "and") {
    return of(Compare<relation, Combine::conjunction>{});
  }
  if (combine == "or") {
    return of(Compare<relation, Combine::disjunction>{});
  }
  return combine == "xor" ? of(Compare<relation, Combine::exclusive>{}) : nullptr;
}

template <class To, class From>
To converted(From value, const Code& code) {
  if constexpr (std::is_floating_point_v<From>) {
    From whole = value;
    if (code.to_integer || std::is_integral_v<To>) {
      whole = code.rounding == Rounding::zero   ? std::trunc(value)
              : code.rounding == Rounding::down ? std::floor(value)
              : code.rounding == Rounding::up   ? std::ceil(value)
                                                : std::nearbyint(value);
    }
    if constexpr (std::is_integral_v<To>) {
      using Limits = std::numeric_limits<To>;
      if (std::isnan(value)) {
        return 0;
      }
      const From end = std::ldexp(From{1}, Limits::digits);
      return whole >= end                               ? Limits::max()
             : whole < static_cast<From>(Limits::min()) ? Limits::min()
                                                        : static_cast<To>(whole);
    } else {
      return static_cast<To>(whole);
    }
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
void convert(Thread& t, const Code& c) {
  t.set<To>(c.to[0], converted<To>(t.get<From>(c.from[0]), c));
}

void from_half(Thread& t, const Code& c) {
  t.set<float>(c.to[0], widen_half(t.get<std::uint16_t>(c.from[0])));
}
void to_half(Thread& t, const Code& c) {
  t.set<std::uint16_t>(c.to[0], narrow_half(t.get<float>(c.from[0])));
}

template <class To>
Handler convert_from(Type from) {
  switch (from) {
    case Type::s8:
      return &convert<To, std::int8_t>;
    case Type::u8:
      return &convert<To, std::uint8_t>;
    case Type::s16:
      return &convert<To, std::int16_t>;
    case Type::u16:
      return &convert<To, std::uint16_t>;
    case Type::s32:
      return &convert<To, std::int32_t>;
    case Type::u32:
      return &convert<To, std::uint32_t>;
    case Type::s64:
      return &convert<To, std::int64_t>;
    case Type::u64:
      return &convert<To, std::uint64_t>;
    case Type::f32:
      return &convert<To, float>;
    case Type::f64:
      return &convert<To, double>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler find_comparison(const std::string& name, Code& code) {
  if (!name.starts_with("setp.")) {
    return nullptr;
  }
  const std::size_t dot = name.find('.', 5);
  std::string relation = name.substr(5, dot - 5);
  const std::string combine = dot == std::string::npos ? "" : name.substr(dot + 1);
  constexpr std::pair<const char*, Handler (*)(const std::string&, Type)> kRelations[] = {
      {"eq", &find_relation<Relation::eq>},   {"ne", &find_relation<Relation::ne>},
      {"lt", &find_relation<Relation::lt>},   {"le", &find_relation<Relation::le>},
      {"gt", &find_relation<Relation::gt>},   {"ge", &find_relation<Relation::ge>},
      {"lo", &find_relation<Relation::lt>},   {"ls", &find_relation<Relation::le>},
      {"hi", &find_relation<Relation::gt>},   {"hs", &find_relation<Relation::ge>},
      {"equ", &find_relation<Relation::equ>}, {"neu", &find_relation<Relation::neu>},
      {"ltu", &find_relation<Relation::ltu>}, {"leu", &find_relation<Relation::leu>},
      {"gtu", &find_relation<Relation::gtu>}, {"geu", &find_relation<Relation::geu>},
      {"num", &find_relation<Relation::num>}, {"nan", &find_relation<Relation::nan>}};
  for (const auto& [text, find] : kRelations) {
    if (relation == text) {
      return find(combine, code.type);
    }
  }
  return nullptr;
}

/// Registers hold more than 8 bits: results of 8 bits are extended as their type says.
Handler find_conversion(Code& code) {
  const Type from = code.source_type;
  if (from == Type::f16) {
    return code.type == Type::f32 ? &from_half : nullptr;
  }
  switch (code.type) {
    case Type::f16:
      return from == Type::f32 ? &to_half : nullptr;
    case Type::s8:
      return convert_from<std::int8_t>(from);
    case Type::u8:
      return convert_from<std::uint8_t>(from);
    case Type::s16:
      return convert_from<std::int16_t>(from);
    case Type::u16:
      return convert_from<std::uint16_t>(from);
    case Type::s32:
      return convert_from<std::int32_t>(from);
    case Type::u32:
      return convert_from<std::uint32_t>(from);
    case Type::s64:
      return convert_from<std::int64_t>(from);
    case Type::u64:
      return convert_from<std::uint64_t>(from);
    case Type::f32:
      return convert_from<float>(from);
    case Type::f64:
      return convert_from<double>(from);
    default:
      return nullptr;
  }
}

}  // namespace rondo::ptx
