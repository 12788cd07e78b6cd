#include "codegen/interpreter/interpreter.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/canonical.h"
#include "tests/support/kernel_builder.h"
#include "tests/support/random_kernel.h"
#include "tests/support/reference_kernel.h"
#include "tests/support/settings.h"

namespace rondo::codegen {
namespace {

std::string difference_from_reference(const KernelCase& kernel_case) {
  CaseRun expected(kernel_case, Schedule::rows);
  run_reference(kernel_case.kernel, expected.args());
  for (const Isa isa : available_isas()) {
    const IsaSetting setting(isa);
    const InterpretedKernel kernel(kernel_case.kernel);
    for (const Schedule schedule : {Schedule::rows, Schedule::columns}) {
      CaseRun got(kernel_case, schedule);
      kernel.run(got.args(), schedule);
      const std::string text = difference(kernel_case, got, expected);
      if (!text.empty()) {
        return std::string(isa_name(isa)) + (schedule == Schedule::rows ? " rows " : " columns ") +
               text;
      }
    }
  }
  return {};
}

TEST(Interpreter, GivesTheBitsOfTheReferenceOnRandomKernels) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    ASSERT_EQ(difference_from_reference(random_kernel(seed)), "") << "seed " << seed;
  }
}

/// A case of one load and one reduction over rows x outer x cols, with a row store of the result.
KernelCase reduction_case(ReduceKind kind, std::int64_t rows, std::int64_t outer, std::int64_t cols,
                          bool rows_innermost) {
  KernelBuilder builder;
  const int result = builder.reduce(kind, builder.load(Dtype::float32));
  const Dtype dtype = builder.instr(result).reg == Reg::i64 ? Dtype::int64 : Dtype::float32;
  builder.store(result, dtype, Level::row);
  KernelCase kernel_case;
  kernel_case.kernel = builder.kernel();
  kernel_case.rows = rows;
  kernel_case.outer = outer;
  kernel_case.cols = cols;
  const std::int64_t item = rows_innermost ? rows : 1;
  kernel_case.operands = {
      {0, 0, (rows_innermost ? 1 : outer * cols) * 4, cols * item * 4, item * 4},
      {1, 0, size_bytes(dtype, 1), 0, 0}};
  kernel_case.dtypes = {Dtype::float32, dtype};
  kernel_case.buffers.emplace_back(static_cast<std::size_t>(rows * outer * cols * 4));
  kernel_case.buffers.emplace_back(static_cast<std::size_t>(rows * size_bytes(dtype, 1)));
  RandomNumbers random(1);
  fill_random(kernel_case.buffers[0], Dtype::float32, false, random);
  return kernel_case;
}

TEST(Interpreter, FindsPlacesFarIntoARow) {
  EXPECT_EQ(difference_from_reference(reduction_case(ReduceKind::argmax, 2, 5000, 120, false)), "");
  EXPECT_EQ(difference_from_reference(reduction_case(ReduceKind::argmin, 9, 7, 9000, true)), "");
}

/// out = x + y, or the sum of x + y over a row. Strides in elements.
KernelCase windows_case(std::int64_t rows, std::int64_t cols, CaseOperand x, CaseOperand y,
                        bool reduces) {
  KernelBuilder builder;
  const int sum =
      builder.op(ScalarOp::add, builder.load(Dtype::float32), builder.load(Dtype::float32));
  KernelCase kernel_case;
  if (reduces) {
    builder.store(builder.reduce(ReduceKind::sum, sum), Dtype::float32, Level::row);
  } else {
    builder.store(sum, Dtype::float32);
  }
  kernel_case.kernel = builder.kernel();
  kernel_case.rows = rows;
  kernel_case.cols = cols;
  const CaseOperand out{2, 0, reduces ? 1 : cols, 0, reduces ? 0 : 1};
  RandomNumbers random(1);
  for (CaseOperand operand : {x, y, out}) {
    const std::int64_t size = (rows - 1) * operand.row_stride + (cols - 1) * operand.col_stride + 1;
    operand.row_stride *= 4;
    operand.col_stride *= 4;
    kernel_case.operands.push_back(operand);
    kernel_case.dtypes.push_back(Dtype::float32);
    kernel_case.buffers.emplace_back(static_cast<std::size_t>(size * 4));
    fill_random(kernel_case.buffers.back(), Dtype::float32, false, random);
  }
  return kernel_case;
}

