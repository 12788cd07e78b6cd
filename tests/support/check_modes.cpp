#include "tests/support/check_modes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/plugin.h"
#include "core/autograd/backward.h"
#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/op/generator.h"
#include "core/ops/arithmetic.h"
#include "core/ops/create.h"
#include "core/ops/join.h"
#include "core/ops/memory.h"
#include "core/ops/reduce.h"
#include "jit/compile_queue.h"
#include "jit/stats.h"
#include "jit/thread_executor.h"
#include "tests/support/settings.h"
#include "tests/support/tensors.h"

namespace rondo::test {
namespace {

/// A way of running: jit/params.h explains the modes.
struct Way {
  const char* name;
  bool traced;
  jit::Mode mode;
};

constexpr Way kWays[] = {{"tracer off", false, jit::Mode::interpreted},
                         {"interpreted", true, jit::Mode::interpreted},
                         {"compiled", true, jit::Mode::compiled},
                         {"switching", true, jit::Mode::switching}};

/// Sets one way for a scope.
class WaySetting {
 public:
  explicit WaySetting(const Way& way) : mode_(way.mode), before_(jit::thread_recorder().enabled()) {
    jit::thread_recorder().set_enabled(way.traced);
  }
  ~WaySetting() { jit::thread_recorder().set_enabled(before_); }
  WaySetting(const WaySetting&) = delete;
  WaySetting& operator=(const WaySetting&) = delete;

 private:
  ModeSetting mode_;
  bool before_;
};

/// Lets threads share out work of any size for a scope.
class SmallGrain {
 public:
  SmallGrain() : before_(set_most_grain(1)) {}
  ~SmallGrain() { set_most_grain(before_); }
  SmallGrain(const SmallGrain&) = delete;
  SmallGrain& operator=(const SmallGrain&) = delete;

 private:
  std::int64_t before_;
};

bool has_gradient(const Tensor& t) {
  return t.defined() && !t.is_immediate() && is_floating(t.dtype());
}

/// An op on given operands: its results, and the gradients of their weighted sum.
class Use {
 public:
  Use(const OpInfo& op, const Args& args) : op_(op), bound_(bind_args(op, args)) {
    const std::vector<Tensor> outputs = forward(copies());
    unsigned seed = 7;
    for (const Tensor& output : outputs) {
      weights_.push_back(has_gradient(output) && op.differentiable
                             ? cast(uniform(output.shape(), 0.5, 1.5, seed++), output.dtype())
                             : Tensor());
    }
  }

  std::vector<Tensor> run() const {
    const std::vector<Tensor> inputs = copies();
    std::vector<Tensor> leaves;
    for (const Tensor& t : inputs) {
      if (op_.differentiable && has_gradient(t)) {
        set_requires_grad(t, true);
        leaves.push_back(t);
      }
    }
    std::vector<Tensor> results = forward(inputs);
    Tensor total;
    for (std::size_t o = 0; o < weights_.size(); ++o) {
      if (weights_[o].defined() && results[o].requires_grad()) {
        const Tensor part = sum(results[o] * weights_[o]);
        total = total.defined() ? total + part : part;
      }
    }
    if (total.defined()) {
      const std::vector<Tensor> found = gradients({&total, 1}, leaves, {}, {}, true);
      results.insert(results.end(), found.begin(), found.end());
    }
    return results;
  }

 private:
  std::vector<Tensor> copies() const {
    std::vector<Tensor> copies;
    for (const Tensor& t : bound_.inputs) {
      copies.push_back(t.defined() && !t.is_immediate() ? clone(t) : t);
    }
    return copies;
  }

  /// In place, leaves cannot be written: the op gets results of other ops.
  std::vector<Tensor> forward(std::vector<Tensor> inputs) const {
    if (op_.in_place) {
      inputs[0] = inputs[0] * 1;
    }
    std::vector<Tensor> outputs(static_cast<std::size_t>(op_.schema.outputs));
    call(op_, inputs, bound_.attrs, outputs);
    return outputs;
  }

  const OpInfo& op_;
  BoundArgs bound_;
  std::vector<Tensor> weights_;
};

constexpr int kUses = 4;     // without a look at the results, so that calls wait for others
constexpr int kRounds = 12;  // until what repeats has been captured, compiled and compared
constexpr int kMore = 2;     // rounds with each further number of threads

/// Draws the same random numbers each time.
std::vector<std::vector<Tensor>> run_round(const Use& use) {
  default_generator().seed(42);
  std::vector<std::vector<Tensor>> results;
  for (int i = 0; i < kUses; ++i) {
    results.push_back(use.run());
  }
  return results;
}

void compare(const std::vector<std::vector<Tensor>>& got,
             const std::vector<std::vector<Tensor>>& expected, const std::string& what) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(got[i].size(), expected[i].size()) << what;
    for (std::size_t o = 0; o < expected[i].size(); ++o) {
      if (expected[i][o].defined()) {
        expect_same(got[i][o], expected[i][o], what + ", result " + std::to_string(o));
      }
    }
  }
}

