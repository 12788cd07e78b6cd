#include "tests/support/check_gradient.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/autograd/backward.h"
#include "core/ops/arithmetic.h"
#include "core/ops/create.h"
#include "core/ops/reduce.h"
#include "tests/support/tensors.h"

namespace rondo::test {
namespace {

constexpr double kStep = 1e-5;
constexpr double kTolerance = 2e-6;

/// The op as a function of its float64 operands.
class Function {
 public:
  Function(const OpInfo& op, const Args& args) : op_(op), bound_(bind_args(op, args)) {
    for (std::size_t i = 0; i < bound_.inputs.size(); ++i) {
      const Tensor& t = bound_.inputs[i];
      if (t.defined() && !t.is_immediate() && t.dtype() == Dtype::float64) {
        places_.push_back(i);
      }
    }
  }

  std::vector<Tensor> operands() const {
    std::vector<Tensor> result;
    for (const std::size_t place : places_) {
      result.push_back(clone(bound_.inputs[place]));
    }
    return result;
  }

  /// The weighted sum of all results that can have gradients; undefined if none can.
  Tensor operator()(const std::vector<Tensor>& operands) const {
    PoolVector<Tensor> inputs = bound_.inputs;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      inputs[places_[i]] = operands[i];
    }
    std::vector<Tensor> outputs(static_cast<std::size_t>(op_.schema.outputs));
    call(op_, inputs, bound_.attrs, outputs);
    Tensor total;
    unsigned seed = 7;
    for (const Tensor& output : outputs) {
      if (output.dtype() == Dtype::float64) {
        const Tensor part = sum(output * uniform(output.shape(), 0.5, 1.5, seed++));
        total = total.defined() ? total + part : part;
      }
    }
    return total;
  }

 private:
  const OpInfo& op_;
  BoundArgs bound_;
  std::vector<std::size_t> places_;
};

std::vector<Tensor> gradient_of(const Function& f, const std::vector<Tensor>& operands,
                                bool create_graph) {
  for (const Tensor& t : operands) {
    set_requires_grad(t, true);
  }
  const Tensor value = f(operands);
  if (!value.requires_grad()) {
    return std::vector<Tensor>(operands.size());
  }
  return gradients({&value, 1}, operands, {}, {.create_graph = create_graph}, true);
}

/// The weighted sum of the gradients: the function whose gradient is the second one.
Tensor sum_of_gradients(const std::vector<Tensor>& grads) {
  Tensor total;
  unsigned seed = 77;
  for (const Tensor& grad : grads) {
    if (grad.defined()) {
      const Tensor part = sum(grad * uniform(grad.shape(), 0.5, 1.5, seed++));
      total = total.defined() ? total + part : part;
    }
  }
  return total;
}

/// Compares `found` with the central differences of `value` at each element of each operand.
void compare(const std::vector<Tensor>& operands, const std::vector<Tensor>& found,
             const std::function<double(const std::vector<Tensor>&)>& value,
             const std::string& what) {
  for (std::size_t o = 0; o < operands.size(); ++o) {
    const Values list = values(operands[o]);
    const Values grads = found[o].defined() ? values(found[o]) : Values(list.size(), 0.0);
    ASSERT_EQ(grads.size(), list.size()) << what;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto at = [&](double x) {
        std::vector<Tensor> moved = operands;
        Values changed = list;
        changed[i] = x;
        moved[o] = numbers(operands[o].shape(), changed);
        return value(moved);
      };
      const double step = kStep * std::max(1.0, std::abs(list[i]));
      const double difference = (at(list[i] + step) - at(list[i] - step)) / (2 * step);
      EXPECT_TRUE(is_near(grads[i], difference, kTolerance))
          << what << " of operand " << o << ", element " << i << ": " << grads[i]
          << ", by differences " << difference;
    }
  }
}

}  // namespace

void check_gradients(const OpInfo& op, const Args& args, bool second) {
  const Function f(op, args);
  const std::vector<Tensor> plain = f.operands();
  if (plain.empty() || !f(plain).defined()) {
    return;  // nothing that could have a gradient
  }
  const auto value = [&](const std::vector<Tensor>& operands) {
    const GradMode off(false);
    return f(operands).item().to_double();
  };
  compare(plain, gradient_of(f, f.operands(), false), value, "gradient");
  if (!second) {
    return;
  }
  const std::vector<Tensor> leaves = f.operands();
  const Tensor total = sum_of_gradients(gradient_of(f, leaves, true));
  std::vector<Tensor> found(leaves.size());
  if (total.defined() && total.requires_grad()) {
    found = gradients({&total, 1}, leaves, {}, {}, true);
  }
  const auto slope = [&](const std::vector<Tensor>& operands) {
    std::vector<Tensor> fresh;
    for (const Tensor& t : operands) {
      fresh.push_back(clone(t));
    }
    const Tensor sum = sum_of_gradients(gradient_of(f, fresh, false));
    return sum.defined() ? sum.item().to_double() : 0.0;
  };
  compare(plain, found, slope, "second gradient");
}

}  // namespace rondo::test
