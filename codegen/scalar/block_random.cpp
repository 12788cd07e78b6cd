// The block loops of random numbers: the words of a piece by vector instructions, which GCC does
// not find for products of 32 by 32 bits, then the operation on them.
#include <immintrin.h>

#include "codegen/scalar/block_loop.h"
#include "codegen/scalar/philox.h"

namespace rondo::codegen::inline RONDO_ISA {

using Wide = std::uint64_t __attribute__((vector_size(32)));
constexpr std::int64_t kWideLanes = sizeof(Wide) / 8;
constexpr std::int64_t kPiece = 128;
static_assert(kPiece % kWideLanes == 0);

struct WideProduct {
  RONDO_FUNCTION Wide of(Wide x, Wide factor) {
    return reinterpret_cast<Wide>(
        _mm256_mul_epu32(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(factor)));
  }
};

RONDO_FUNCTION Wide load_wide(const std::uint64_t* from) {
  return reinterpret_cast<Wide>(_mm256_load_si256(reinterpret_cast<const __m256i*>(from)));
}

RONDO_FUNCTION void store_wide(std::uint64_t* to, Wide value) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(value));
}

/// n words of each kind, or one operand of n elements, in whole vectors.
struct alignas(64) Column {
  std::uint64_t at[kPiece];

  void copy(std::int64_t n, const void* from, std::int64_t begin) {
    __builtin_memcpy(at, static_cast<const std::uint64_t*>(from) + begin,
                     static_cast<std::size_t>(n) * 8);
  }
};

void philox_piece(std::int64_t n, Column (&words)[4], const Column (&operands)[3]) {
  scalar::PhiloxConstants<Wide> constants;
  // Hidden from GCC, which would compute ten pairs of keys and make each anew for every vector.
  asm("" : "+x"(constants.step0), "+x"(constants.step1));
  for (std::int64_t i = 0; i < n; i += kWideLanes) {
    const scalar::Words<Wide> out =
        scalar::philox<WideProduct>(load_wide(operands[0].at + i), load_wide(operands[1].at + i),
                                    load_wide(operands[2].at + i), constants);
    store_wide(words[0].at + i, out.at0);
    store_wide(words[1].at + i, out.at1);
    store_wide(words[2].at + i, out.at2);
    store_wide(words[3].at + i, out.at3);
  }
}

template <class Operation, class Out>
void random_loop(std::int64_t n, void* out, const void* seed, const void* offset,
                 const void* index) {
  const auto operation = [](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d)
                             __attribute__((always_inline)) {
                               return Operation::of(scalar::Words<std::uint64_t>{a, b, c, d});
                             };
  Column operands[3] = {};
  Column words[4];
  for (std::int64_t begin = 0; begin < n; begin += kPiece) {
    const std::int64_t count = n - begin < kPiece ? n - begin : kPiece;
    operands[0].copy(count, seed, begin);
    operands[1].copy(count, offset, begin);
    operands[2].copy(count, index, begin);
    philox_piece(count, words, operands);
    auto* const result = static_cast<Out*>(out) + begin;
    for (std::int64_t i = 0; i < count; ++i) {
      result[i] = operation(words[0].at[i], words[1].at[i], words[2].at[i], words[3].at[i]);
    }
  }
}

template <ScalarOp Op, class Operation>
void set_random(BlockTable& table) {
  table.functions[static_cast<int>(Op)][static_cast<int>(Reg::i64)] =
      random_loop<Operation, Register<scalar_op_result(Op, Reg::i64)>>;
}

}  // namespace rondo::codegen::inline RONDO_ISA

RONDO_BLOCK_FAMILY(random) {
  set_random<ScalarOp::random_i32, scalar::RandomI32>(table);
  set_random<ScalarOp::uniform_f32, scalar::UniformF32>(table);
  set_random<ScalarOp::uniform_f64, scalar::UniformF64>(table);
  set_random<ScalarOp::normal_f32, scalar::NormalF32>(table);
  set_random<ScalarOp::normal_f64, scalar::NormalF64>(table);
}
