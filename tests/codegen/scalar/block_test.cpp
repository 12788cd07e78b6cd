#include "codegen/scalar/block.h"

#include <gtest/gtest.h>

#include <random>

#include "core/base/error.h"
#include "tests/codegen/scalar/apply.h"
#include "tests/support/check_error.h"
#include "tests/support/settings.h"

namespace rondo::codegen {
namespace {

constexpr std::int64_t kMany = 1024;

/// Registers of random numbers, some of them huge, tiny or not numbers.
template <class T>
std::vector<T> mixed_values(std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::vector<T> values(kMany);
  for (T& value : values) {
    const std::uint64_t word = bits();
    if (word % 3 == 0) {
      std::memcpy(&value, &word, sizeof(T));
    } else {
      value = static_cast<T>(static_cast<double>(word >> 32) * 0x1p-28 - 8.0);
    }
  }
  return values;
}

template <class T>
void check_lengths(ScalarOp op) {
  const bool flag_first = scalar_op_info(op).kind == ScalarKind::select;
  Registers a(mixed_values<T>(1));
  const Registers flags(mixed_values<std::int32_t>(2));
  Registers b(mixed_values<T>(3));
  Registers c(mixed_values<T>(4));
  if (flag_first) {
    std::memcpy(a.data(), const_cast<Registers&>(flags).data(), kMany * 4);
  }
  const BlockFunction function = block_function(op, kRegOf<T>);
  const auto bytes = static_cast<std::size_t>(reg_bytes(scalar_op_result(op, kRegOf<T>)));
  Registers all(kMany * bytes);
  function(kMany, all.data(), a.data(), b.data(), c.data());
  const auto expected = all.values<unsigned char>(kMany * bytes);
  for (std::int64_t n = 1; n <= 67; ++n) {
    const auto used = static_cast<std::size_t>(n) * bytes;
    Registers some(used);
    function(n, some.data(), a.data(), b.data(), c.data());
    auto actual = some.values<unsigned char>(used + 64);
    ASSERT_EQ(std::memcmp(actual.data(), expected.data(), used), 0) << n << " elements";
    for (std::size_t i = used; i < used + 64; ++i) {
      ASSERT_EQ(actual[i], 0x5A) << "written behind " << n << " elements";
    }
    if (bytes == sizeof(T)) {
      Registers in_place(b.values<T>(kMany));
      function(n, in_place.data(), a.data(), in_place.data(), c.data());
      if (scalar_op_info(op).arity == 1) {
        Registers operand(a.values<T>(kMany));
        function(n, operand.data(), operand.data(), nullptr, nullptr);
        std::memcpy(in_place.data(), operand.data(), used);
      }
      actual = in_place.values<unsigned char>(used);
      ASSERT_EQ(std::memcmp(actual.data(), expected.data(), used), 0) << n << " in place";
    }
  }
}

TEST(Block, GivesTheSameBitsAtEveryLengthAndInPlace) {
  for (int i = 0; i < kScalarOpCount; ++i) {
    const auto op = static_cast<ScalarOp>(i);
    SCOPED_TRACE(scalar_op_info(op).name);
    if (scalar_op_takes(op, Reg::i32)) {
      check_lengths<std::int32_t>(op);
    }
    if (scalar_op_takes(op, Reg::i64)) {
      check_lengths<std::int64_t>(op);
    }
    if (scalar_op_takes(op, Reg::f32)) {
      check_lengths<float>(op);
    }
    if (scalar_op_takes(op, Reg::f64)) {
      check_lengths<double>(op);
    }
  }
}

TEST(Block, HasALoopForEachClassThatAnOperationTakesAndForNoOther) {
  for (const Isa isa : available_isas()) {
    const BlockTable& table = block_table(isa);
    for (int i = 0; i < kScalarOpCount; ++i) {
      for (int reg = 0; reg < kRegCount; ++reg) {
        EXPECT_EQ(table.functions[i][reg] != nullptr,
                  scalar_op_takes(static_cast<ScalarOp>(i), static_cast<Reg>(reg)))
            << kScalarOps[i].name << " on class " << reg;
      }
    }
  }
}

TEST(Block, RefusesAClassThatAnOperationDoesNotTake) {
  check_error<InternalError>([] { block_function(ScalarOp::exp, Reg::i32); },
                             "internal: block: an op on a class that it does not take: this is a "
                             "defect of Rondo; please report it");
}

}  // namespace
}  // namespace rondo::codegen
