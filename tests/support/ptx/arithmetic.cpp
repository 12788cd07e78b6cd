// Instructions that compute.
#include <bit>
#include <cmath>
#include <limits>

#include "tests/support/ptx/instructions.h"

namespace rondo::ptx {
namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

template <class Compute>
struct Binary {
  template <class T>
  static void run(Thread& t, const Code& c) {
    t.set<T>(c.to[0], Compute::template of<T>(t.get<T>(c.from[0]), t.get<T>(c.from[1])));
  }
};

template <class Compute>
struct Unary {
  template <class T>
  static void run(Thread& t, const Code& c) {
    t.set<T>(c.to[0], Compute::template of<T>(t.get<T>(c.from[0])));
  }
};

/// Wraps for integers.
// NOLINTBEGIN(bugprone-macro-parentheses): an operator.
#define RONDO_ARITHMETIC(Name, operation)                                           \
  struct Name {                                                                     \
    template <class T>                                                              \
    static T of(T a, T b) {                                                         \
      if constexpr (std::is_integral_v<T>) {                                        \
        using Wide = std::uint64_t;                                                 \
        return static_cast<T>(static_cast<Wide>(a) operation static_cast<Wide>(b)); \
      } else {                                                                      \
        return a operation b;                                                       \
      }                                                                             \
    }                                                                               \
  };
// NOLINTEND(bugprone-macro-parentheses)
RONDO_ARITHMETIC(Add, +)
RONDO_ARITHMETIC(Sub, -)
RONDO_ARITHMETIC(Mul, *)
#undef RONDO_ARITHMETIC

struct Div {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) {
        return static_cast<T>(-1);
      }
      return b == static_cast<T>(-1) && std::is_signed_v<T> ? Sub::of<T>(0, a)
                                                            : static_cast<T>(a / b);
    } else {
      return a / b;
    }
  }
};
struct Rem {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) {
      return a;
    }
    return b == static_cast<T>(-1) && std::is_signed_v<T> ? T{0} : static_cast<T>(a % b);
  }
};
/// Of a NaN and a number the number.
struct Min {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return a < b ? a : b;
    } else {
      return std::isnan(a) ? b : std::isnan(b) ? a : (a < b || (a == b && std::signbit(a))) ? a : b;
    }
  }
};
struct Max {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return a > b ? a : b;
    } else {
      return std::isnan(a) ? b : std::isnan(b) ? a : (a > b || (a == b && std::signbit(b))) ? a : b;
    }
  }
};
struct And {
  template <class T>
  static T of(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T of(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T of(T a, T b) {
    return a ^ b;
  }
};
struct MulHigh {
  template <class T>
  static T of(T a, T b) {
    __extension__ using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((static_cast<Wide>(a) * b) >> (8 * sizeof(T)));
  }
};
struct CopySign {
  template <class T>
  static T of(T sign, T size) {
    return std::copysign(size, sign);
  }
};

struct Neg {
  template <class T>
  static T of(T a) {
    if constexpr (std::is_integral_v<T>) {
      return Sub::of<T>(0, a);
    } else {
      return -a;
    }
  }
};
struct Abs {
  template <class T>
  static T of(T a) {
    if constexpr (std::is_unsigned_v<T>) {
      return a;
    } else if constexpr (std::is_integral_v<T>) {
      return a < 0 ? Sub::of<T>(0, a) : a;
    } else {
      return std::fabs(a);
    }
  }
};
struct Not {
  template <class T>
  static T of(T a) {
    return static_cast<T>(~a);
  }
};
struct Sqrt {
  template <class T>
  static T of(T a) {
    return std::sqrt(a);
  }
};
struct Rcp {
  template <class T>
  static T of(T a) {
    return 1 / a;
  }
};
struct Move {
  template <class T>
  static T of(T a) {
    return a;
  }
};

/// Counts of the width or more give 0, or the sign.
struct Shl {
  template <class T>
  static void run(Thread& t, const Code& c) {
    const auto count = t.get<std::uint32_t>(c.from[1]);
    const auto value = static_cast<Unsigned<T>>(t.get<T>(c.from[0]));
    t.set<T>(c.to[0], count >= 8 * sizeof(T) ? T{0} : static_cast<T>(value << count));
  }
};
struct Shr {
  template <class T>
  static void run(Thread& t, const Code& c) {
    const unsigned most = 8 * sizeof(T) - 1;
    const auto count = t.get<std::uint32_t>(c.from[1]);
    const T value = t.get<T>(c.from[0]);
    const T sign = std::is_signed_v<T> && (value >> most) != 0 ? static_cast<T>(-1) : T{0};
    t.set<T>(c.to[0], count > most ? sign : static_cast<T>(value >> count));
  }
};

struct Fma {
  template <class T>
  static void run(Thread& t, const Code& c) {
    t.set<T>(c.to[0], std::fma(t.get<T>(c.from[0]), t.get<T>(c.from[1]), t.get<T>(c.from[2])));
  }
};
struct MadLow {
  template <class T>
  static void run(Thread& t, const Code& c) {
    t.set<T>(c.to[0],
             Add::of<T>(Mul::of<T>(t.get<T>(c.from[0]), t.get<T>(c.from[1])), t.get<T>(c.from[2])));
  }
};
template <bool Adds>
struct Wide {
  template <class T>
  static void run(Thread& t, const Code& c) {
    using To =
        std::conditional_t<sizeof(T) == 4,
                           std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                           std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>;
    To product = Mul::of<To>(t.get<T>(c.from[0]), t.get<T>(c.from[1]));
    if constexpr (Adds) {
      product = Add::of<To>(product, t.get<To>(c.from[2]));
    }
    t.set<To>(c.to[0], product);
  }
};

/// With the carry (or borrow) of the instruction before, and leaving one.
template <bool Subtracts, bool TakesCarry>
struct Carrying {
  template <class T>
  static void run(Thread& t, const Code& c) {
    using U = Unsigned<T>;
    const U a = static_cast<U>(t.get<T>(c.from[0]));
    const U b = static_cast<U>(t.get<T>(c.from[1]));
    const U in = TakesCarry ? static_cast<U>(t.carry) : U{0};
    const U result = Subtracts ? static_cast<U>(a - b - in) : static_cast<U>(a + b + in);
    t.carry = Subtracts ? (a < b || (a == b && in != 0)) : (result < a || (in != 0 && result == a));
    t.set<T>(c.to[0], static_cast<T>(result));
  }
};

struct Select {
  template <class T>
  static void run(Thread& t, const Code& c) {
    t.set<T>(c.to[0], t.predicate(c.from[2]) ? t.get<T>(c.from[0]) : t.get<T>(c.from[1]));
  }
};

struct CountZeros {
  template <class T>
  static void run(Thread& t, const Code& c) {
    const auto value = static_cast<Unsigned<T>>(t.get<T>(c.from[0]));
    t.set<std::uint32_t>(c.to[0], static_cast<std::uint32_t>(std::countl_zero(value)));
  }
};
struct CountOnes {
  template <class T>
  static void run(Thread& t, const Code& c) {
    const auto value = static_cast<Unsigned<T>>(t.get<T>(c.from[0]));
    t.set<std::uint32_t>(c.to[0], static_cast<std::uint32_t>(std::popcount(value)));
  }
};

/// Bits from[2] of from[0] from bit from[1] on.
struct ExtractBits {
  template <class T>
  static void run(Thread& t, const Code& c) {
    const int width = 8 * static_cast<int>(sizeof(T));
    const int begin = t.get<std::uint8_t>(c.from[1]);
    const int count = t.get<std::uint8_t>(c.from[2]);
    const auto value = static_cast<Unsigned<T>>(t.get<T>(c.from[0]));
    Unsigned<T> result = 0;
    const int last = begin + count - 1 < width - 1 ? begin + count - 1 : width - 1;
    const bool sign = count != 0 && std::is_signed_v<T> && ((value >> last) & 1U) != 0;
    for (int i = 0; i < width; ++i) {
      const bool bit = i < count && begin + i < width ? ((value >> (begin + i)) & 1U) != 0 : sign;
      result |= static_cast<Unsigned<T>>(Unsigned<T>{bit} << i);
    }
    t.set<T>(c.to[0], static_cast<T>(result));
  }
};

/// from[1] with the low from[3] bits of from[0] at bit from[2].
struct InsertBits {
  template <class T>
  static void run(Thread& t, const Code& c) {
    const unsigned width = 8 * sizeof(T);
    const unsigned begin = t.get<std::uint8_t>(c.from[2]);
    const unsigned count = t.get<std::uint8_t>(c.from[3]);
    const auto value = static_cast<Unsigned<T>>(t.get<T>(c.from[0]));
    auto result = static_cast<Unsigned<T>>(t.get<T>(c.from[1]));
    for (unsigned i = 0; i < count && begin + i < width; ++i) {
      const auto bit = static_cast<Unsigned<T>>(Unsigned<T>{1} << (begin + i));
      result = static_cast<Unsigned<T>>((value >> i & 1U) != 0 ? result | bit : result & ~bit);
    }
    t.set<T>(c.to[0], static_cast<T>(result));
  }
};

/// Bytes of from[1]:from[0] that the four digits of from[2] name.
void permute(Thread& t, const Code& c) {
  const std::uint64_t bytes =
      t.get<std::uint32_t>(c.from[0]) | std::uint64_t{t.get<std::uint32_t>(c.from[1])} << 32U;
  const auto selectors = t.get<std::uint32_t>(c.from[2]);
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned selector = (selectors >> (4 * i)) & 15U;
    auto byte = static_cast<std::uint32_t>((bytes >> (8 * (selector & 7U))) & 0xFFU);
    if ((selector & 8U) != 0) {
      byte = (byte & 0x80U) != 0 ? 0xFFU : 0;
    }
    result |= byte << (8 * i);
  }
  t.set<std::uint32_t>(c.to[0], result);
}

template <bool Left>
void funnel(Thread& t, const Code& c) {
  const std::uint64_t both =
      t.get<std::uint32_t>(c.from[0]) | std::uint64_t{t.get<std::uint32_t>(c.from[1])} << 32U;
  const unsigned count = t.get<std::uint32_t>(c.from[2]) & 31U;
  t.set<std::uint32_t>(c.to[0],
                       static_cast<std::uint32_t>(Left ? (both << count) >> 32U : both >> count));
}

/// mov.b64 of a pair of registers.
template <class Whole, class Half>
void join(Thread& t, const Code& c) {
  const Whole low = t.get<Half>(c.from[0]);
  const Whole high = t.get<Half>(c.from[1]);
  t.set<Whole>(c.to[0], static_cast<Whole>(low | high << (8 * sizeof(Half))));
}
template <class Whole, class Half>
void divide(Thread& t, const Code& c) {
  const auto whole = t.get<Whole>(c.from[0]);
  t.set<Half>(c.to[0], static_cast<Half>(whole));
  t.set<Half>(c.to[1], static_cast<Half>(whole >> (8 * sizeof(Half))));
}

Handler find_move(Code& code) {
  const bool joins = code.from[1] >= 0;
  const bool divides = code.to[1] >= 0;
  if (type_bytes(code.type) == 8) {
    return joins     ? &join<std::uint64_t, std::uint32_t>
           : divides ? &divide<std::uint64_t, std::uint32_t>
                     : &Unary<Move>::run<std::uint64_t>;
  }
  if (type_bytes(code.type) == 4) {
    return joins     ? &join<std::uint32_t, std::uint16_t>
           : divides ? &divide<std::uint32_t, std::uint16_t>
                     : &Unary<Move>::run<std::uint32_t>;
  }
  return code.type == Type::pred ? &Unary<Move>::run<std::uint64_t>
                                 : &Unary<Move>::run<std::uint16_t>;
}

void not_predicate(Thread& t, const Code& c) {
  t.set<std::uint64_t>(c.to[0], t.predicate(c.from[0]) ? 0 : 1);
}

template <class Op>
Handler numbers(Type type) {
  return type == Type::f32 || type == Type::f64 ? floats<Op>(type) : integers<Op>(type);
}

/// Predicates are 0 or 1 in a whole slot.
template <class Op>
Handler bits(Type type) {
  return type == Type::pred ? &Op::template run<std::uint64_t> : integers<Op>(type);
}

template <Handler handler>
Handler always(Type) {
  return handler;
}

struct Row {
  const char* name;
  Handler (*find)(Type);
};
constexpr Row kRows[] = {
    {"add", &numbers<Binary<Add>>},
    {"sub", &numbers<Binary<Sub>>},
    {"mul", &floats<Binary<Mul>>},
    {"mul.lo", &integers<Binary<Mul>>},
    {"mul.hi", &integers<Binary<MulHigh>>},
    {"mul.wide", &narrow_integers<Wide<false>>},
    {"mad.wide", &narrow_integers<Wide<true>>},
    {"mad.lo", &integers<MadLow>},
    {"fma", &floats<Fma>},
    {"div", &numbers<Binary<Div>>},
    {"rem", &integers<Binary<Rem>>},
    {"min", &numbers<Binary<Min>>},
    {"max", &numbers<Binary<Max>>},
    {"neg", &numbers<Unary<Neg>>},
    {"abs", &numbers<Unary<Abs>>},
    {"sqrt", &floats<Unary<Sqrt>>},
    {"rcp", &floats<Unary<Rcp>>},
    {"copysign", &floats<Binary<CopySign>>},
    {"and", &bits<Binary<And>>},
    {"or", &bits<Binary<Or>>},
    {"xor", &bits<Binary<Xor>>},
    {"not", &integers<Unary<Not>>},
    {"shl", &integers<Shl>},
    {"shr", &integers<Shr>},
    {"selp", &numbers<Select>},
    {"clz", &integers<CountZeros>},
    {"popc", &integers<CountOnes>},
    {"bfe", &integers<ExtractBits>},
    {"bfi", &integers<InsertBits>},
    {"prmt", &always<&permute>},
    {"shf.l.wrap", &always<&funnel<true>>},
    {"shf.r.wrap", &always<&funnel<false>>},
    {"add.cc", &integers<Carrying<false, false>>},
    {"addc", &integers<Carrying<false, true>>},
    {"addc.cc", &integers<Carrying<false, true>>},
    {"sub.cc", &integers<Carrying<true, false>>},
    {"subc", &integers<Carrying<true, true>>},
    {"subc.cc", &integers<Carrying<true, true>>},
};

}  // namespace

Handler find_arithmetic(const std::string& name, Code& code) {
  if (name == "mov") {
    return find_move(code);
  }
  if (name == "not" && code.type == Type::pred) {
    return &not_predicate;
  }
  for (const Row& row : kRows) {
    if (name == row.name) {
      return row.find(code.type);
    }
  }
  return nullptr;
}

}  // namespace rondo::ptx
