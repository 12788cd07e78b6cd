// Elements in memory and the parameters of a generated kernel.
#pragma once

#include <cstdint>

#include "codegen/scalar/functions.h"

#define RONDO_DEVICE __device__ __forceinline__

namespace rondo::codegen::device {

using I32 = std::int32_t;
using I64 = std::int64_t;
using F32 = float;
using F64 = double;

/// A dtype: how it lies in memory, and the register class that computes with it.
template <class M, class V>
struct Plain {
  using Memory = M;
  using Value = V;
  RONDO_DEVICE static V widen(M memory) { return static_cast<V>(memory); }
  RONDO_DEVICE static M narrow(V value) { return static_cast<M>(value); }
};

using Bool = Plain<std::uint8_t, I32>;
using Uint8 = Plain<std::uint8_t, I32>;
using Int8 = Plain<std::int8_t, I32>;
using Int16 = Plain<std::int16_t, I32>;
using Int32 = Plain<I32, I32>;
using Int64 = Plain<I64, I64>;
using Float32 = Plain<F32, F32>;
using Float64 = Plain<F64, F64>;

struct Float16 {
  using Memory = std::uint16_t;
  using Value = F32;
  RONDO_DEVICE static F32 widen(Memory memory) {
    F32 value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(memory));
    return value;
  }
  RONDO_DEVICE static Memory narrow(F32 value) {
    Memory memory;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(memory) : "f"(value));
    return memory;
  }
};

struct Bfloat16 {
  using Memory = std::uint16_t;
  using Value = F32;
  RONDO_DEVICE static F32 widen(Memory memory) {
    return __builtin_bit_cast(F32, static_cast<std::uint32_t>(memory) << 16);
  }
  RONDO_DEVICE static Memory narrow(F32 value) {
    return static_cast<Memory>(__builtin_bit_cast(std::uint32_t, value) >> 16);
  }
};

template <class T>
RONDO_DEVICE typename T::Value load(const char* address) {
  return T::widen(*reinterpret_cast<const typename T::Memory*>(address));
}

template <class T>
RONDO_DEVICE void store(char* address, typename T::Value value) {
  *reinterpret_cast<typename T::Memory*>(address) = T::narrow(value);
}

/// Neighbouring elements that one instruction moves: at most 16 bytes.
template <class T, int Width>
struct alignas(sizeof(typename T::Memory) * Width) Pack {
  typename T::Memory at[Width];
};

template <class T, int Width>
RONDO_DEVICE Pack<T, Width> load_pack(const char* address) {
  return *reinterpret_cast<const Pack<T, Width>*>(address);
}

template <class T, int Width>
RONDO_DEVICE void store_pack(char* address, const Pack<T, Width>& pack) {
  *reinterpret_cast<Pack<T, Width>*>(address) = pack;
}

/// An operand: its address at the origin, and strides in bytes.
template <int Loops>
struct Operand {
  char* data;
  I64 row;
  I64 outer;
  I64 col;
  I64 loop[Loops];
};

/// Words of 8 bytes throughout; `pack_parameters` in call.h writes them. Arrays have at least one
/// item.
template <int Operands, int Scalars, int Loops>
struct Parameters {
  I64 rows;  // of one iteration of the loops around them
  I64 outer;
  I64 cols;
  I64 all_rows;  // of all iterations
  I64 first_index;
  char* scratch;
  I64 loop_size[Loops];
  std::uint64_t scalar[Scalars];
  Operand<Loops> operand[Operands];
};

template <class T>
RONDO_DEVICE T scalar_parameter(std::uint64_t bits) {
  if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T, static_cast<std::uint32_t>(bits));
  } else {
    return __builtin_bit_cast(T, bits);
  }
}

}  // namespace rondo::codegen::device
