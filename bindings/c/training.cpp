// The C interface: tensors of a session, gradients, optimizers, saving.
#include <string>

#include "bindings/c/handles.h"
#include "core/autograd/tape.h"
#include "core/op/call.h"
#include "serialize/sink.h"

using namespace rondo;  // NOLINT(google-build-using-namespace): the ABI is outside namespaces
using namespace rondo::c_api;  // NOLINT(google-build-using-namespace): so is it here

namespace {

const serialize::Manifest& manifest_of(const rondo_session& session) {
  return session.session.module().manifest();
}

Tensor named_tensor(const rondo_session& session, const char* name, const char* function) {
  const Tensor found = session.session.tensor(&required(name, function, "name"));
  check<ArgumentError>(found.defined(), "{}: there is no tensor '{}'", function, name);
  return found;
}

template <class Options>
rondo_optimizer* make_optimizer(rondo_session& session, const Options& options) {
  session.session.make_trainable();
  return new rondo_optimizer{jit::Optimizer(session.session.parameters(), options)};
}

}  // namespace

std::size_t rondo_session_tensor_count(const rondo_session* session) {
  return session == nullptr ? 0 : manifest_of(*session).tensors.size();
}

std::int32_t rondo_session_tensor_info(const rondo_session* session, std::size_t index,
                                       rondo_tensor_info* info, rondo_error** error) {
  return guarded(error, [&] {
    const char* function = "rondo_session_tensor_info";
    const auto& all = manifest_of(required(session, function, "session")).tensors;
    check<IndexError>(index < all.size(), "{}: index {} is out of range: there are {}", function,
                      index, all.size());
    rondo_tensor_info& target = checked_struct(info, function, "info", "rondo_tensor_info");
    const serialize::TensorRecord& record = all[index];
    target.name = record.name.c_str();
    target.role = static_cast<std::int32_t>(record.role);
    target.trainable = record.requires_grad ? 1 : 0;
    target.dtype = static_cast<std::int32_t>(record.data.dtype);
    target.rank = static_cast<std::int32_t>(record.data.shape.size());
    target.shape = record.data.shape.data();
  });
}

std::int32_t rondo_session_get_tensor(const rondo_session* session, const char* name,
                                      rondo_tensor* tensor, rondo_error** error) {
  return guarded(error, [&] {
    const char* function = "rondo_session_get_tensor";
    const Tensor found = named_tensor(required(session, function, "session"), name, function);
    describe(found, checked_struct(tensor, function, "tensor", "rondo_tensor"));
  });
}

std::int32_t rondo_session_set_tensor(rondo_session* session, const char* name,
                                      const rondo_tensor* tensor, rondo_error** error) {
  return guarded(error, [&] {
    const char* function = "rondo_session_set_tensor";
    rondo_session& target = required(session, function, "session");
    named_tensor(target, name, function);
    const rondo_tensor& given = checked_struct(tensor, function, "tensor", "rondo_tensor");
    target.session.set_tensor(name, tensor_from(given, function));
    synchronize();
  });
}

std::int32_t rondo_session_backward(rondo_session* session, const rondo_outputs* outputs,
                                    std::size_t index, rondo_error** error) {
  return guarded(error, [&] {
    const char* function = "rondo_session_backward";
    rondo_session& target = required(session, function, "session");
    const rondo_outputs& source = required(outputs, function, "outputs");
    check<IndexError>(index < source.results.size(), "{}: index {} is out of range: there are {}",
                      function, index, source.results.size());
    const Tensor& output = source.results[index];
    check<ArgumentError>(output.defined() && output.requires_grad(),
                         "{}: output {} depends on nothing that can be trained, or its run was not "
                         "in train mode",
                         function, index);
    target.gradients.clear();
    target.session.backward(output);
  });
}

std::int32_t rondo_session_get_gradient(rondo_session* session, const char* name,
                                        rondo_tensor* tensor, rondo_error** error) {
  return guarded(error, [&] {
    const char* function = "rondo_session_get_gradient";
    rondo_session& source = required(session, function, "session");
    const TensorGrad* meta = grad_meta(named_tensor(source, name, function));
    check<ArgumentError>(meta != nullptr && meta->grad.defined(), "{}: '{}' has no gradient",
                         function, name);
    rondo_tensor& target = checked_struct(tensor, function, "tensor", "rondo_tensor");
    const Tensor& kept = source.gradients[name] = owned(meta->grad);
    describe(kept, target);
  });
}

std::int32_t rondo_session_zero_gradients(rondo_session* session, rondo_error** error) {
  return guarded(error, [&] {
    rondo_session& target = required(session, "rondo_session_zero_gradients", "session");
    target.gradients.clear();
    target.session.zero_grad();
  });
}

std::int32_t rondo_session_save(const rondo_session* session, const char* path,
                                rondo_error** error) {
  return guarded(error, [&] {
    const char* function = "rondo_session_save";
    const rondo_session& source = required(session, function, "session");
    const auto sink = serialize::replace_file(&required(path, function, "path"));
    source.session.save(*sink);
  });
}

rondo_optimizer* rondo_sgd_create(rondo_session* session, const rondo_sgd_options* options,
                                  rondo_error** error) {
  rondo_optimizer* optimizer = nullptr;
  guarded(error, [&] {
    const char* function = "rondo_sgd_create";
    rondo_session& target = required(session, function, "session");
    const auto& given = checked_struct(options, function, "options", "rondo_sgd_options");
    optimizer = make_optimizer(
        target, jit::SgdOptions{given.lr, given.momentum, given.dampening, given.weight_decay,
                                given.nesterov != 0, given.maximize != 0});
  });
  return optimizer;
}

rondo_optimizer* rondo_adam_create(rondo_session* session, const rondo_adam_options* options,
                                   rondo_error** error) {
  rondo_optimizer* optimizer = nullptr;
  guarded(error, [&] {
    const char* function = "rondo_adam_create";
    rondo_session& target = required(session, function, "session");
    const auto& given = checked_struct(options, function, "options", "rondo_adam_options");
    optimizer = make_optimizer(
        target, jit::AdamOptions{given.lr, given.beta1, given.beta2, given.eps, given.weight_decay,
                                 given.decoupled != 0, given.amsgrad != 0, given.maximize != 0});
  });
  return optimizer;
}

std::int32_t rondo_optimizer_step(rondo_optimizer* optimizer, rondo_error** error) {
  return guarded(
      error, [&] { required(optimizer, "rondo_optimizer_step", "optimizer").optimizer.step(); });
}

std::int32_t rondo_optimizer_set_lr(rondo_optimizer* optimizer, double lr, rondo_error** error) {
  return guarded(error, [&] {
    required(optimizer, "rondo_optimizer_set_lr", "optimizer").optimizer.set_lr(lr);
  });
}

void rondo_optimizer_free(rondo_optimizer* optimizer) {
  delete optimizer;
}
