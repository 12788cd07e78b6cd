// Whether each row of a method's results depends on its own row of the inputs alone.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/base/error.h"
#include "core/op/call.h"
#include "core/op/generator.h"
#include "core/op/observer_scope.h"
#include "core/op/op.h"
#include "jit/export.h"
#include "jit/program.h"

namespace rondo::jit {
namespace {

Tensor without_data(const Shape& shape, Dtype dtype) {
  return Tensor::empty(shape, dtype, {DeviceType::meta, 0});
}

/// Runs nothing: shapes are all that matters here. What calls make of numbers alone has no data
/// either.
class NoExecutor final : public Executor {
 public:
  void execute(const OpCall& call) override {
    for (std::size_t i = 0; i < call.outputs.size() && !call.in_place; ++i) {
      call.outputs[i] = without_data(call.outputs[i].shape(), call.outputs[i].dtype());
    }
  }
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
    const ObserverScope observed(this);
    call.op.body({call.op, inputs, call.attrs}, outputs);
    return reason_.empty() && std::all_of(outputs.begin(), outputs.end(),
                                          [&](const Tensor& t) { return has_rows(t); });
  }

  std::unordered_map<const TensorImpl*, Tensor> rows_;
  std::string reason_;
};

/// Shapes can be followed for ever.
class NoInterrupt final : public Interrupt {
 public:
  void check() override {}
};

/// A traced method, to be followed without data at some sizes of its symbols.
class ShapeRun {
 public:
  ShapeRun(const tracer::TraceResult& trace, const std::vector<Tensor>& inputs,
           const std::vector<ExportTensor>& tensors)
      : trace_(trace), inputs_(inputs) {
    for (const ExportTensor& tensor : tensors) {
      add(tensor.name, tensor.tensor);
    }
    for (const tracer::NamedTensor& constant : trace.constants) {
      add(constant.name, constant.tensor);
    }
    const auto find = [this](const std::string& name) { return numbers_.at(name); };
    program_ =
        compile(trace.graph, {trace.graph.name, find, std::vector<bool>(tensors_.size(), true)});
  }

  /// Why rows are not independent at these sizes; empty if they are.
  std::string dependence(const serialize::Bindings& sizes) const {
    RowWalk rows;
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      Shape shape = inputs_[i].shape();
      for (int axis = 0; axis < shape.rank(); ++axis) {
        shape[axis] = dimension(i, axis).evaluate(sizes);
      }
      inputs.push_back(without_data(shape, inputs_[i].dtype()));
      rows.rows_of(inputs.back());
    }
    std::vector<Tensor> outputs;
    try {
      outputs = run(inputs, sizes, rows);
    } catch (const Error& error) {
      return std::string("it could not be followed without data: ") + error.what();
    }
    if (rows.reason().empty() && !std::all_of(outputs.begin(), outputs.end(),
                                              [&](const Tensor& t) { return rows.has_rows(t); })) {
      return "an output does not depend on the rows of the inputs";
    }
    return rows.reason();
  }

  /// The sizes of the examples.
  serialize::Bindings example_sizes() const {
    serialize::Bindings sizes;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      for (int axis = 0; axis < inputs_[i].rank(); ++axis) {
        if (dimension(i, axis).is_symbol()) {
          sizes.set(dimension(i, axis).symbol_name(), inputs_[i].size(axis));
        }
      }
    }
    return sizes;
  }

 private:
  void add(const std::string& name, const Tensor& tensor) {
    numbers_.emplace(name, static_cast<int>(tensors_.size()));
    const bool data = tensor.defined() && !tensor.is_immediate();
    tensors_.push_back(data ? without_data(tensor.shape(), tensor.dtype()) : tensor);
  }

  serialize::Dimension dimension(std::size_t input, int axis) const {
    return serialize::Dimension::parse(trace_.input_shapes[input][static_cast<std::size_t>(axis)]);
  }

  std::vector<Tensor> run(const std::vector<Tensor>& inputs, const serialize::Bindings& sizes,
                          RowWalk& rows) const {
    NoExecutor executor;
    const ExecutorScope scope(executor);
    const GradMode no_grad(false);
    Generator generator;
    const GeneratorScope draws(generator);
    const ObserverScope observed(&rows);
    NoInterrupt interrupt;
    return execute(program_, inputs, sizes, tensors_, interrupt);
  }

  const tracer::TraceResult& trace_;
  const std::vector<Tensor>& inputs_;
  std::unordered_map<std::string, int> numbers_;
  std::vector<Tensor> tensors_;
  Program program_;
};

/// Another size of the symbol that the guards allow, the next larger one if there is one: at a
/// single size an axis of rows may look like another axis (of a size 1, or of the same size).
std::optional<serialize::Bindings> other_sizes(const tracer::TraceResult& trace,
                                               const serialize::Bindings& example,
                                               const std::string& symbol) {
  constexpr std::int64_t kTried = 64;  // beyond the steps in which traces let sizes go
  const std::int64_t size = example.find(symbol).value_or(0);
  const auto allowed = [&](std::int64_t other) {
    serialize::Bindings sizes = example;
    sizes.set(symbol, other);
    return std::all_of(trace.guards.begin(), trace.guards.end(),
                       [&](const tracer::TraceGuard& guard) {
                         return serialize::Condition::parse(guard.condition).holds(sizes);
                       })
               ? std::optional(sizes)
               : std::nullopt;
  };
  for (std::int64_t step = 1; step <= kTried; ++step) {
    if (auto sizes = allowed(size + step)) {
      return sizes;
    }
  }
  for (std::int64_t smaller = size - 1; smaller > std::max<std::int64_t>(size - kTried, 1);
       --smaller) {
    if (auto sizes = allowed(smaller)) {
      return sizes;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string row_dependence(const tracer::TraceResult& trace, const std::vector<Tensor>& inputs,
                           const std::vector<ExportTensor>& tensors) {
  const std::string symbol =
      trace.input_shapes.empty() || trace.input_shapes[0].empty() ? "" : trace.input_shapes[0][0];
  const auto begins_with_symbol = [&](const std::vector<tracer::SizeText>& shape) {
    return !shape.empty() && shape[0] == symbol;
  };
  if (symbol.empty() || !serialize::Dimension::parse(symbol).is_symbol() ||
      !std::all_of(trace.input_shapes.begin(), trace.input_shapes.end(), begins_with_symbol) ||
      !std::all_of(trace.output_shapes.begin(), trace.output_shapes.end(), begins_with_symbol)) {
    return "axis 0 of every input and output is not one symbol";
  }
  const ShapeRun method(trace, inputs, tensors);
  const serialize::Bindings example = method.example_sizes();
  const std::string reason = method.dependence(example);
  const auto other = other_sizes(trace, example, symbol);
  return reason.empty() && other ? method.dependence(*other) : reason;
}

}  // namespace rondo::jit
