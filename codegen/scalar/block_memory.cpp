// The block loops between memory and registers.
#include <immintrin.h>

#include <cstdint>

#include "codegen/scalar/block_loop.h"

namespace rondo::codegen::inline RONDO_ISA {

/// What stands in memory: of any alignment, and reached through any pointer.
template <class T>
struct [[gnu::packed, gnu::may_alias]] Stored {
  T value;
};

/// Elements that are gathered or scattered at a time.
constexpr std::int64_t kPiece = 256;

/// How elements of one dtype, stored as Memory, become registers and back: here by value.
template <class Memory, class Register>
struct Same {
  using MemoryType = Memory;
  using RegisterType = Register;
  static void widen(std::int64_t n, Register* out, const Stored<Memory>* in) {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = static_cast<Register>(in[i].value);
    }
  }
  static void narrow(std::int64_t n, Stored<Memory>* out, const Register* in) {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i].value = static_cast<Memory>(in[i]);
    }
  }
};

/// Any byte but 0 is true.
struct Boolean : Same<std::uint8_t, std::int32_t> {
  static void widen(std::int64_t n, std::int32_t* out, const Stored<std::uint8_t>* in) {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = in[i].value != 0 ? 1 : 0;
    }
  }
};

struct Bfloat16 {
  using MemoryType = std::uint16_t;
  using RegisterType = float;
  static void widen(std::int64_t n, float* out, const Stored<std::uint16_t>* in) {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = __builtin_bit_cast(float, static_cast<std::uint32_t>(in[i].value) << 16);
    }
  }
  static void narrow(std::int64_t n, Stored<std::uint16_t>* out, const float* in) {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i].value = static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, in[i]) >> 16);
    }
  }
};

/// By the instructions of F16C, which are exact here: the values are representable.
struct Float16 {
  using MemoryType = std::uint16_t;
  using RegisterType = float;
  static void widen(std::int64_t n, float* out, const Stored<std::uint16_t>* in) {
    std::int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
      const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i));
      _mm256_storeu_ps(out + i, _mm256_cvtph_ps(packed));
    }
    for (; i < n; ++i) {
      out[i] = _cvtsh_ss(in[i].value);
    }
  }
  static void narrow(std::int64_t n, Stored<std::uint16_t>* out, const float* in) {
    std::int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
      const __m128i packed = _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), packed);
    }
    for (; i < n; ++i) {
      out[i].value = _cvtss_sh(in[i], _MM_FROUND_TO_NEAREST_INT);
    }
  }
};

/// Strided elements are gathered into a contiguous piece first.
template <class Kind>
void load(std::int64_t n, void* registers, const void* memory, std::int64_t stride_bytes) {
  using Memory = typename Kind::MemoryType;
  auto* const out = static_cast<typename Kind::RegisterType*>(registers);
  const auto* const in = static_cast<const char*>(memory);
  if (stride_bytes == static_cast<std::int64_t>(sizeof(Memory))) {
    Kind::widen(n, out, static_cast<const Stored<Memory>*>(memory));
    return;
  }
  if (stride_bytes == 0 && n > 0) {
    typename Kind::RegisterType value;
    Kind::widen(1, &value, static_cast<const Stored<Memory>*>(memory));
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = value;
    }
    return;
  }
  Stored<Memory> piece[kPiece];
  for (std::int64_t begin = 0; begin < n; begin += kPiece) {
    const std::int64_t count = n - begin < kPiece ? n - begin : kPiece;
    for (std::int64_t i = 0; i < count; ++i) {
      piece[i] = *reinterpret_cast<const Stored<Memory>*>(in + (begin + i) * stride_bytes);
    }
    Kind::widen(count, out + begin, piece);
  }
}

template <class Kind>
void store(std::int64_t n, void* memory, std::int64_t stride_bytes, const void* registers) {
  using Memory = typename Kind::MemoryType;
  const auto* const in = static_cast<const typename Kind::RegisterType*>(registers);
  auto* const out = static_cast<char*>(memory);
  if (stride_bytes == static_cast<std::int64_t>(sizeof(Memory))) {
    Kind::narrow(n, static_cast<Stored<Memory>*>(memory), in);
    return;
  }
  Stored<Memory> piece[kPiece];
  for (std::int64_t begin = 0; begin < n; begin += kPiece) {
    const std::int64_t count = n - begin < kPiece ? n - begin : kPiece;
    Kind::narrow(count, piece, in + begin);
    for (std::int64_t i = 0; i < count; ++i) {
      *reinterpret_cast<Stored<Memory>*>(out + (begin + i) * stride_bytes) = piece[i];
    }
  }
}

template <Dtype D, class Kind>
void set_memory(BlockTable& table) {
  table.loads[static_cast<int>(D)] = load<Kind>;
  table.stores[static_cast<int>(D)] = store<Kind>;
}

}  // namespace rondo::codegen::inline RONDO_ISA

RONDO_BLOCK_FAMILY(memory) {
  set_memory<Dtype::boolean, Boolean>(table);
  set_memory<Dtype::uint8, Same<std::uint8_t, std::int32_t>>(table);
  set_memory<Dtype::int8, Same<std::int8_t, std::int32_t>>(table);
  set_memory<Dtype::int16, Same<std::int16_t, std::int32_t>>(table);
  set_memory<Dtype::int32, Same<std::int32_t, std::int32_t>>(table);
  set_memory<Dtype::int64, Same<std::int64_t, std::int64_t>>(table);
  set_memory<Dtype::float16, Float16>(table);
  set_memory<Dtype::bfloat16, Bfloat16>(table);
  set_memory<Dtype::float32, Same<float, float>>(table);
  set_memory<Dtype::float64, Same<double, double>>(table);
}
