#include "core/op/device_scope.h"

#include <string>

#include "core/base/error.h"
#include "core/op/executor.h"
#include "core/tensor/transfer.h"

namespace rondo {
namespace {

bool has_storage(const Tensor& tensor) {
  return tensor.defined() && !tensor.is_immediate();
}

/// The argument that operand `i` belongs to; a list is the last one and takes all that are left.
std::string_view argument_name(const OpInfo& op, std::size_t i) {
  std::string_view name;
  std::size_t operand = 0;
  for (const SchemaArg& arg : op.schema.args) {
    if (arg.is_operand() && operand++ <= i) {
      name = arg.name;
    }
  }
  return name;
}

bool may_move(const OpInfo& op, const Tensor& input, Device device) {
  const bool number =
      input.rank() == 0 && input.device().type == DeviceType::cpu && device.is_remote();
  return op.moves_operands || (number && op.kind == OpKind::elementwise);
}

}  // namespace

Device& default_device() {
  thread_local Device device;
  return device;
}

Device device_of(std::span<const Tensor> tensors) {
  bool any = false;
  for (const Tensor& tensor : tensors) {
    if (has_storage(tensor)) {
      if (tensor.device().type != DeviceType::cpu) {
        return tensor.device();
      }
      any = true;
    }
  }
  return any ? Device{} : default_device();
}

PlacedInputs::PlacedInputs(const OpInfo& op, std::span<const Tensor> inputs, bool writes_first)
    : device_(writes_first ? inputs[0].device() : device_of(inputs)), inputs_(inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!has_storage(inputs[i]) || inputs[i].device() == device_) [[likely]] {
      continue;
    }
    check<DeviceError>(may_move(op, inputs[i], device_),
                       "{}: {} is on {}, other operands are on {}; move one with to()", op.name,
                       argument_name(op, i), inputs[i].device().str(), device_.str());
    if (current_observer() != nullptr) [[unlikely]] {
      current_observer()->host_read(inputs[i]);
    }
    if (moved_.empty()) {
      moved_.assign(inputs.begin(), inputs.end());
      inputs_ = moved_;
    }
    moved_[i] = to_device(inputs[i], device_);
  }
}

}  // namespace rondo
