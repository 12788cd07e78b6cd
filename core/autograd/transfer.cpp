#include "core/autograd/transfer.h"

#include "core/autograd/tape.h"
#include "core/tensor/transfer.h"

namespace rondo {
namespace {

/// What a node needs of an op: a name, PyTorch's for such copies.
const OpInfo& transfer_op() {
  static const OpInfo& op = *[] {
    auto* const made = new OpInfo;
    made->name = "to_copy";
    return made;
  }();
  return op;
}

class TransferNode final : public GradNode {
 public:
  explicit TransferNode(Device source) : source_(source) { op = &transfer_op(); }

  std::vector<Gradient> apply(std::span<const Tensor> grads) override {
    check_not_released();
    return {{move_to(grads[0], source_)}};
  }

 private:
  Device source_;
};

}  // namespace

Tensor move_to(const Tensor& tensor, Device device) {
  if (tensor.is_immediate() || tensor.device() == device) {
    return tensor;
  }
  if (current_observer() != nullptr) {
    current_observer()->host_read(tensor);
  }
  const Tensor moved = to_device(tensor, device);
  if (grad_enabled() && tensor.requires_grad()) {
    record_node(Ref<GradNode>(new TransferNode(tensor.device())), {&tensor, 1}, {&moved, 1});
  }
  return moved;
}

}  // namespace rondo
