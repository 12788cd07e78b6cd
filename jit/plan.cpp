#include "jit/plan.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <chrono>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/tensor/copy.h"
#include "jit/contraction.h"
#include "jit/device_launch.h"
#include "jit/params.h"
#include "jit/profile.h"
#include "jit/stats.h"

namespace rondo::jit {
namespace {

using codegen::KernelPlan;
using codegen::OperandRef;
using codegen::Step;

constexpr std::size_t kMaxBounds = 4;

/// Calls `visit` with shape and strides of each tensor that has them, until it returns false.
template <class Visit>
bool visit_geometry(std::span<const CallTensors> calls, Visit visit) {
  for (const CallTensors& call : calls) {
    for (const std::span<const Tensor> tensors : {call.inputs, call.outputs}) {
      for (const Tensor& t : tensors) {
        if (t.defined() && !t.is_immediate() && !(visit(t.shape()) && visit(t.strides()))) {
          return false;
        }
      }
    }
  }
  return true;
}

std::vector<std::int64_t> geometry_of(std::span<const CallTensors> calls) {
  std::vector<std::int64_t> geometry;
  visit_geometry(calls, [&](const Shape& sizes) {
    geometry.insert(geometry.end(), sizes.begin(), sizes.end());
    return true;
  });
  return geometry;
}

/// Whether geometry_of(calls) is `left`, without making it: this is done at each launch.
bool has_geometry(std::span<const CallTensors> calls, std::span<const std::int64_t> left) {
  const bool same = visit_geometry(calls, [&](const Shape& sizes) {
    const auto rank = static_cast<std::size_t>(sizes.rank());
    if (left.size() < rank || !std::equal(sizes.begin(), sizes.end(), left.begin())) {
      return false;
    }
    left = left.subspan(rank);
    return true;
  });
  return same && left.empty();
}

std::uint64_t scalar_bits(const Scalar& value, Reg reg) {
  const bool floating = value.is_floating();
  switch (reg) {
    case Reg::i32:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(value.to_int()));
    case Reg::i64:
      return static_cast<std::uint64_t>(value.to_int());
    case Reg::f32:
      return std::bit_cast<std::uint32_t>(floating ? static_cast<float>(value.to_double())
                                                   : static_cast<float>(value.to_int()));
    default:
      return std::bit_cast<std::uint64_t>(value.to_double());
  }
}

}  // namespace

/// Finds shapes and strides for everything in the plan.
class Plan::Binder {
 public:
  Binder(const codegen::Lowered& lowered, std::span<const CallTensors> calls, Bound& bound)
      : lowered_(lowered), flow_(lowered.flow), calls_(calls), bound_(bound) {}

  void run() {
    bound_.shapes.resize(flow_.values.size());
    temporaries_.assign(flow_.values.size(), -1);
    for (std::size_t v = 0; v < flow_.values.size(); ++v) {
      if (flow_.values[v].call >= 0) {
        bound_.shapes[v] = tensor(flow_.values[v]).shape();
      }
    }
    for (const FlowNode& node : flow_.nodes) {
      infer(node);
    }
    for (const Step& step : lowered_.steps) {
      bound_.steps.push_back(bind(step));
    }
  }

 private:
  const Tensor& tensor(const FlowValue& value) const {
    return at(value.call, value.slot, value.result);
  }
  const Tensor& at(int call, int slot, bool result) const {
    const CallTensors& tensors = calls_[static_cast<std::size_t>(call)];
    return (result ? tensors.outputs : tensors.inputs)[static_cast<std::size_t>(slot)];
  }
  const FlowValue& value(int v) const { return flow_.values[static_cast<std::size_t>(v)]; }

