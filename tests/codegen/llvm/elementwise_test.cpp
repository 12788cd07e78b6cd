#include <gtest/gtest.h>

#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include "tests/codegen/llvm/compiled.h"
#include "tests/support/kernel_builder.h"
#include "tests/support/same_bits.h"
#include "tests/support/settings.h"

namespace rondo::codegen {
namespace {

/// out = (x * s + y) * x - y * y + x
Kernel chain() {
  KernelBuilder b;
  const int x = b.load(Dtype::float32);
  const int y = b.load(Dtype::float32);
  const int scaled = b.op(ScalarOp::mul, x, b.scalar(Reg::f32));
  const int product = b.op(ScalarOp::mul, b.op(ScalarOp::add, scaled, y), x);
  const int difference = b.op(ScalarOp::sub, product, b.op(ScalarOp::mul, y, y));
  b.store(b.op(ScalarOp::add, difference, x), Dtype::float32);
  return b.kernel();
}

std::byte* bytes_of(std::vector<float>& values) {
  return reinterpret_cast<std::byte*>(values.data());
}

/// Runs the chain on rows x cols elements: x in steps of `step` elements, y one per row.
void check_chain(KernelFunction function, std::int64_t rows, std::int64_t cols, std::int64_t step) {
  std::vector<float> x(static_cast<std::size_t>(rows * cols * step));
  std::vector<float> y(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 97) * 0.37F - 11.0F;
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = static_cast<float>(i) * 0.71F - 1.0F;
  }
  std::vector<float> got(static_cast<std::size_t>(rows * cols) + 16, -1.0F);
  std::vector<float> want = got;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < cols; ++c) {
      const float a = x[static_cast<std::size_t>((r * cols + c) * step)];
      const float b = y[static_cast<std::size_t>(r)];
      want[static_cast<std::size_t>(r * cols + c)] = (a * 0.5F + b) * a - b * b + a;
    }
  }
  std::byte* data[] = {bytes_of(x), bytes_of(y), bytes_of(got)};
  const std::int64_t row_stride[] = {cols * step * 4, 4, cols * 4};
  const std::int64_t outer_stride[] = {0, 0, 0};
  const std::int64_t col_stride[] = {step * 4, 0, 4};
  const std::uint64_t scalars[] = {0x3F000000};
  KernelArgs args;
  args.data = data;
  args.row_stride = row_stride;
  args.outer_stride = outer_stride;
  args.col_stride = col_stride;
  args.scalars = scalars;
  args.rows = rows;
  args.cols = cols;
  function(&args);
  EXPECT_EQ(count_different(got, want), 0U) << rows << " x " << cols << ", step " << step;
}

TEST(LlvmElementwise, TakesAnyLengthAndStrideAndWritesNothingBeyondTheEnd) {
  for (const Isa isa : available_isas()) {
    for (const StrideClass stride : {StrideClass::unit, StrideClass::any}) {
      const Variant variant{Schedule::rows, {stride, StrideClass::zero, StrideClass::unit}};
      const std::unique_ptr<LoadedCode> loaded = compile_and_load(chain(), variant, isa);
      for (std::int64_t cols = 0; cols < 68; ++cols) {
        check_chain(loaded->function(), 3, cols, stride == StrideClass::unit ? 1 : 5);
      }
      check_chain(loaded->function(), 0, 10, 1);
      check_chain(loaded->function(), 1, 10007, 1);
    }
  }
}

TEST(LlvmElementwise, RunsWhereverItsBytesAreCopiedTo) {
  const Variant variant{Schedule::rows, {StrideClass::unit, StrideClass::zero, StrideClass::unit}};
  const MachineCode code = llvm_target_of_test().compile(chain(), variant, current_isa());
  MachineCode moved;
  moved.bytes.resize(640);
  moved.bytes.insert(moved.bytes.end(), code.bytes.begin(), code.bytes.end());
  moved.entry = code.entry + 640;
  check_chain(load_code(moved)->function(), 2, 37, 1);
}

TEST(LlvmElementwise, HasAnIdentityForCacheKeys) {
  const std::string identity = llvm_target_of_test().identity();
  EXPECT_TRUE(std::regex_match(
      identity,
      std::regex("llvm 19\\.1\\.[0-9]+ generator [0-9a-f]{16} scalar [0-9a-f]{16} [0-9a-f]{16}")))
      << identity;
}

}  // namespace
}  // namespace rondo::codegen
