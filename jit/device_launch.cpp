#include "jit/device_launch.h"

#include <algorithm>

#include "codegen/device_target.h"
#include "core/base/error.h"
#include "core/tensor/copy.h"
#include "core/tensor/transfer.h"
#include "jit/stats.h"

namespace rondo::jit {
namespace {

using codegen::Instr;
using codegen::InstrKind;
using codegen::Kernel;
using codegen::Level;
using codegen::Step;

/// Integers of the same width, so that no bit changes on the way through a register.
Dtype bits_dtype(Dtype dtype) {
  switch (dtype_bits(dtype)) {
    case 8:
      return Dtype::uint8;
    case 16:
      return Dtype::int16;
    case 32:
      return Dtype::int32;
    default:
      return Dtype::int64;
  }
}

Kernel copy_kernel(Dtype dtype) {
  Instr load;
  load.kind = InstrKind::load;
  load.reg = reg_of(dtype);
  load.level = Level::element;
  load.operand = 0;
  Instr store = load;
  store.kind = InstrKind::store;
  store.operand = 1;
  store.a = 0;
  Kernel kernel;
  kernel.operands = {{dtype, Level::element, false}, {dtype, Level::element, true}};
  kernel.code = {load, store};
  return kernel;
}

BoundOperand operand_of(const Tensor& tensor) {
  BoundOperand operand;
  for (int i = 0; i < tensor.rank(); ++i) {
    operand.stride[static_cast<std::size_t>(i)] =
        tensor.shape()[i] == 1 ? 0 : size_bytes(tensor.dtype(), tensor.strides()[i]);
  }
  return operand;
}

std::byte* address(const Tensor& tensor) {
  return tensor.storage()->address() + size_bytes(tensor.dtype(), tensor.offset());
}

/// The first step that is no kernel.
const Step* host_step(const codegen::Lowered& lowered) {
  const auto found = std::find_if(lowered.steps.begin(), lowered.steps.end(),
                                  [](const Step& s) { return s.kind != Step::Kind::kernel; });
  return found == lowered.steps.end() ? nullptr : &*found;
}

void run_on_host(const OpCall& call, Plan& plan) {
  invariant(!call.in_place, "a call in place has a step that is no kernel");
  std::vector<Tensor> inputs;
  for (const Tensor& input : call.inputs) {
    inputs.push_back(input.defined() ? to_host(input) : input);
  }
  std::vector<Tensor> outputs;
  for (const Tensor& output : call.outputs) {
    outputs.push_back(Tensor::empty(output.shape(), output.dtype()));
  }
  const CallTensors tensors{inputs, outputs, call.attrs};
  plan.run({&tensors, 1});
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    copy_from_host(call.outputs[i], outputs[i]);
  }
}

}  // namespace

void launch_on_device(Device device, const BoundKernel& kernel, const std::vector<std::byte*>& data,
                      const std::vector<std::uint64_t>& scalars, int nodes) {
  if (kernel.empty) {
    return;
  }
  codegen::DeviceCall call;
  for (const std::byte* pointer : data) {
    call.data.push_back(reinterpret_cast<std::uint64_t>(pointer));
  }
  call.row_stride = kernel.row_stride;
  call.outer_stride = kernel.outer_stride;
  call.col_stride = kernel.col_stride;
  call.loop_sizes = kernel.loop_sizes;
  call.loop_strides = kernel.loop_strides;
  call.scalars = scalars;
  call.rows = kernel.rows;
  call.outer = kernel.outer;
  call.cols = kernel.cols;
  codegen::device_target(device).launch(device.index, kernel.entry->kernel(), call);
  op_counts().on_devices.fetch_add(static_cast<std::uint64_t>(nodes), std::memory_order_relaxed);
}

void copy_in_place(const Tensor& target, const Tensor& source) {
  const Device device = target.device();
  if (!device.is_remote()) {
    copy_elements(target, source);
    return;
  }
  codegen::KernelPlan plan;
  plan.kernel = copy_kernel(bits_dtype(target.dtype()));
  plan.rank = target.rank();
  const BoundKernel bound =
      bind_kernel(plan, target.shape(), {operand_of(source), operand_of(target)});
  launch_on_device(device, bound, {address(source), address(target)}, {}, 0);
}

void run_on_device(const OpCall& call, Plan& plan) {
  if (const Step* step = host_step(plan.lowered())) {
    count_fallback(call.op, step->kind == Step::Kind::contraction
                                ? FallbackReason::product_on_host
                                : FallbackReason::function_on_host);
    run_on_host(call, plan);
    return;
  }
  const CallTensors tensors{call.inputs, call.outputs, call.attrs};
  plan.run({&tensors, 1});
}

}  // namespace rondo::jit