  /// Shapes of values that only a composite's body knows.
  void infer(const FlowNode& node) {
    if (value(node.outputs[0]).call >= 0) {
      return;
    }
    std::vector<Tensor> inputs(node.inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const FlowUse& use = node.inputs[i];
      if (use.value < 0) {
        continue;
      }
      const FlowValue& v = value(use.value);
      const Shape& base = bound_.shapes[static_cast<std::size_t>(use.value)];
      inputs[i] = v.immediate
                      ? Tensor::immediate(Scalar(0), v.dtype, v.weak)
                      : Tensor::empty(shape_of_use(use.view, base), v.dtype, {DeviceType::meta, 0});
    }
    std::vector<Meta> metas;
    node.op->infer({*node.op, inputs, node.attrs}, metas);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const auto out = static_cast<std::size_t>(node.outputs[i]);
      bound_.shapes[out] = metas[i].shape;
      if (lowered_.stored[out] != 0) {
        temporaries_[out] = static_cast<int>(bound_.temporaries.size());
        bound_.temporaries.push_back({metas[i].shape, metas[i].dtype});
      }
    }
  }

  Place place_of(int v) const {
    const FlowValue& val = value(v);
    if (val.call >= 0) {
      return {val.call, val.slot, val.result, -1};
    }
    return {-1, -1, false, temporaries_[static_cast<std::size_t>(v)]};
  }

  /// Where a use's memory is, and its geometry.
  Place resolve(const FlowUse& use, int call, int slot, Shape& shape, Shape& strides) const {
    if (use.view.kind == UseView::Kind::opaque) {
      const Tensor& seen = at(call, slot, false);
      shape = seen.shape();
      strides = seen.strides();
      return {call, slot, false, -1};
    }
    const Place place = place_of(use.value);
    const Shape& base = bound_.shapes[static_cast<std::size_t>(use.value)];
    const Shape base_strides = place.call >= 0 ? at(place.call, place.slot, place.result).strides()
                                               : contiguous_strides(base);
    if (use.view.kind == UseView::Kind::identity) {
      shape = base;
      strides = base_strides;
      return place;
    }
    shape = shape_of_use(use.view, base);
    strides = Shape::filled(use.view.rank, 0);
    for (int d = 0; d < use.view.rank; ++d) {
      const int axis = use.view.axis[static_cast<std::size_t>(d)];
      strides[d] = axis < 0 ? 0 : base_strides[axis];
    }
    return place;
  }

  BoundStep bind(const Step& step) {
    BoundStep bound;
    if (step.kind != Step::Kind::kernel) {
      const FlowNode& node = flow_.nodes[static_cast<std::size_t>(step.node)];
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        Shape shape;
        Shape strides;
        Place place;
        if (node.inputs[i].value >= 0 && !value(node.inputs[i].value).immediate) {
          place = resolve(node.inputs[i], node.call, static_cast<int>(i), shape, strides);
          if (node.whole_call) {  // an axis that repeats an element has its size here alone
            shape = at(node.call, static_cast<int>(i), false).shape();
          }
        } else if (node.inputs[i].value >= 0) {
          place = place_of(node.inputs[i].value);
        }
        bound.inputs.push_back(place);
        bound.input_shapes.push_back(shape);
        bound.input_strides.push_back(strides);
      }
      for (const int out : node.outputs) {
        bound.outputs.push_back(place_of(out));
      }
    }
    if (!step.plan.kernel.code.empty()) {
      bind_kernel_of(step, bound);
    }
    return bound;
  }

  void bind_kernel_of(const Step& step, BoundStep& bound) {
    const KernelPlan& plan = step.plan;
    Shape space;
    if (step.space_value >= 0) {
      space = bound_.shapes[static_cast<std::size_t>(step.space_value)];
    } else {
      Shape strides;
      const FlowNode& node = flow_.nodes[static_cast<std::size_t>(step.node)];
      resolve(step.space_use, node.call, 0, space, strides);
    }
    std::vector<BoundOperand> operands;
    for (std::size_t i = 0; i < plan.operands.size(); ++i) {
      const OperandRef& ref = plan.operands[i];
      Shape shape;
      Shape strides;
      const Place place = resolve({ref.value, ref.view}, ref.call, ref.slot, shape, strides);
      bound.operands.push_back(place);
      BoundOperand operand;
      const std::int64_t element = size_bytes(plan.kernel.operands[i].dtype, 1);
      for (int f = 0; f < plan.rank; ++f) {
        const int axis = ref.axis[static_cast<std::size_t>(f)];
        const bool varies = axis >= 0 && shape[axis] != 1;
        operand.stride[static_cast<std::size_t>(f)] = varies ? strides[axis] * element : 0;
      }
      operands.push_back(operand);
    }
    bound.space = space;
    if (step.kind == Step::Kind::kernel) {
      bound.kernel = bind_kernel(plan, space, std::move(operands));
    } else {
      const FlowNode& node = flow_.nodes[static_cast<std::size_t>(step.node)];
      const TileAxes axes =
          tile_axes(*node.op, node.inputs[0].view.rank, node.inputs[1].view.rank, space.rank());
      bound.kernel = bind_epilogue(plan, space, axes, plan.tile_operand, std::move(operands));
    }
  }

  const codegen::Lowered& lowered_;
  const Flow& flow_;
  std::span<const CallTensors> calls_;
  Bound& bound_;
  std::vector<int> temporaries_;
};

/// One run over bound steps.
class Plan::Run {
 public:
  Run(const codegen::Lowered& lowered, const Bound& bound, std::span<const CallTensors> calls,
      Buffers& buffers)
      : lowered_(lowered),
        bound_(bound),
        calls_(calls),
        device_(calls[0].outputs[0].device()),
        data_(buffers.data),
        scalars_(buffers.scalars) {
    for (const Meta& meta : bound.temporaries) {
      temporaries_.push_back(Tensor::empty(meta.shape, meta.dtype, device_));
    }
  }

