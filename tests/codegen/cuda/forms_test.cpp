// Chosen kernels in every form on the emulated GPU: orders of reductions, packs, loops, random
// numbers.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/codegen/cuda/emulated.h"
#include "tests/support/kernel_builder.h"
#include "tests/support/reference_kernel.h"

namespace rondo::codegen::cuda {
namespace {

struct Sizes {
  std::int64_t rows, outer, cols;
};

/// Operands one behind the other, rows outermost, or innermost if `columns`.
KernelCase plain_case(const Kernel& kernel, Sizes sizes, bool columns, bool wild = false) {
  KernelCase made;
  made.kernel = kernel;
  made.rows = sizes.rows;
  made.outer = sizes.outer;
  made.cols = sizes.cols;
  RandomNumbers random(7);
  for (const KernelOperand& operand : kernel.operands) {
    const std::int64_t item = size_bytes(operand.dtype, 1);
    const bool element = operand.level == Level::element;
    const std::int64_t per_row = element ? sizes.outer * sizes.cols : 1;
    CaseOperand place;
    place.buffer = static_cast<int>(made.buffers.size());
    place.row_stride = columns ? item : item * per_row;
    place.col_stride = columns ? item * sizes.rows : item;
    place.outer_stride = place.col_stride * sizes.cols;
    made.operands.push_back(place);
    std::vector<std::byte> buffer(static_cast<std::size_t>(item * sizes.rows * per_row));
    fill_random(buffer, operand.dtype, wild, random);
    made.buffers.push_back(std::move(buffer));
    made.dtypes.push_back(operand.dtype);
  }
  return made;
}

LaunchLimits limits_for(Form form, bool split) {
  LaunchLimits limits;
  limits.multiprocessors = 2;
  limits.choose_form = limits.choose_split = false;
  limits.form = form;
  limits.split = split;
  return limits;
}

/// Kernels that are compiled together, then run.
class Program {
 public:
  void add(const KernelCase& kernel_case, const LaunchLimits& limits) {
    const CudaPlan plan = plan_call(kernel_case.kernel, call_of(kernel_case), limits);
    runs_.push_back({kernel_case, limits, program_.add(kernel_case.kernel, plan)});
  }

  /// In every form that a kernel with a reduction can have, each on operands that suit it.
  void add_every_form(const Kernel& kernel, Sizes sizes) {
    const KernelCase along_rows = plain_case(kernel, sizes, false);
    const KernelCase along_columns = plain_case(kernel, sizes, true);
    add(along_rows, limits_for(Form::rows, false));
    add(along_rows, limits_for(Form::rows, true));
    add(along_rows, limits_for(Form::block, false));
    add(along_columns, limits_for(Form::columns, false));
    add(along_columns, limits_for(Form::columns, true));
  }

  void check() {
    const auto module = compile_for_emulation(program_);
    for (const Run& run : runs_) {
      CaseRun expected(run.kernel_case, Schedule::rows);
      run_reference(run.kernel_case.kernel, expected.args());
      CaseRun got(run.kernel_case, Schedule::rows);
      run_emulated(*module, run.kernels, run.kernel_case, run.limits, false, got);
      ASSERT_EQ(difference(run.kernel_case, got, expected), "")
          << "form " << static_cast<int>(run.limits.form) << " split " << run.limits.split;
    }
  }

