// How fast the interpreter runs kernels on one thread: medians, and what memory or clock they mean.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>
#include <vector>

#include "codegen/interpreter/interpreter.h"
#include "tests/support/kernel_builder.h"

namespace rondo::codegen {
namespace {

struct Shape {
  std::int64_t rows;
  std::int64_t cols;
};

/// float32 operands; row operands have one element a row.
struct Operand {
  std::int64_t row_stride;  // in elements
  std::int64_t col_stride;
  std::int64_t size;
};

constexpr std::align_val_t kAlignment{64};  // as tensors have it

struct Free {
  void operator()(float* memory) const { ::operator delete[](memory, kAlignment); }
};

/// CPU time of this thread, which other programs on the machine disturb least.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Median seconds of one run.
double median_seconds(const InterpretedKernel& kernel, const KernelArgs& args, Schedule schedule) {
  const auto run = [&](int count) {
    const double begin = thread_seconds();
    for (int i = 0; i < count; ++i) {
      kernel.run(args, schedule);
    }
    return (thread_seconds() - begin) / count;
  };
  const double first = std::max(run(3), 1e-9);
  const int count = static_cast<int>(std::clamp(2e-3 / first, 1.0, 1e5));
  std::vector<double> times(25);
  std::generate(times.begin(), times.end(), [&] { return run(count); });
  std::nth_element(times.begin(), times.begin() + 12, times.end());
  return times[12];
}

void measure(const char* name, const Kernel& kernel, Shape shape,
             const std::vector<Operand>& operands, Schedule schedule) {
  std::vector<std::unique_ptr<float[], Free>> memory;
  std::vector<std::byte*> data;
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> outers(operands.size(), 0);
  std::vector<std::int64_t> cols;
  for (const Operand& operand : operands) {
    const auto size = static_cast<std::size_t>(operand.size);
    memory.emplace_back(new (kAlignment) float[size]);
    for (std::size_t i = 0; i < size; ++i) {
      memory.back()[i] = static_cast<float>(i % 97) * 0.03F - 1.0F;
    }
    data.push_back(reinterpret_cast<std::byte*>(memory.back().get()));
    rows.push_back(operand.row_stride * 4);
    cols.push_back(operand.col_stride * 4);
  }
  const KernelArgs args{.data = data.data(),
                        .row_stride = rows.data(),
                        .outer_stride = outers.data(),
                        .col_stride = cols.data(),
                        .rows = shape.rows,
                        .cols = shape.cols};
  const double seconds = median_seconds(InterpretedKernel(kernel), args, schedule);
  const double elements = static_cast<double>(shape.rows * shape.cols);
  std::printf("%-34s %12.1f ns  %8.3f ns/element\n", name, seconds * 1e9, seconds * 1e9 / elements);
}

/// A row-major operand of the whole shape.
Operand whole(Shape shape) {
  return {shape.cols, 1, shape.rows * shape.cols};
}

Kernel add_kernel() {
  KernelBuilder builder;
  const int a = builder.load(Dtype::float32);
  const int b = builder.load(Dtype::float32);
  builder.store(builder.op(ScalarOp::add, a, b), Dtype::float32);
  return builder.kernel();
}

/// (x * 0.5 + y) * x - y * y + x
Kernel chain_kernel() {
  KernelBuilder builder;
  const int x = builder.load(Dtype::float32);
  const int y = builder.load(Dtype::float32);
  const int half = builder.op(ScalarOp::mul, x, builder.constant(0.5F));
  const int left = builder.op(ScalarOp::mul, builder.op(ScalarOp::add, half, y), x);
  const int square = builder.op(ScalarOp::mul, y, y);
  const int sum = builder.op(ScalarOp::add, builder.op(ScalarOp::sub, left, square), x);
  builder.store(sum, Dtype::float32);
  return builder.kernel();
}

Kernel softmax_kernel() {
  KernelBuilder builder;
  const int x = builder.load(Dtype::float32);
  const int shifted = builder.op(ScalarOp::sub, x, builder.reduce(ReduceKind::maximum, x));
  const int power = builder.op(ScalarOp::exp, shifted);
  const int share = builder.op(ScalarOp::div, power, builder.reduce(ReduceKind::sum, power));
  builder.store(share, Dtype::float32);
  return builder.kernel();
}

Kernel reduce_kernel(ReduceKind kind) {
  KernelBuilder builder;
  const int result = builder.reduce(kind, builder.load(Dtype::float32));
  const Dtype dtype = kind == ReduceKind::argmax ? Dtype::int64 : Dtype::float32;
  builder.store(result, dtype, Level::row);
  return builder.kernel();
}

void measure_elements() {
  const Shape tiny{4, 4};
  measure("add 4x4", add_kernel(), tiny, {whole(tiny), whole(tiny), whole(tiny)}, Schedule::rows);
  measure("add 4x4, rows apart", add_kernel(), tiny, {{8, 1, 32}, {8, 1, 32}, {8, 1, 32}},
          Schedule::rows);
  const Shape small{64, 64};
  measure("add 64x64", add_kernel(), small, {whole(small), whole(small), whole(small)},
          Schedule::rows);
  const Shape narrow{65536, 8};
  measure("add 65536x8 + row of 8", add_kernel(), narrow, {whole(narrow), {0, 1, 8}, whole(narrow)},
          Schedule::rows);
  const Shape square{1024, 1024};
  measure("add 1024x1024 + transposed", add_kernel(), square,
          {whole(square), {1, square.rows, square.rows * square.cols}, whole(square)},
          Schedule::rows);
  for (const Shape shape : {Shape{1, 1024}, Shape{16, 1024}, Shape{4096, 1024}}) {
    char name[64];
    std::snprintf(name, sizeof(name), "chain %ldx%ld", shape.rows, shape.cols);
    measure(name, chain_kernel(), shape, {whole(shape), whole(shape), whole(shape)},
            Schedule::rows);
  }
}

void measure_reductions() {
  const Shape logits{64, 10};
  measure("softmax 64x10", softmax_kernel(), logits, {whole(logits), whole(logits)},
          Schedule::rows);
  const Shape shape{4096, 1024};
  measure("softmax 4096x1024", softmax_kernel(), shape, {whole(shape), whole(shape)},
          Schedule::rows);
  const Shape wide{1024, 4096};
  measure("softmax 1024x4096", softmax_kernel(), wide, {whole(wide), whole(wide)}, Schedule::rows);
  const Operand column{1, shape.rows, shape.rows * shape.cols};  // rows lie next to each other
  measure("softmax over axis 0, 1024x4096", softmax_kernel(), shape, {column, column},
          Schedule::columns);
  const Operand results{1, 0, shape.rows * 2};
  measure("sum of rows 64x10", reduce_kernel(ReduceKind::sum), logits, {whole(logits), results},
          Schedule::rows);
  measure("sum of rows 4096x1024", reduce_kernel(ReduceKind::sum), shape, {whole(shape), results},
          Schedule::rows);
  measure("sum of columns 1024x4096", reduce_kernel(ReduceKind::sum), shape, {column, results},
          Schedule::columns);
  measure("maximum of rows 4096x1024", reduce_kernel(ReduceKind::maximum), shape,
          {whole(shape), results}, Schedule::rows);
  measure("argmax of columns 1024x4096", reduce_kernel(ReduceKind::argmax), shape,
          {column, {2, 0, shape.rows * 2}}, Schedule::columns);
  const Shape cached{16, 4096};
  measure("sum of rows 16x4096", reduce_kernel(ReduceKind::sum), cached, {whole(cached), results},
          Schedule::rows);
  const Shape square{256, 256};
  measure("sum of columns 256x256", reduce_kernel(ReduceKind::sum), square,
          {{1, square.rows, square.rows * square.cols}, results}, Schedule::columns);
}

}  // namespace
}  // namespace rondo::codegen

int main() {
  rondo::codegen::measure_elements();
  rondo::codegen::measure_reductions();
}