  void run() {
    for (std::size_t i = 0; i < bound_.steps.size(); ++i) {
      const Step& step = lowered_.steps[i];
      const BoundStep& bound = bound_.steps[i];
      check_interrupt();
      if (!params().profile) [[likely]] {
        run_step(step, bound);
        continue;
      }
      const auto begin = std::chrono::steady_clock::now();
      run_step(step, bound);
      const auto time = std::chrono::steady_clock::now() - begin;
      add_to_profile(name(step, bound), std::chrono::nanoseconds(time).count());
    }
  }

 private:
  void run_step(const Step& step, const BoundStep& bound) {
    switch (step.kind) {
      case Step::Kind::kernel:
        run_kernel(step.plan, bound);
        break;
      case Step::Kind::contraction:
        run_contraction(step, bound);
        break;
      default:
        run_function(step, bound);
    }
  }

  /// What a step is in a profile: its operations and sizes.
  std::string name(const Step& step, const BoundStep& bound) const {
    if (step.kind == Step::Kind::kernel) {
      return fmt::format("{} over {}", operations_of(step.plan.kernel), bound.space);
    }
    const FlowNode& node = lowered_.flow.nodes[static_cast<std::size_t>(step.node)];
    const bool fused = !step.plan.kernel.code.empty();
    return fmt::format("{} of {}{}{}", node.op->name, fmt::join(bound.input_shapes, ", "),
                       fused ? ", then " : "", fused ? operations_of(step.plan.kernel) : "");
  }

  const Tensor& tensor(const Place& place) const {
    if (place.call < 0) {
      return temporaries_[static_cast<std::size_t>(place.temporary)];
    }
    const CallTensors& tensors = calls_[static_cast<std::size_t>(place.call)];
    return (place.result ? tensors.outputs : tensors.inputs)[static_cast<std::size_t>(place.slot)];
  }

  static std::byte* address(const Tensor& t) {
    return t.storage()->address() + size_bytes(t.dtype(), t.offset());
  }

  void fill_scalars(const KernelPlan& plan, std::int64_t count) {
    scalars_.clear();
    for (const codegen::ScalarRef& ref : plan.scalars) {
      if (ref.count) {
        scalars_.push_back(scalar_bits(Scalar(static_cast<long>(count)), ref.reg));
        continue;
      }
      const FlowValue& v = lowered_.flow.values[static_cast<std::size_t>(ref.value)];
      const Scalar number =
          v.constant ? v.number : tensor({v.call, v.slot, v.result, -1}).impl()->immediate;
      scalars_.push_back(scalar_bits(number, ref.reg));
    }
  }

  static void count_kernel(const KernelPlan& plan, bool compiled) {
    std::atomic<std::uint64_t>& count = compiled ? op_counts().compiled : op_counts().interpreted;
    count.fetch_add(static_cast<std::uint64_t>(plan.nodes), std::memory_order_relaxed);
  }

  void run_kernel(const KernelPlan& plan, const BoundStep& bound) {
    fill_scalars(plan, bound.kernel.count);
    data_.clear();
    for (const Place& place : bound.operands) {
      data_.push_back(address(tensor(place)));
    }
    const Copies copies(*this, plan, bound);
    if (device_.is_remote()) [[unlikely]] {
      launch_on_device(device_, bound.kernel, data_, scalars_, plan.nodes);
    } else {
      count_kernel(plan, launch(bound.kernel, data_, scalars_.data()));
    }
    copies.write_back();
  }

  /// Operands that do not lie evenly go through copies in the order of the space.
  class Copies {
   public:
    Copies(Run& run, const KernelPlan& plan, const BoundStep& bound) {
      for (std::size_t i = 0; i < run.data_.size(); ++i) {
        if (bound.kernel.operands[i].copied) {
          make(run, plan, bound, i);
        }
      }
    }
    void write_back() const {
      for (const Copy& copy : list_) {
        if (copy.written) {
          copy_in_place(copy.original, copy.copy);
        }
      }
    }

   private:
    struct Copy {
      Tensor original;
      Tensor copy;
      bool written;
    };

    void make(Run& run, const KernelPlan& plan, const BoundStep& bound, std::size_t i) {
      const BoundOperand& operand = bound.kernel.operands[i];
      const Dtype dtype = plan.kernel.operands[i].dtype;
      const Tensor& source = run.tensor(bound.operands[i]);
      Shape shape = bound.space;
      Shape from = Shape::filled(shape.rank(), 0);
      for (int f = 0; f < shape.rank(); ++f) {
        const auto axis = static_cast<std::size_t>(f);
        shape[f] = operand.stride[axis] == 0 ? 1 : shape[f];
        from[f] = operand.original[axis] / size_bytes(dtype, 1);
      }
      const Tensor view = Tensor::view_of(source.storage(), shape, from, source.offset(), dtype);
      const Tensor copy = Tensor::empty(shape, dtype, run.device_);
      const bool written = plan.kernel.operands[i].written;
      if (!written) {
        copy_in_place(copy, view);
      }
      run.data_[i] = address(copy);
      list_.push_back({view, copy, written});
    }

