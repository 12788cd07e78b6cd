// How long LLVM takes to compile kernels, and how fast they run on one thread: medians of the CPU
// time of the thread.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "codegen/machine_code.h"
#include "codegen/plugin.h"
#include "tests/support/kernel_builder.h"

namespace rondo::codegen {
namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double median_seconds(int repeats, const std::function<void()>& body) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    const double begin = thread_seconds();
    body();
    times.push_back(thread_seconds() - begin);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

constexpr std::align_val_t kAlignment{64};  // as tensors have it

struct Free {
  void operator()(std::byte* memory) const { ::operator delete[](memory, kAlignment); }
};
using Memory = std::unique_ptr<std::byte[], Free>;

Memory memory_of(std::int64_t bytes) {
  return Memory(new (kAlignment) std::byte[static_cast<std::size_t>(bytes)]);
}

/// One call over dense float32 operands: row-major, or with neighbouring rows where they are
/// columns.
class Call {
 public:
  Call(const Kernel& kernel, Schedule schedule, std::int64_t rows, std::int64_t cols)
      : scratch_(memory_of(scratch_bytes(kernel, schedule, 1, cols) + 64)) {
    for (const KernelOperand& operand : kernel.operands) {
      const bool element = operand.level == Level::element;
      memory_.push_back(memory_of(rows * cols * 4));
      data_.push_back(memory_.back().get());
      auto* values = reinterpret_cast<float*>(data_.back());
      for (std::int64_t i = 0; i < rows * cols; ++i) {
        values[i] = static_cast<float>(i % 97) * 0.03F - 1.0F;
      }
      const bool columns = schedule == Schedule::columns;
      row_stride_.push_back(element && !columns ? cols * 4 : 4);
      outer_stride_.push_back(0);
      col_stride_.push_back(!element ? 0 : columns ? rows * 4 : 4);
    }
    args_ = {.data = data_.data(),
             .row_stride = row_stride_.data(),
             .outer_stride = outer_stride_.data(),
             .col_stride = col_stride_.data(),
             .rows = rows,
             .cols = cols,
             .scratch = scratch_.get()};
  }

  const KernelArgs* args() const { return &args_; }

 private:
  std::vector<Memory> memory_;
  Memory scratch_;
  std::vector<std::byte*> data_;
  std::vector<std::int64_t> row_stride_, outer_stride_, col_stride_;
  KernelArgs args_;
};

void measure(const char* name, const Kernel& kernel, Schedule schedule, std::int64_t rows,
             std::int64_t cols) {
  const OpenedTarget& opened = llvm_target();
  if (opened.target == nullptr) {
    std::printf("%s\n", opened.reason.c_str());
    return;
  }
  Variant variant{schedule, {}};
  variant.strides.assign(kernel.operands.size(), StrideClass::unit);
  MachineCode code;
  const double compile =
      median_seconds(11, [&] { code = opened.target->compile(kernel, variant, current_isa()); });
  std::string reason;
  const std::unique_ptr<LoadedCode> loaded = LoadedCode::load(code, reason);
  const Call call(kernel, schedule, rows, cols);
  const double run = median_seconds(31, [&] { loaded->function()(call.args()); });
  const double elements = static_cast<double>(rows * cols);
  std::printf("%-32s compile %6.2f ms %5zu bytes   run %9.3f ms %7.3f ns/element\n", name,
              compile * 1e3, code.bytes.size(), run * 1e3, run * 1e9 / elements);
}

/// (x * 0.5 + y) * x - y * y + x
Kernel chain() {
  KernelBuilder b;
  const int x = b.load(Dtype::float32);
  const int y = b.load(Dtype::float32);
  const int sum = b.op(ScalarOp::add, b.op(ScalarOp::mul, x, b.constant(0.5F)), y);
  const int product = b.op(ScalarOp::mul, sum, x);
  const int difference = b.op(ScalarOp::sub, product, b.op(ScalarOp::mul, y, y));
  b.store(b.op(ScalarOp::add, difference, x), Dtype::float32);
  return b.kernel();
}

/// tanh(x * 0.5 + y) * erf(x) - exp(-y * y) + x / (1 + y * y)
Kernel functions() {
  KernelBuilder b;
  const int x = b.load(Dtype::float32);
  const int y = b.load(Dtype::float32);
  const int sum = b.op(ScalarOp::add, b.op(ScalarOp::mul, x, b.constant(0.5F)), y);
  const int product = b.op(ScalarOp::mul, b.op(ScalarOp::tanh, sum), b.op(ScalarOp::erf, x));
  const int square = b.op(ScalarOp::mul, y, y);
  const int power = b.op(ScalarOp::exp, b.op(ScalarOp::mul, b.op(ScalarOp::neg, y), y));
  const int quotient = b.op(ScalarOp::div, x, b.op(ScalarOp::add, b.constant(1.0F), square));
  b.store(b.op(ScalarOp::add, b.op(ScalarOp::sub, product, power), quotient), Dtype::float32);
  return b.kernel();
}

Kernel softmax(bool spill) {
  KernelBuilder b;
  const int x = b.load(Dtype::float32);
  const int shifted = b.op(ScalarOp::sub, x, b.reduce(ReduceKind::maximum, x));
  const int power = b.op(ScalarOp::exp, shifted);
  if (spill) {
    b.spill(power);
  }
  b.store(b.op(ScalarOp::div, power, b.reduce(ReduceKind::sum, power)), Dtype::float32);
  return b.kernel();
}

Kernel layer_norm(float cols) {
  KernelBuilder b;
  const int x = b.load(Dtype::float32);
  const int count = b.constant(cols);
  const int mean = b.op(ScalarOp::div, b.reduce(ReduceKind::sum, x), count);
  const int centred = b.op(ScalarOp::sub, x, mean);
  const int variance = b.op(ScalarOp::div, b.reduce(ReduceKind::dot, centred, centred), count);
  const int scale = b.op(ScalarOp::rsqrt, b.op(ScalarOp::add, variance, b.constant(1e-5F)));
  b.store(b.op(ScalarOp::mul, centred, scale), Dtype::float32);
  return b.kernel();
}

Kernel sum_of_squares() {
  KernelBuilder b;
  const int x = b.load(Dtype::float32);
  b.store(b.reduce(ReduceKind::sum, b.op(ScalarOp::mul, x, x)), Dtype::float32, Level::row);
  return b.kernel();
}

}  // namespace
}  // namespace rondo::codegen

int main() {
  using namespace rondo::codegen;
  constexpr std::int64_t kFourMi = std::int64_t{4} << 20;
  measure("chain, 4 Mi", chain(), Schedule::rows, 1, kFourMi);
  measure("chain, 16 Ki", chain(), Schedule::rows, 1, 16384);
  measure("tanh erf exp chain, 4 Mi", functions(), Schedule::rows, 1, kFourMi);
  measure("softmax 4096x1024", softmax(false), Schedule::rows, 4096, 1024);
  measure("softmax 4096x1024, spilled", softmax(true), Schedule::rows, 4096, 1024);
  measure("softmax 65536x10", softmax(false), Schedule::rows, 65536, 10);
  measure("softmax over axis 0, 1024x4096", softmax(true), Schedule::columns, 4096, 1024);
  measure("layer norm 4096x1024", layer_norm(1024), Schedule::rows, 4096, 1024);
  measure("(w * w).sum(1), 4096x1024", sum_of_squares(), Schedule::rows, 4096, 1024);
  measure("(w * w).sum(0), 4096x1024", sum_of_squares(), Schedule::columns, 1024, 4096);
}
