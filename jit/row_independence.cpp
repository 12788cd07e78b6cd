// Whether each row of a method's results depends on its own row of the inputs alone.
#include <algorithm>
#include <unordered_map>

#include "core/base/error.h"
#include "core/graph/flow_builder.h"
#include "core/op/call.h"
#include "core/op/generator.h"
#include "core/op/op.h"
#include "jit/export.h"

namespace rondo::jit {
namespace {

/// Runs nothing: shapes are all that matters here.
class NoExecutor final : public Executor {
 public:
  void execute(const OpCall& call) override { (void)call; }
};

/// Follows axis 0 of the inputs through the calls. A tensor either has its rows along axis 0, or
/// does not depend on the inputs; anything else is a dependence.
class RowWalk final : public CallObserver {
 public:
  void rows_of(const Tensor& tensor) { rows_[tensor.impl()] = tensor; }
  bool has_rows(const Tensor& t) const { return t.defined() && rows_.count(t.impl()) != 0; }

  void called(const OpCall& call) override {
    if (!reason_.empty()) {
      return;
    }
    const bool any = std::any_of(call.inputs.begin(), call.inputs.end(),
                                 [&](const Tensor& t) { return has_rows(t); });
    if (!any) {
      return;
    }
    if (!call.op.deterministic) {
      reason_ = std::string(call.op.name) + " draws random numbers";
    } else if (call.in_place) {
      reason_ = std::string(call.op.name) + " writes in place";
    } else if (!keeps_rows(call)) {
      reason_ = std::string(call.op.name) + " may mix rows";
    }
    for (const Tensor& output : call.outputs) {
      rows_of(output);
    }
  }
  void host_read(const Tensor& tensor) override { (void)tensor; }

  const std::string& reason() const { return reason_; }

 private:
  bool keeps_rows(const OpCall& call) {
    switch (call.op.kind) {
      case OpKind::elementwise:
        return elementwise(call);
      case OpKind::reduction:
        return call.inputs[0].rank() > 0 && (reduced_axes(call) & 1U) == 0;
      case OpKind::view:
        return view(call);
      case OpKind::contraction:
        return contraction(call);
      case OpKind::window:
        return only_first_has_rows(call) && same_count(call);
      case OpKind::composite:
        return composite(call);
      default:
        return (call.op.row_independent && only_first_has_rows(call) && same_count(call)) ||
               beside_dim(call);
    }
  }

  static std::uint32_t reduced_axes(const OpCall& call) {
    return reduction_axes(call.attrs[0], call.inputs[0].rank(), call.op.name);
  }

  /// An op that works along `dim`, another axis than that of the rows, on operands with rows alone.
  bool beside_dim(const OpCall& call) const {
    return call.op.rows_beside_dim && call.inputs[0].rank() > 0 &&
           normalize_axis(call.args().attr("dim").as_int(), call.inputs[0].rank(), call.op.name) !=
               0 &&
           std::all_of(
               call.inputs.begin(), call.inputs.end(),
               [&](const Tensor& t) { return !t.defined() || t.is_immediate() || has_rows(t); }) &&
           same_count(call);
  }

  static bool same_count(const OpCall& call) {
    return std::all_of(call.outputs.begin(), call.outputs.end(), [&](const Tensor& output) {
      return output.rank() > 0 && output.shape()[0] == call.inputs[0].shape()[0];
    });
  }

  bool only_first_has_rows(const OpCall& call) const {
    return has_rows(call.inputs[0]) && std::none_of(call.inputs.begin() + 1, call.inputs.end(),
                                                    [&](const Tensor& t) { return has_rows(t); });
  }

  /// Rows lie along axis 0 of the result if every operand that has rows has the result's rank, and
  /// no other one reaches axis 0.
  bool elementwise(const OpCall& call) const {
    const int rank = call.outputs[0].rank();
    return std::all_of(call.inputs.begin(), call.inputs.end(), [&](const Tensor& t) {
      if (!t.defined() || t.rank() < rank) {
        return !has_rows(t);
      }
      return has_rows(t) || t.shape()[0] == 1;
    });
  }

  /// How far the last element of a row lies from its first; negative if that is not known.
  static std::int64_t reach(const Tensor& t) {
    std::int64_t result = 0;
    for (int axis = 1; axis < t.rank(); ++axis) {
      if (t.shape()[axis] == 0 || t.strides()[axis] < 0) {
        return -1;
      }
      result += (t.shape()[axis] - 1) * t.strides()[axis];
    }
    return result;
  }

  /// Whether the first row of `out` is a part of the first row of `in`, whose rows are apart.
  static bool within_row(const Tensor& in, const Tensor& out) {
    const std::int64_t begin = out.offset() - in.offset();
    const std::int64_t length = reach(in);
    return begin >= 0 && reach(out) >= 0 && length < in.strides()[0] &&
           begin + reach(out) <= length;
  }

  static bool view(const OpCall& call) {
    const Tensor& in = call.inputs[0];
    const Tensor& out = call.outputs[0];
    const bool kept = in.rank() > 0 && out.rank() > 0 && in.shape()[0] == out.shape()[0];
    // The row of element (i, ...) stays i if a step along axis 0 is still a step over a whole row.
    return kept && (in.shape()[0] == 1 || in.strides()[0] == out.strides()[0]) &&
           (in.offset() == out.offset() || within_row(in, out));
  }

