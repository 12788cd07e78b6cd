#include "tests/codegen/cuda/op_kernels.h"

#include <algorithm>
#include <set>

#include "core/autograd/backward.h"
#include "core/base/error.h"
#include "core/ops/arithmetic.h"
#include "core/ops/create.h"
#include "core/ops/reduce.h"
#include "core/ops/reshape.h"
#include "jit/kernel_cache.h"
#include "jit/thread_executor.h"
#include "tests/core/ops/cases.h"
#include "tests/support/tensors.h"

namespace rondo::codegen::cuda {
namespace {

using test::Args;
using test::OpCase;

std::vector<OpCase> all_cases() {
  std::vector<OpCase> list;
  for (const auto& family : {test::arithmetic_cases(), test::math_cases(), test::activation_cases(),
                             test::reduce_cases(), test::normalize_cases(), test::loss_cases(),
                             test::index_cases(), test::reshape_cases(), test::product_cases(),
                             test::window_cases(), test::optimize_cases(), test::random_cases()}) {
    list.insert(list.end(), family.begin(), family.end());
  }
  return list;
}

/// The op on copies of its arguments, and the gradients of the sum of its results.
void run(const OpInfo& op, const Args& args) {
  std::vector<Tensor> leaves;
  const Args own = test::map_tensors(args, [&](const Tensor& t) {
    const Tensor leaf = rondo::clone(t);
    if (op.differentiable && !op.in_place && is_floating(t.dtype())) {
      set_requires_grad(leaf, true);
      leaves.push_back(leaf);
    }
    return leaf;
  });
  const std::vector<Tensor> results = test::call_op(op, own);
  Tensor total;
  for (const Tensor& result : results) {
    if (result.defined() && result.requires_grad()) {
      const Tensor part = sum(result * result);
      total = total.defined() ? total + part : part;
    }
  }
  if (total.defined()) {
    gradients({&total, 1}, leaves, {}, {}, true);
  }
}

/// Operands as the variant says: along c of class `unit`, `zero` or `any`.
KernelCase case_of(const Kernel& kernel, const Variant& variant, std::uint64_t seed) {
  RandomNumbers random(seed);
  const bool columns = variant.schedule == Schedule::columns;
  KernelCase made;
  made.kernel = kernel;
  made.rows = columns ? 37 : 5;
  made.outer = kernel.has_reduction() ? 2 : 1;
  made.cols = 67;
  for (int i = 0; i < kernel.scalars; ++i) {
    made.scalars.push_back(0x3F0000003F000001U);  // about 0.5 as a float, 3e-5 as a double
  }
  for (std::size_t k = 0; k < kernel.operands.size(); ++k) {
    const KernelOperand& operand = kernel.operands[k];
    const std::int64_t item = size_bytes(operand.dtype, 1);
    const bool element = operand.level == Level::element;
    const bool zero = variant.strides[k] == StrideClass::zero && !operand.written && element;
    const std::int64_t gap = variant.strides[k] == StrideClass::any && !columns ? 2 : 1;
    CaseOperand place;
    place.buffer = static_cast<int>(made.buffers.size());
    const std::int64_t per_row = element ? made.outer * made.cols * gap : 1;
    place.row_stride = columns ? item : item * per_row;
    place.col_stride = zero ? 0 : columns ? item * made.rows : item * gap;
    place.outer_stride = (columns ? item * made.rows : item * gap) * made.cols;
    made.operands.push_back(place);
    std::vector<std::byte> buffer(static_cast<std::size_t>(item * made.rows * per_row));
    fill_random(buffer, operand.dtype, seed % 4 == 0, random);
    made.buffers.push_back(std::move(buffer));
    made.dtypes.push_back(operand.dtype);
  }
  return made;
}

std::vector<OpKernel> collect() {
  std::vector<OpKernel> found;
  std::set<std::string> known;
  test::op_named("add");  // starts the library
  jit::thread_recorder().set_enabled(false);
  for (const OpCase& c : all_cases()) {
    const OpInfo& op = test::op_named(c.op);
    for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::float16}) {
      const Args args = test::map_tensors(c.args(), [&](const Tensor& t) {
        return t.dtype() == Dtype::float64 ? cast(t, dtype) : t;
      });
      try {
        run(op, args);
      } catch (const Error&) {
        continue;  // the op does not take the dtype
      }
      std::vector<jit::KernelEntry*> entries = jit::KernelCache::instance().entries();
      // The cache gives them in no order, the tests are to be the same each time.
      std::sort(entries.begin(), entries.end(),
                [](const auto* a, const auto* b) { return a->key() < b->key(); });
      for (const jit::KernelEntry* entry : entries) {
        if (known.insert(entry->key()).second) {
          found.push_back({c.op, case_of(entry->kernel(), entry->variant(), known.size()),
                           entry->variant().schedule == Schedule::columns});
        }
      }
    }
  }
  return found;
}

}  // namespace

const std::vector<OpKernel>& op_kernels() {
  static const std::vector<OpKernel> all = collect();
  return all;
}

}  // namespace rondo::codegen::cuda