    std::vector<Copy> list_;
  };

  /// Sizes among the attributes may differ from those that the flow was recorded with.
  std::span<const Attr> attrs(const FlowNode& node) const {
    const FlowValue& v = lowered_.flow.values[static_cast<std::size_t>(node.outputs[0])];
    const bool own = v.call >= 0 && v.result && node.whole_call;
    return own ? calls_[static_cast<std::size_t>(v.call)].attrs : std::span<const Attr>(node.attrs);
  }

  Tensor input(const BoundStep& bound, std::size_t i) const {
    const Place& place = bound.inputs[i];
    if (place.call < 0 && place.temporary < 0) {
      return {};
    }
    const Tensor& base = tensor(place);
    const bool same = base.is_immediate() || (base.shape() == bound.input_shapes[i] &&
                                              base.strides() == bound.input_strides[i]);
    return same ? base
                : Tensor::view_of(base.storage(), bound.input_shapes[i], bound.input_strides[i],
                                  base.offset(), base.dtype());
  }

  void run_contraction(const Step& step, const BoundStep& bound) {
    const FlowNode& node = lowered_.flow.nodes[static_cast<std::size_t>(step.node)];
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < bound.inputs.size(); ++i) {
      inputs.push_back(input(bound, i));
    }
    const bool fused = !step.plan.kernel.code.empty();
    op_counts().library.fetch_add(1, std::memory_order_relaxed);
    if (!fused) {
      contract({*node.op, inputs, attrs(node)},
               bound_.shapes[static_cast<std::size_t>(node.outputs[0])], &tensor(bound.outputs[0]),
               nullptr);
      return;
    }
    // Each tile chooses its form.
    count_kernel(step.plan,
                 params().mode != Mode::interpreted && bound.kernel.entry->compiled() != nullptr);
    fill_scalars(step.plan, 1);
    data_.clear();
    for (std::size_t i = 0; i < bound.operands.size(); ++i) {
      const bool tile = static_cast<int>(i) == step.plan.tile_operand;
      data_.push_back(tile ? nullptr : address(tensor(bound.operands[i])));
    }
    const Copies copies(*this, step.plan, bound);
    const EpilogueContext context{bound.kernel, data_, scalars_.data(), step.plan.tile_operand};
    contract({*node.op, inputs, attrs(node)},
             bound_.shapes[static_cast<std::size_t>(node.outputs[0])], nullptr, &context);
    copies.write_back();
  }

  void run_function(const Step& step, const BoundStep& bound) {
    const FlowNode& node = lowered_.flow.nodes[static_cast<std::size_t>(step.node)];
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
    for (std::size_t i = 0; i < bound.inputs.size(); ++i) {
      const Tensor given = input(bound, i);
      const bool in_memory = given.defined() && !given.is_immediate();
      inputs.push_back(in_memory ? contiguous_copy(given) : given);
    }
    for (std::size_t i = 0; i < bound.outputs.size(); ++i) {
      const bool stored = lowered_.stored[static_cast<std::size_t>(node.outputs[i])] != 0;
      outputs.push_back(stored ? tensor(bound.outputs[i]) : Tensor());
    }
    op_counts().functions.fetch_add(1, std::memory_order_relaxed);
    node.op->run({*node.op, inputs, attrs(node)}, outputs);
  }

  const codegen::Lowered& lowered_;
  const Bound& bound_;
  std::span<const CallTensors> calls_;
  Device device_;  // of all tensors in memory
  std::vector<Tensor> temporaries_;
  std::vector<std::byte*>& data_;
  std::vector<std::uint64_t>& scalars_;
};

const Plan::Bound& Plan::bind(std::span<const CallTensors> calls) {
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    if (has_geometry(calls, bounds_[i]->geometry)) {
      std::rotate(bounds_.begin(), bounds_.begin() + static_cast<std::ptrdiff_t>(i),
                  bounds_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return *bounds_[0];
    }
  }
  auto bound = std::make_unique<Bound>();
  bound->geometry = geometry_of(calls);
  Binder(*lowered_, calls, *bound).run();
  if (bounds_.size() == kMaxBounds) {
    bounds_.pop_back();
  }
  bounds_.insert(bounds_.begin(), std::move(bound));
  return *bounds_[0];
}

void Plan::run(std::span<const CallTensors> calls) {
  Run(*lowered_, bind(calls), calls, buffers_).run();
}

}  // namespace rondo::jit
