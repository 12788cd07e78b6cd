#include "jit/session.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/autograd/backward.h"
#include "core/autograd/tape.h"
#include "core/base/error.h"
#include "core/base/float_environment.h"
#include "core/base/interrupt.h"
#include "core/op/call.h"
#include "core/ops/create.h"
#include "core/tensor/copy.h"
#include "jit/program.h"

namespace rondo::jit {
namespace {

/// What an archive holds is contiguous.
Tensor copy_of(const Tensor& tensor) {
  const Tensor copy = Tensor::empty(tensor.shape(), tensor.dtype());
  tensor.data();
  copy_elements(copy, tensor);
  return copy;
}

}  // namespace

Session::InUse::InUse(const Session& session, const char* operation) : flag_(session.in_use_) {
  check<ArgumentError>(
      !flag_.test_and_set(),
      "{}: the session is running in another thread; give each thread a session of its own",
      operation);
}

/// Ends a run that was cancelled, is late, or whose results nobody waits for.
class Session::RunInterrupt final : public Interrupt {
 public:
  RunInterrupt(std::string_view method, const RunOptions& options,
               const std::atomic<bool>& cancelled)
      : method_(method), options_(options), cancelled_(cancelled) {}

  void check() override {
    rondo::check<CancelledError>(!cancelled_.load(std::memory_order_relaxed),
                                 "run: '{}' was cancelled", method_);
    rondo::check<DeadlineError>(
        !options_.deadline || std::chrono::steady_clock::now() < *options_.deadline,
        "run: '{}' was ended: its deadline has passed", method_);
    rondo::check<CancelledError>(!options_.abandoned || !options_.abandoned(),
                                 "run: '{}' was ended: nobody waits for its results", method_);
  }

 private:
  std::string_view method_;
  const RunOptions& options_;
  const std::atomic<bool>& cancelled_;
};

Session::Session(std::shared_ptr<const Module> module)
    : module_(std::move(module)),
      tensors_(module_->tensors().begin(), module_->tensors().end()),
      own_(tensors_.size(), false) {}

std::vector<Tensor> Session::run(std::string_view method, const std::vector<Tensor>& inputs,
                                 const RunOptions& options) {
  const InUse running(*this, "run");
  const FloatEnvironment environment;
  cancelled_ = false;
  const serialize::Bindings sizes = module_->check_call(method, options.mode, inputs);
  const serialize::Body& body = module_->body(method, options.mode);
  for (const std::string& buffer : body.mutable_buffers) {
    make_own(static_cast<std::size_t>(module_->number(buffer)));
  }
  const bool records = trainable_ || std::any_of(inputs.begin(), inputs.end(),
                                                 [](const Tensor& t) { return t.requires_grad(); });
  const GradMode grad(records && grad_enabled());
  const GeneratorScope draws(generator_);
  std::optional<WorkGuard> guard;
  if (std::isfinite(options.limits.work)) {
    guard.emplace(options.limits);
  }
  const Program& program = *module_->programs_.at(body.code);
  RunInterrupt interrupt(method, options, cancelled_);
  if (!options.finish) {
    return execute(program, inputs, sizes, tensors_, interrupt);
  }
  synchronize();  // what was called before is not to be ended
  const InterruptScope scope(&interrupt);
  std::vector<Tensor> outputs = execute(program, inputs, sizes, tensors_, interrupt);
  for (const Tensor& output : outputs) {
    if (!output.is_immediate()) {
      output.data();
    }
  }
  return outputs;
}

void Session::make_own(std::size_t number) {
  if (!own_[number]) {
    tensors_[number] = copy_of(tensors_[number]);
    own_[number] = true;
  }
}

void Session::make_trainable() {
  const InUse running(*this, "make_trainable");
  if (trainable_) {
    return;
  }
  const serialize::Manifest& manifest = module_->manifest();
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (manifest.tensors[i].requires_grad) {
      make_own(i);
      set_requires_grad(tensors_[i], true);
    }
  }
  for (const serialize::Method& method : manifest.methods) {
    for (const serialize::Body& body : method.bodies) {
      for (const std::string& buffer : body.mutable_buffers) {
        make_own(static_cast<std::size_t>(module_->number(buffer)));
      }
    }
  }
  trainable_ = true;
}

std::vector<Tensor> Session::trainable_tensors() const {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < tensors_.size() && trainable_; ++i) {
    if (module_->manifest().tensors[i].requires_grad) {
      result.push_back(tensors_[i]);
    }
  }
  return result;
}

std::vector<Tensor> Session::parameters() const {
  const InUse reading(*this, "parameters");
  return trainable_tensors();
}

void Session::backward(const Tensor& output) {
  const InUse running(*this, "backward");
  rondo::backward({&output, 1}, {});
}

void Session::zero_grad() {
  const InUse running(*this, "zero_grad");
  for (const Tensor& parameter : trainable_tensors()) {
    ensure_grad_meta(parameter).grad = {};
  }
}

Tensor Session::tensor(const std::string& name) const {
  const InUse reading(*this, "tensor");
  const int number = module_->number(name);
  return number < 0 ? Tensor() : tensors_[static_cast<std::size_t>(number)];
}

void Session::set_tensor(const std::string& name, const Tensor& value) {
  const InUse running(*this, "set_tensor");
  const int found = module_->number(name);
  check<ArgumentError>(found >= 0, "set_tensor: there is no tensor '{}'", name);
  const auto number = static_cast<std::size_t>(found);
  const Tensor& target = tensors_[number];
  check<DtypeError>(value.dtype() == target.dtype(), "set_tensor: '{}' is {}; got {}", name,
                    dtype_name(target.dtype()), dtype_name(value.dtype()));
  check<ShapeError>(value.shape() == target.shape(), "set_tensor: '{}' has shape {}; got {}", name,
                    target.shape(), value.shape());
  make_own(number);
  const GradMode no_grad(false);
  copy.in_place(tensors_[number], value);
}

}  // namespace rondo::jit