 private:
  struct Run {
    KernelCase kernel_case;
    LaunchLimits limits;
    std::vector<int> kernels;
  };
  KernelProgram program_;
  std::vector<Run> runs_;
};

Kernel reduction(ReduceKind kind, Dtype dtype) {
  KernelBuilder build;
  const int x = build.load(dtype);
  const int y = kind == ReduceKind::dot ? build.load(dtype) : -1;
  const int result = build.reduce(kind, x, y);
  build.store(result, gives_place(kind) ? Dtype::int64 : dtype, Level::row);
  return build.kernel();
}

class CudaReductions : public testing::TestWithParam<ReduceKind> {};

TEST_P(CudaReductions, FollowTheCanonicalOrderInEveryForm) {
  RONDO_NEEDS_NVRTC();
  constexpr Sizes kSizes[] = {{3, 1, 1},    {33, 1, 15},   {2, 1, 16},  {2, 1, 1024}, {2, 1, 1025},
                              {5, 3, 1000}, {1, 1, 20000}, {40, 2, 37}, {2, 0, 5},    {2, 1, 0}};
  for (const Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::int64}) {
    if (GetParam() == ReduceKind::dot && dtype == Dtype::int64) {
      continue;
    }
    Program program;
    const Kernel kernel = reduction(GetParam(), dtype);
    for (const Sizes& sizes : kSizes) {
      program.add_every_form(kernel, sizes);
    }
    program.check();
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, CudaReductions,
                         testing::Values(ReduceKind::sum, ReduceKind::product, ReduceKind::maximum,
                                         ReduceKind::minimum, ReduceKind::argmax,
                                         ReduceKind::argmin, ReduceKind::dot),
                         [](const auto& info) { return std::string(reduce_name(info.param)); });

/// x to (x - mean) / deviation, in place, with the differences kept from phase to phase.
Kernel layer_norm(bool spill) {
  KernelBuilder build;
  const int x = build.load(Dtype::float32);
  const int count = build.constant(1.0F / 300.0F);
  const int mean = build.op(ScalarOp::mul, build.reduce(ReduceKind::sum, x), count);
  const int centred = build.op(ScalarOp::sub, x, mean);
  const int variance =
      build.op(ScalarOp::mul, build.reduce(ReduceKind::dot, centred, centred), count);
  const int scale = build.op(ScalarOp::rsqrt, variance);
  build.store(build.op(ScalarOp::mul, centred, scale), Dtype::float32);
  build.store(scale, Dtype::float32, Level::row);
  if (spill) {
    build.spill(centred);
  }
  return build.kernel();
}

TEST(CudaRowPrograms, GiveTheReferencesBitsInEveryForm) {
  RONDO_NEEDS_NVRTC();
  Program program;
  for (const bool spill : {false, true}) {
    for (const Sizes& sizes : {Sizes{70, 1, 300}, Sizes{3, 2, 2500}}) {
      program.add_every_form(layer_norm(spill), sizes);
    }
  }
  program.check();
}

/// A group with two results, one of them of narrower elements.
Kernel chain(Dtype dtype) {
  KernelBuilder build;
  const int x = build.load(dtype);
  const int y = build.load(dtype);
  const int sum = build.op(ScalarOp::add, x, y);
  const int flag = build.op(ScalarOp::lt, x, y);
  build.store(build.op(ScalarOp::round_bool, flag), Dtype::boolean);
  const std::optional<ScalarOp> rounding = rounding_to(dtype);
  build.store(rounding ? build.op(*rounding, sum) : sum, dtype);
  return build.kernel();
}

TEST(CudaElementwise, MovesSixteenBytesOfEveryDtypeAtOnce) {
  RONDO_NEEDS_NVRTC();
  Program program;
  for (int code = 0; code < kDtypeCount; ++code) {
    const auto dtype = static_cast<Dtype>(code);
    const Kernel kernel = chain(dtype);
    for (const Sizes& sizes : {Sizes{3, 1, 32}, Sizes{1, 1, 4096}, Sizes{5, 1, 33}}) {
      const KernelCase made = plain_case(kernel, sizes, false, true);
      LaunchLimits limits;
      limits.multiprocessors = 2;
      program.add(made, limits);
      const CudaPlan plan = plan_call(kernel, call_of(made), limits);
      const int expected = sizes.cols == 33 ? 1 : static_cast<int>(16 / size_bytes(dtype, 1));
      EXPECT_EQ(plan.launches.at(0).variant.pack, expected) << dtype_name(dtype);
      EXPECT_EQ(plan.launches.at(0).variant.one_row, sizes.rows == 1);
    }
  }
  program.check();
}

TEST(CudaElementwise, DrawsTheSameRandomNumbersBeyondThirtyTwoBits) {
  RONDO_NEEDS_NVRTC();
  Program program;
  for (const ScalarOp op : {ScalarOp::uniform_f32, ScalarOp::normal_f32, ScalarOp::uniform_f64,
                            ScalarOp::normal_f64, ScalarOp::random_i32}) {
    KernelBuilder build;
    const int seed = build.scalar(Reg::i64);
    const int offset = build.scalar(Reg::i64);
    const int drawn = build.op(op, seed, offset, build.index());
    constexpr Dtype kStored[] = {Dtype::int32, Dtype::int64, Dtype::float32, Dtype::float64};
    build.store(drawn, kStored[static_cast<int>(scalar_op_result(op, Reg::i64))]);
    KernelCase made = plain_case(build.kernel(), {7, 1, 51}, false);
    made.scalars = {0x123456789ABCDEF0U, 77};
    made.first_index = std::int64_t{3} << 33;
    program.add(made, limits_for(Form::flat, false));
    program.add(made, limits_for(Form::rows, false));
  }
  program.check();
}

TEST(CudaElementwise, GoesAroundTheLoopsOfMoreAxes) {
  RONDO_NEEDS_NVRTC();
  // A result [4, 3, 5, 6] from a transposed operand: no two axes are one.
  KernelBuilder build;
  const int x = build.load(Dtype::float32);
  const int place = build.op(ScalarOp::to_f32, build.index());
  build.store(build.op(ScalarOp::add, x, place), Dtype::float32);
  const Kernel kernel = build.kernel();
  DeviceCall call;
  call.loop_sizes = {4, 3};
  call.rows = 5;
  call.cols = 6;
  call.row_stride = {12 * 4, 6 * 4};
  call.col_stride = {60 * 4, 4};
  call.outer_stride = {0, 0};
  call.loop_strides = {4, 16, 90 * 4, 30 * 4};
  std::string reason;
  ptx::DeviceMemory memory;
  std::vector<float> from(360);
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i] = static_cast<float>(i) / 7;
  }
  call.data = {memory.allocate(360 * 4), memory.allocate(360 * 4)};
  std::memcpy(memory.access(call.data[0], 360 * 4, true, reason), from.data(), 360 * 4);
  LaunchLimits limits;
  const CudaPlan plan = plan_call(kernel, call, limits);
  ASSERT_EQ(plan.launches.size(), 1U);
  EXPECT_EQ(plan.launches[0].variant.loops, 2);
  KernelProgram program;
  program.add(kernel, plan);
  const auto module = compile_for_emulation(program);
  const std::vector<std::uint64_t> words = pack_parameters(call, 0);
  ptx::Launch launch;
  launch.grid[0] = plan.launches[0].grid;
  launch.threads[0] = plan.launches[0].threads;
  launch.parameters = reinterpret_cast<const std::byte*>(words.data());
  launch.parameter_bytes = words.size() * 8;
  ptx::run_kernel(*module, "rondo_kernel_0", launch, memory);
  std::vector<float> got(360);
  std::memcpy(got.data(), memory.access(call.data[1], 360 * 4, false, reason), 360 * 4);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::size_t a = i / 90, b = i / 30 % 3, r = i / 6 % 5, c = i % 6;
    ASSERT_EQ(got[i], from[a + 4 * b + 12 * r + 60 * c] + static_cast<float>(i)) << i;
  }
}