void check_ways(const OpInfo& op, const Args& args, const std::string& what) {
  const Use use(op, args);
  std::vector<std::vector<Tensor>> expected;
  {
    const WaySetting setting(kWays[0]);
    const ThreadsSetting threads(1);
    expected = run_round(use);
    compare(expected, expected, what);  // waits for the results
  }
  const SmallGrain grain;
  for (const int threads : {1, 2, 3}) {
    const ThreadsSetting threads_setting(threads);
    for (const Way& way : kWays) {
      const WaySetting setting(way);
      const int rounds = threads == 1 ? kRounds : kMore;
      for (int round = 0; round < rounds; ++round) {
        compare(run_round(use), expected,
                what + ", " + way.name + ", " + std::to_string(threads) + " threads, round " +
                    std::to_string(round));
        if (testing::Test::HasFailure()) {
          return;  // one message says it
        }
      }
    }
  }
}

using Map = std::function<Tensor(const Tensor&)>;

/// Every axis that is longer than 1 becomes so many times as long; the elements repeat.
Tensor longer(const Tensor& t, int times) {
  Tensor result = t;
  for (int axis = 0; axis < t.rank(); ++axis) {
    if (t.size(axis) > 1) {
      const std::vector<Tensor> parts(static_cast<std::size_t>(times), result);
      result = cat(parts, axis);
    }
  }
  return result;
}

/// The largest rank, and the dtypes to try: those that can stand for the float64 of the case.
struct Operands {
  int rank = 0;
  std::vector<Dtype> dtypes;
};

Operands describe(const OpCase& c, const OpInfo& op, const Args& args) {
  Operands operands;
  bool has_doubles = false;
  map_tensors(args, [&](const Tensor& t) {
    operands.rank = std::max(operands.rank, t.rank());
    has_doubles = has_doubles || t.dtype() == Dtype::float64;
    return t;
  });
  operands.dtypes = {Dtype::float64};
  const bool fixed = c.op == "multinomial_pick";  // its second operand is float64 always
  for (int d = 0; d < kDtypeCount && has_doubles && !fixed; ++d) {
    const auto dtype = static_cast<Dtype>(d);
    if (op.dtypes.contains(dtype) && dtype != Dtype::float64 &&
        (is_floating(dtype) || c.integers)) {
      operands.dtypes.push_back(dtype);
    }
  }
  return operands;
}

/// Whether the op takes the operands.
bool accepts(const OpInfo& op, const Args& args) {
  try {
    for (const Tensor& t :
         call_op(op, map_tensors(args, [](const Tensor& x) { return clone(x); }))) {
      contiguous(t);
    }
    return true;
  } catch (const Error& error) {
    EXPECT_NE(error.kind(), ErrorKind::internal) << error.what();
    return false;
  }
}

}  // namespace

void check_modes(const OpCase& c) {
  const OpInfo& op = op_named(c.op);
  const Args args = c.args();
  const Operands operands = describe(c, op, args);
  constexpr int kTimes[] = {1, 23, 12, 5, 3};  // by rank
  const int times = kTimes[std::min(operands.rank, 4)];
  const Args long_args = map_tensors(args, [&](const Tensor& t) { return longer(t, times); });
  const Args special = special_args(c, args);
  const jit::CompileStats before = jit::compile_stats();
  const std::uint64_t compiled = jit::op_counts().compiled;
  for (const Dtype dtype : operands.dtypes) {
    const auto in_dtype = [&](const Tensor& t) {
      return t.dtype() == Dtype::float64 ? cast(t, dtype) : t;
    };
    check_ways(op, map_tensors(args, in_dtype), std::string(dtype_name(dtype)));
    const Args tried = map_tensors(long_args, in_dtype);
    if (times > 1 && accepts(op, tried)) {
      check_ways(op, tried, std::string(dtype_name(dtype)) + ", longer");
    }
    if (!special.empty()) {
      check_ways(op, map_tensors(special, in_dtype), std::string(dtype_name(dtype)) + ", special");
    }
  }
  const jit::CompileStats after = jit::compile_stats();
  EXPECT_EQ(after.failed, before.failed) << "kernels that could not be compiled";
  EXPECT_EQ(after.withdrawn, before.withdrawn) << "kernels that differed from the interpreter";
  const bool has_kernels = op.run == nullptr;  // a function on memory has none of its own
  if (has_kernels && codegen::llvm_target().target != nullptr) {
    EXPECT_GT(jit::op_counts().compiled, compiled) << "nothing ran in compiled kernels";
  }
}

}  // namespace rondo::test
