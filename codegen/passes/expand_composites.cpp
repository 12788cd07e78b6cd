#include "codegen/passes/expand_composites.h"

#include <numeric>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/graph/flow_builder.h"
#include "core/op/call.h"
#include "core/op/observer_scope.h"

namespace rondo::codegen {
namespace {

class Expansion {
 public:
  explicit Expansion(const Flow& flow) {
    result_.values = flow.values;
    result_.live = flow.live;
    result_.groups = flow.groups;
    renamed_.resize(flow.values.size());
    std::iota(renamed_.begin(), renamed_.end(), 0);
    for (const FlowNode& node : flow.nodes) {
      FlowNode copy = node;
      for (FlowUse& use : copy.inputs) {
        use.value = use.value < 0 ? -1 : renamed_[static_cast<std::size_t>(use.value)];
      }
      append(copy);
    }
  }

  Flow take() { return std::move(result_); }

 private:
  void append(const FlowNode& node) {
    if (node.op->kind == OpKind::composite) {
      expand(node);
      return;
    }
    const int number = static_cast<int>(result_.nodes.size());
    for (const int v : node.outputs) {
      value(v).node = number;
    }
    result_.nodes.push_back(node);
  }

  FlowValue& value(int v) { return result_.values[static_cast<std::size_t>(v)]; }

  /// A tensor without data that looks like the operand; undefined for an absent one.
  Tensor stand_in(const FlowUse& use) {
    if (use.value < 0) {
      return {};
    }
    const FlowValue& v = value(use.value);
    if (v.immediate) {
      return Tensor::immediate(v.number, v.dtype, v.weak);
    }
    invariant(use.view.kind != UseView::Kind::opaque, "a composite's operand is an opaque view");
    return Tensor::empty(shape_of_use(use.view, v.sample), v.dtype, {DeviceType::meta, 0});
  }

  void expand(const FlowNode& node) {
    FlowBuilder builder;
    Flow& body = builder.flow();
    std::vector<Tensor> inputs;
    std::vector<FlowUse> given;  // the operands that the first values of the body stand for
    for (const FlowUse& use : node.inputs) {
      inputs.push_back(stand_in(use));
      const Tensor& input = inputs.back();
      if (input.defined()) {
        FlowValue described = describe(input);
        described.group = described.immediate ? -1 : body.groups++;
        body.values.push_back(described);
        body.live.push_back(0);
        builder.define(input, static_cast<int>(body.values.size()) - 1);
        given.push_back(use);
      }
    }
    std::vector<Tensor> outputs;
    run_body(node, builder, inputs, outputs);
    std::vector<FlowUse> results;
    for (const Tensor& output : outputs) {
      results.push_back(builder.use(output, node.call, 0));
    }
    merge(node, builder.take(), given, results);
  }

  static void run_body(const FlowNode& node, FlowBuilder& builder, std::vector<Tensor>& inputs,
                       std::vector<Tensor>& outputs) {
    BodyExecutor executor(builder, node.call);
    const ExecutorScope scope(executor);
    const GradMode no_grad(false);
    const ObserverScope unobserved(nullptr);
    node.op->body({*node.op, inputs, node.attrs}, outputs);
  }

  /// The use `inner` of a body operand, in terms of what the composite was given.
  static FlowUse compose(const FlowUse& outer, const FlowUse& inner) {
    FlowUse use{outer.value, inner.view};
    if (outer.view.kind == UseView::Kind::identity) {
      return use;
    }
    if (inner.view.kind == UseView::Kind::identity) {
      use.view = outer.view;
      return use;
    }
    for (int d = 0; d < inner.view.rank; ++d) {
      std::int8_t& axis = use.view.axis[static_cast<std::size_t>(d)];
      axis = axis < 0 ? axis : outer.view.axis[static_cast<std::size_t>(axis)];
    }
    return use;
  }

  /// Appends the nodes of the body, with what they make as new values.
  void merge(const FlowNode& node, const Flow& body, const std::vector<FlowUse>& given,
             const std::vector<FlowUse>& results) {
    std::vector<int> number(body.values.size(), -1);
    for (std::size_t v = given.size(); v < body.values.size(); ++v) {
      FlowValue copy = body.values[v];
      copy.call = -1;
      copy.result = false;
      copy.group = copy.group < 0 ? -1 : result_.groups + copy.group;
      result_.values.push_back(copy);
      result_.live.push_back(0);
      number[v] = static_cast<int>(result_.values.size()) - 1;
    }
    result_.groups += body.groups;
    for (const FlowNode& inner : body.nodes) {
      FlowNode copy = inner;
      for (FlowUse& use : copy.inputs) {
        if (use.value >= static_cast<int>(given.size())) {
          use.value = number[static_cast<std::size_t>(use.value)];
        } else if (use.value >= 0) {
          use = compose(given[static_cast<std::size_t>(use.value)], use);
        }
      }
      for (int& v : copy.outputs) {
        v = number[static_cast<std::size_t>(v)];
      }
      append(copy);
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      finish(node, i, results[i], number[static_cast<std::size_t>(results[i].value)]);
    }
  }

  /// Lets the body's value stand for result `i` of the composite.
  void finish(const FlowNode& node, std::size_t i, const FlowUse& result, int inner) {
    invariant(inner >= 0 && result.view.kind == UseView::Kind::identity,
              "a composite's body returns an operand or a view");
    const int given = node.outputs[i];
    FlowValue& v = value(inner);
    v.call = value(given).call;
    v.slot = value(given).slot;
    v.result = true;
    v.group = value(given).group;
    result_.live[static_cast<std::size_t>(inner)] = result_.live[static_cast<std::size_t>(given)];
    renamed_[static_cast<std::size_t>(given)] = inner;
  }

  Flow result_;
  std::vector<int> renamed_;  // the value that stands for each of the given flow's
};

}  // namespace

Flow expand_composites(const Flow& flow) {
  return Expansion(flow).take();
}

}  // namespace rondo::codegen
