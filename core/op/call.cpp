#include "core/op/call.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/float_environment.h"
#include "core/op/device_scope.h"
#include "core/op/generator.h"
#include "core/tensor/transfer.h"

namespace rondo {
namespace {

AutogradHooks autograd_hooks;

/// Results of the shape rule, reused by the calls of a thread. A shape rule may call ops: levels
/// nest.
struct MetaStack {
  std::array<std::vector<Meta>, 16> levels;
  std::size_t depth = 0;
};
thread_local MetaStack meta_stack;

class MetaScope {
 public:
  MetaScope() : level_(meta_stack.depth++) {
    invariant(level_ < meta_stack.levels.size(), "ops nest too deeply");
    metas().clear();
  }
  ~MetaScope() { --meta_stack.depth; }
  MetaScope(const MetaScope&) = delete;
  MetaScope& operator=(const MetaScope&) = delete;
  std::vector<Meta>& metas() const { return meta_stack.levels[level_]; }

 private:
  std::size_t level_;
};

bool any_requires_grad(std::span<const Tensor> inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Tensor& t) { return t.defined() && t.requires_grad(); });
}

void call_view(const OpInfo& op, std::span<const Tensor> inputs, std::span<const Attr> attrs,
               std::span<Tensor> outputs) {
  ViewGeometry geometry;
  const Tensor source = materialize(inputs[0]);
  if (op.view({op, {&source, 1}, attrs}, geometry)) {
    outputs[0] = Tensor::view_of(source.storage(), geometry.shape, geometry.strides,
                                 geometry.offset, source.dtype());
  } else {
    const GradMode no_grad(false);
    const Tensor copy = contiguous(source);
    invariant(op.view({op, {&copy, 1}, attrs}, geometry), "a view of a contiguous tensor failed");
    outputs[0] = Tensor::view_of(copy.storage(), geometry.shape, geometry.strides, geometry.offset,
                                 source.dtype());
  }
}

/// The operands of a call; for an op that draws, `seed` and `offset` (its last two) are taken from
/// the thread's generator here unless they were given, so that they are inputs like any other from
/// then on.
class RandomInputs {
 public:
  RandomInputs(const OpInfo& op, std::span<const Tensor> given) : inputs_(given) {
    if (op.deterministic || given.back().defined()) [[likely]] {
      return;
    }
    drawn_.assign(given.begin(), given.end());
    inputs_ = drawn_;
    const RandomDraw draw = current_generator().draw();
    drawn_[drawn_.size() - 2] = Tensor::immediate(Scalar(draw.seed), Dtype::int64, false);
    drawn_[drawn_.size() - 1] = Tensor::immediate(Scalar(draw.offset), Dtype::int64, false);
  }
  std::span<const Tensor> inputs() const { return inputs_; }

 private:
  std::span<const Tensor> inputs_;
  std::vector<Tensor> drawn_;
};

/// A composite without a gradient of its own is differentiated through its body.
bool decomposes(const OpInfo& op, bool records) {
  return op.derived || (records && op.kind == OpKind::composite && op.gradient == nullptr);
}

/// Calls the ops of the body in place of the op.
void call_body(const OpInfo& op, std::span<const Tensor> inputs, std::span<const Attr> attrs,
               std::span<Tensor> outputs) {
  if (!op.derived) {
    const MetaScope scope;
    op.infer({op, inputs, attrs}, scope.metas());
  }
  const DeviceScope scope(device_of(inputs));
  std::vector<Tensor> results;
  try {
    op.body({op, inputs, attrs}, results);
  } catch (const Error& error) {
    rethrow_as(op.name, error);
  }
  std::copy(results.begin(), results.end(), outputs.begin());
}

void call_results(const OpInfo& op, std::span<const Tensor> inputs, std::span<const Attr> attrs,
                  std::span<Tensor> outputs) {
  const MetaScope scope;
  const PlacedInputs placed(op, inputs, op.in_place);
  op.infer({op, inputs, attrs}, scope.metas());
  for (std::size_t i = 0; i < outputs.size() && !op.in_place; ++i) {
    const Meta& meta = scope.metas()[i];
    checked_numel(meta.shape, op.name);
    outputs[i] = Tensor::empty(meta.shape, meta.dtype, placed.device());
  }
  current_executor().execute({op, placed.inputs(), attrs, outputs, op.in_place});
  if (op.in_place) {
    for (const Tensor& output : outputs) {
      output.storage()->bump_version();
    }
  }
}

}  // namespace

void rethrow_as(std::string_view name, const Error& error) {
  const std::string_view text = error.what();
  const std::size_t colon = text.find(':');
  const std::string_view op = text.substr(0, colon);
  const bool in_place = op.ends_with('_');
  if (colon == text.npos ||
      OpTable::instance().find(op.substr(0, op.size() - (in_place ? 1 : 0))) == nullptr) {
    throw;
  }
  throw_error(error.kind(), std::string(name).append(text.substr(colon)));
}

void set_autograd_hooks(const AutogradHooks& hooks) {
  autograd_hooks = hooks;
}

bool& grad_enabled() {
  thread_local bool enabled = true;
  return enabled;
}