/// Every scalar operation on every class, with NaN, infinities, subnormals and limits among the
/// operands: the one source gives the bits that it gives on the CPU.
class CudaScalarOps : public testing::TestWithParam<Reg> {};

TEST_P(CudaScalarOps, GiveTheBitsOfTheCpu) {
  RONDO_NEEDS_NVRTC();
  constexpr Dtype kDtypes[] = {Dtype::int32, Dtype::int64, Dtype::float32, Dtype::float64};
  Program program;
  for (int number = 0; number < kScalarOpCount; ++number) {
    const auto op = static_cast<ScalarOp>(number);
    if (!scalar_op_takes(op, GetParam())) {
      continue;
    }
    KernelBuilder build;
    std::vector<int> uses;
    const int arity = scalar_op_info(op).arity;
    for (int i = 0; i < arity; ++i) {
      const bool flag = op == ScalarOp::select && i == 0;
      uses.push_back(build.load(flag ? Dtype::int32 : kDtypes[static_cast<int>(GetParam())]));
    }
    uses.resize(3, -1);
    const int result = build.op(op, uses[0], uses[1], uses[2]);
    build.store(result, kDtypes[static_cast<int>(scalar_op_result(op, GetParam()))]);
    program.add(plain_case(build.kernel(), {1, 1, 3001}, false, true),
                limits_for(Form::flat, false));
  }
  program.check();
}

INSTANTIATE_TEST_SUITE_P(Classes, CudaScalarOps,
                         testing::Values(Reg::i32, Reg::i64, Reg::f32, Reg::f64));

}  // namespace
}  // namespace rondo::codegen::cuda