  /// Products of matrices that lie along the rows' axis, one each.
  bool batched_product(const OpCall& call) const {
    const int rank = call.outputs[0].rank();
    return call.op.contraction == Contraction::matmul && rank >= 3 &&
           std::all_of(call.inputs.begin(), call.inputs.end(), [&](const Tensor& t) {
             return has_rows(t) ? t.rank() == rank : t.rank() < rank || t.shape()[0] == 1;
           });
  }

  bool contraction(const OpCall& call) const {
    if (batched_product(call)) {
      return true;
    }
    if (!only_first_has_rows(call) || !same_count(call)) {
      return false;
    }
    return call.op.contraction != Contraction::matmul || call.inputs[0].rank() > 1;
  }

  bool composite(const OpCall& call) {
    std::vector<Tensor> inputs(call.inputs.begin(), call.inputs.end());
    std::vector<Tensor> outputs;
    CallObserver* const previous = std::exchange(current_observer(), this);
    call.op.body({call.op, inputs, call.attrs}, outputs);
    current_observer() = previous;
    return reason_.empty() && std::all_of(outputs.begin(), outputs.end(),
                                          [&](const Tensor& t) { return has_rows(t); });
  }

  std::unordered_map<const TensorImpl*, Tensor> rows_;
  std::string reason_;
};

Tensor without_data(const Tensor& t) {
  return t.defined() && !t.is_immediate()
             ? Tensor::empty(t.shape(), t.dtype(), {DeviceType::meta, 0})
             : t;
}

Tensor meta_operand(const GraphOperand& operand, const std::vector<Tensor>& values,
                    const std::unordered_map<std::string, Tensor>& tensors) {
  switch (operand.kind) {
    case GraphOperand::Kind::value:
      return values[static_cast<std::size_t>(operand.value)];
    case GraphOperand::Kind::tensor:
      return tensors.at(operand.name);
    case GraphOperand::Kind::number:
    case GraphOperand::Kind::size:
      return Tensor::immediate(operand.number, operand.dtype, operand.weak);
    default:
      return {};
  }
}

/// Has the thread's calls observed for a scope.
class ObserverScope {
 public:
  explicit ObserverScope(CallObserver& observer)
      : previous_(std::exchange(current_observer(), &observer)) {}
  ~ObserverScope() { current_observer() = previous_; }
  ObserverScope(const ObserverScope&) = delete;
  ObserverScope& operator=(const ObserverScope&) = delete;

 private:
  CallObserver* previous_;
};

void walk(const Graph& graph, std::vector<Tensor>& values,
          const std::unordered_map<std::string, Tensor>& tensors, RowWalk& rows) {
  NoExecutor executor;
  const ExecutorScope scope(executor);
  const GradMode no_grad(false);
  Generator generator;
  const GeneratorScope draws(generator);
  const ObserverScope observed(rows);
  for (const GraphNode& node : graph.nodes) {
    std::vector<Tensor> inputs;
    std::vector<Attr> attrs;
    for (const GraphOperand& operand : node.inputs) {
      inputs.push_back(meta_operand(operand, values, tensors));
    }
    for (const GraphAttr& attr : node.attrs) {
      attrs.push_back(attr.value);
    }
    std::vector<Tensor> outputs(node.outputs.size());
    call(*node.op, inputs, attrs, outputs);
    values.insert(values.end(), outputs.begin(), outputs.end());
  }
}

}  // namespace

std::string row_dependence(const tracer::TraceResult& trace, const std::vector<Tensor>& inputs,
                           const std::vector<ExportTensor>& tensors) {
  const std::string symbol =
      trace.input_shapes.empty() || trace.input_shapes[0].empty() ? "" : trace.input_shapes[0][0];
  const auto begins_with_symbol = [&](const std::vector<tracer::SizeText>& shape) {
    return !shape.empty() && shape[0] == symbol;
  };
  const bool symbolic = !symbol.empty() && std::isdigit(static_cast<unsigned char>(symbol[0])) == 0;
  if (!symbolic ||
      !std::all_of(trace.input_shapes.begin(), trace.input_shapes.end(), begins_with_symbol) ||
      !std::all_of(trace.output_shapes.begin(), trace.output_shapes.end(), begins_with_symbol)) {
    return "axis 0 of every input and output is not one symbol";
  }
  RowWalk rows;
  std::vector<Tensor> values;
  for (const Tensor& input : inputs) {
    values.push_back(without_data(input));
    rows.rows_of(values.back());
  }
  std::unordered_map<std::string, Tensor> metas;
  for (const ExportTensor& tensor : tensors) {
    metas.emplace(tensor.name, without_data(tensor.tensor));
  }
  for (const tracer::NamedTensor& constant : trace.constants) {
    metas.emplace(constant.name, without_data(constant.tensor));
  }
  try {
    walk(trace.graph, values, metas, rows);
  } catch (const Error& error) {
    return std::string("it could not be followed without data: ") + error.what();
  }
  for (const int output : trace.graph.outputs) {
    if (rows.reason().empty() && !rows.has_rows(values[static_cast<std::size_t>(output)])) {
      return "an output does not depend on the rows of the inputs";
    }
  }
  return rows.reason();
}

}  // namespace rondo::jit