void call(const OpInfo& op, std::span<const Tensor> given, std::span<const Attr> attrs,
          std::span<Tensor> outputs) {
  const FloatEnvironment environment;
  const RandomInputs drawn(op, given);
  const std::span<const Tensor> inputs = drawn.inputs();
  const bool records = grad_enabled() && op.differentiable && any_requires_grad(inputs);
  CallObserver* const observer = current_observer();
  if (decomposes(op, records)) {
    call_body(op, inputs, attrs, outputs);
    return;
  }
  const OpCall made{op, inputs, attrs, outputs, op.in_place};
  if (op.kind == OpKind::view) {
    call_view(op, inputs, attrs, outputs);
    if (grad_enabled() && autograd_hooks.record_view != nullptr) {
      autograd_hooks.record_view(made);
    }
  } else {
    Tensor original;
    if (op.in_place) {
      std::copy_n(inputs.begin(), outputs.size(), outputs.begin());
      if (autograd_hooks.before_in_place != nullptr) {
        original = autograd_hooks.before_in_place(made, records);
      }
    }
    call_results(op, inputs, attrs, outputs);
    if (records) {
      autograd_hooks.record(made, original);
    }
  }
  if (observer != nullptr) [[unlikely]] {
    // What was given, not what was drawn: a program that is traced draws anew each time.
    observer->called({op, given, attrs, outputs, op.in_place});
  }
}

namespace {

/// The in-place form of an op that does not fuse: its result is copied into the first operand.
Tensor call_and_copy(const OpInfo& op, std::span<const Tensor> inputs,
                     std::span<const Attr> attrs) {
  const OpInfo* copy = OpTable::instance().find("copy");
  invariant(copy != nullptr, "the op copy is not registered");
  std::array<Tensor, 2> operands{inputs[0], {}};
  call(op, inputs, attrs, {&operands[1], 1});
  return call_in_place(*copy, operands, {});
}

}  // namespace

Tensor call_in_place(const OpInfo& op, std::span<const Tensor> inputs,
                     std::span<const Attr> attrs) {
  const FloatEnvironment environment;
  check<ArgumentError>(op.has_in_place, "{}_: there is no in-place form; use {}", op.name, op.name);
  const Tensor& target = inputs[0];
  check<ArgumentError>(!target.is_immediate() && target.storage()->writable(),
                       "{}_: the tensor is read-only; write into a copy made with clone()",
                       op.name);
  if (op.kind != OpKind::elementwise) {
    return call_and_copy(op, inputs, attrs);
  }
  const MetaScope scope;
  const PlacedInputs placed(op, inputs, true);
  op.infer({op, inputs, attrs}, scope.metas());
  const Meta& meta = scope.metas()[0];
  check<ShapeError>(meta.shape == target.shape(),
                    "{}_: the result does not fit in place: {} into {}; shapes must be equal",
                    op.name, meta.shape, target.shape());
  const bool narrows = is_floating(meta.dtype) && !is_floating(target.dtype());
  check<DtypeError>(!narrows, "{}_: the result is {}, the tensor is {}; it cannot hold a fraction",
                    op.name, dtype_name(meta.dtype), dtype_name(target.dtype()));
  Tensor output = target;
  const OpCall made{op, inputs, attrs, {&output, 1}, true};
  const bool records = grad_enabled() && any_requires_grad(inputs);
  Tensor original;
  if (autograd_hooks.before_in_place != nullptr) {
    original = autograd_hooks.before_in_place(made, records);
  }
  current_executor().execute({op, placed.inputs(), attrs, {&output, 1}, true});
  target.storage()->bump_version();
  if (records) {
    autograd_hooks.record(made, original);
  }
  if (current_observer() != nullptr) [[unlikely]] {
    current_observer()->called(made);
  }
  return target;
}

Tensor call_one(const OpInfo& op, std::initializer_list<ArgValue> args) {
  const BoundArgs bound = bind_args(op, std::span(args.begin(), args.size()));
  Tensor output;
  call(op, bound.inputs, bound.attrs, {&output, 1});
  return output;
}

std::vector<Tensor> call_many(const OpInfo& op, std::initializer_list<ArgValue> args) {
  const BoundArgs bound = bind_args(op, std::span(args.begin(), args.size()));
  std::vector<Tensor> outputs(static_cast<std::size_t>(op.schema.outputs));
  call(op, bound.inputs, bound.attrs, outputs);
  return outputs;
}

Tensor call_one_in_place(const OpInfo& op, std::initializer_list<ArgValue> args) {
  const BoundArgs bound = bind_args(op, std::span(args.begin(), args.size()));
  return call_in_place(op, bound.inputs, bound.attrs);
}

Tensor materialize(const Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_immediate()) {
    return tensor;
  }
  const FloatEnvironment environment;
  const bool weak_float = tensor.is_weak() && tensor.dtype() == Dtype::float64;
  const Tensor result = Tensor::empty(tensor.shape(), weak_float ? Dtype::float32 : tensor.dtype());
  write_element(result.storage()->raw_data(), result.dtype(), tensor.impl()->immediate);
  return default_device().is_remote() ? to_device(result, default_device()) : result;
}

Tensor contiguous(const Tensor& tensor) {
  Tensor source = materialize(tensor);
  if (source.is_contiguous()) {
    return source;
  }
  const OpInfo* clone = OpTable::instance().find("clone");
  invariant(clone != nullptr, "the op clone is not registered");
  Tensor copy;
  call(*clone, {&source, 1}, {}, {&copy, 1});
  return copy;
}

void synchronize() {
  const FloatEnvironment environment;
  current_executor().flush();
}

}  // namespace rondo