TEST(Interpreter, ReadsOverlappingWindowsWhoseStrideIsThatOfABlock) {
  // The blocks of a transposing kernel have 64 columns; a tile in columns order has 256 rows.
  const KernelCase transposing =
      windows_case(40, 100, {.row_stride = 64, .col_stride = 1},
                   {.buffer = 1, .row_stride = 1, .col_stride = 40}, false);
  EXPECT_EQ(difference_from_reference(transposing), "");
  const KernelCase columns = windows_case(300, 50, {.row_stride = 1, .col_stride = 256},
                                          {.buffer = 1, .row_stride = 1, .col_stride = 300}, true);
  EXPECT_EQ(difference_from_reference(columns), "");
}

TEST(Interpreter, StoresInPlaceAfterTheLoadsThatComeFirst) {
  KernelBuilder builder;
  const int a = builder.load(Dtype::float32);
  const int product = builder.op(ScalarOp::mul, a, a);
  const int x = builder.load(Dtype::float32);
  builder.store(product, Dtype::float32);
  builder.store(builder.op(ScalarOp::add, x, product), Dtype::float32);
  KernelCase kernel_case;
  kernel_case.kernel = builder.kernel();
  kernel_case.rows = 3;
  kernel_case.cols = 20;
  RandomNumbers random(1);
  for (const int buffer : {0, 1, 1, 2}) {
    kernel_case.operands.push_back({buffer, 0, 80, 0, 4});
  }
  for (int n = 0; n < 3; ++n) {
    kernel_case.dtypes.push_back(Dtype::float32);
    kernel_case.buffers.emplace_back(240);
    fill_random(kernel_case.buffers.back(), Dtype::float32, false, random);
  }
  EXPECT_EQ(difference_from_reference(kernel_case), "");
}

TEST(Interpreter, SumsInTheCanonicalOrder) {
  for (const std::int64_t cols : {1, 15, 16, 17, 67, 1023, 1024, 1025, 5000}) {
    const KernelCase kernel_case = reduction_case(ReduceKind::sum, 3, 1, cols, false);
    CaseRun run(kernel_case, Schedule::rows);
    InterpretedKernel(kernel_case.kernel).run(run.args(), Schedule::rows);
    const auto* x = reinterpret_cast<const float*>(run.buffers()[0].data());
    const auto* results = reinterpret_cast<const float*>(run.buffers()[1].data());
    for (std::int64_t r = 0; r < 3; ++r) {
      const float expected =
          canonical::sum<float>(cols, [&](std::int64_t i) { return x[r * cols + i]; });
      EXPECT_EQ(results[r], expected) << "row " << r << " of " << cols << " columns";
    }
  }
}

TEST(Interpreter, LeavesMemoryAloneWithoutRowsAndGivesIdentitiesWithoutColumns) {
  const KernelCase none = reduction_case(ReduceKind::sum, 0, 1, 5, false);
  EXPECT_EQ(difference_from_reference(none), "");
  const KernelCase empty = reduction_case(ReduceKind::maximum, 3, 1, 0, false);
  CaseRun run(empty, Schedule::rows);
  InterpretedKernel(empty.kernel).run(run.args(), Schedule::rows);
  float results[3];
  std::memcpy(results, run.buffers()[1].data(), sizeof(results));
  for (const float result : results) {
    EXPECT_EQ(result, -std::numeric_limits<float>::infinity());
  }
}

TEST(Interpreter, GivesARowTheSameBitsAloneAndAmongOthers) {
  const KernelCase many = reduction_case(ReduceKind::sum, 40, 1, 100, false);
  CaseRun together(many, Schedule::rows);
  CaseRun alone(many, Schedule::rows);
  const InterpretedKernel kernel(many.kernel);
  kernel.run(together.args(), Schedule::rows);
  for (std::int64_t r = 0; r < many.rows; ++r) {
    KernelArgs args = alone.args();
    std::byte* data[] = {args.data[0] + r * args.row_stride[0],
                         args.data[1] + r * args.row_stride[1]};
    args.data = data;
    args.rows = 1;
    kernel.run(args, Schedule::rows);
  }
  EXPECT_EQ(difference(many, alone, together), "");
}

}  // namespace
}  // namespace rondo::codegen
