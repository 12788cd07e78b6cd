// The C interface: sessions, runs and their outputs.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "bindings/c/handles.h"
#include "core/op/call.h"
#include "core/tensor/copy.h"

using namespace rondo;  // NOLINT(google-build-using-namespace): the ABI is outside namespaces
using namespace rondo::c_api;  // NOLINT(google-build-using-namespace): so is it here

namespace rondo::c_api {

Tensor tensor_from(const rondo_tensor& given, const std::string& what) {
  check<ArgumentError>(is_dtype(given.dtype), "{}: {} is no dtype", what, given.dtype);
  check<ArgumentError>(given.rank >= 0 && given.rank <= kMaxRank,
                       "{}: the rank is {}; expected 0 to {}", what, given.rank, kMaxRank);
  check<ArgumentError>(given.rank == 0 || given.shape != nullptr, "{}: shape is NULL", what);
  const auto rank = static_cast<std::size_t>(given.rank);
  const Shape shape{std::span(given.shape, rank)};
  const auto dtype = static_cast<Dtype>(given.dtype);
  for (const std::int64_t size : shape) {
    check<ShapeError>(size >= 0, "{}: shape {} has a negative size", what, shape);
  }
  const std::int64_t count = checked_numel(shape, what);
  check<ArgumentError>(count == 0 || given.data != nullptr, "{}: data is NULL", what);
  auto* address = const_cast<void*>(given.data);  // NOLINT(*-const-cast): never written
  Shape strides = contiguous_strides(shape);
  if (given.strides != nullptr && count != 0) {
    strides = Shape{std::span(given.strides, rank)};
    for (const std::int64_t stride : strides) {
      check<ArgumentError>(stride >= 0, "{}: strides {} must not be negative", what, strides);
    }
  }
  std::int64_t last = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    last += (shape[axis] - 1) * strides[axis];
  }
  const std::int64_t bytes = count == 0 ? 0 : size_bytes(dtype, last + 1);
  const auto storage = make_ref<Storage>(address, bytes, [] {}, false);
  Tensor view = Tensor::view_of(storage, shape, strides, 0, dtype);
  if (view.is_contiguous()) {
    return view;
  }
  const Tensor copy = Tensor::empty(shape, dtype);
  copy_elements(copy, view);
  return copy;
}

Tensor owned(const Tensor& tensor) {
  tensor.data();
  if (tensor.is_contiguous() && tensor.offset() == 0 && !tensor.storage()->external()) {
    return tensor;
  }
  const Tensor copy = Tensor::empty(tensor.shape(), tensor.dtype());
  copy_elements(copy, tensor);
  return copy;
}

void describe(const Tensor& tensor, rondo_tensor& target) {
  target.dtype = static_cast<std::int32_t>(tensor.dtype());
  target.rank = tensor.rank();
  target.shape = tensor.shape().begin();
  target.strides = nullptr;
  target.data = tensor.data();
}

}  // namespace rondo::c_api

namespace {

/// Structs of the caller's, whose size may be that of a later version.
std::vector<Tensor> inputs_from(const rondo_tensor* inputs, std::size_t count) {
  check<ArgumentError>(count == 0 || inputs != nullptr, "run: inputs is NULL");
  std::vector<Tensor> tensors;
  const auto* address = reinterpret_cast<const std::byte*>(inputs);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& input = *reinterpret_cast<const rondo_tensor*>(address);
    const std::string what = "run: input " + std::to_string(i);
    tensors.push_back(
        tensor_from(checked_struct(&input, what.c_str(), "inputs", "rondo_tensor"), what));
    address += input.struct_size;
  }
  return tensors;
}

jit::RunOptions run_options(const rondo_session& session, const rondo_run_options* given) {
  jit::RunOptions options;
  options.mode = session.mode;
  // In train mode calls of a step may run together with those of the next: only calls are ended.
  options.finish = session.mode == serialize::Mode::eval;
  if (given != nullptr) {
    constexpr std::size_t kFirst = offsetof(rondo_run_options, max_work);
    const rondo_run_options all =
        grown_struct(given, kFirst, "run", "options", "rondo_run_options");
    const double seconds = all.timeout_seconds;
    check<ArgumentError>(seconds >= 0, "run: timeout_seconds is {}; it must not be negative",
                         seconds);
    if (seconds > 0 && seconds < 1e9) {
      options.deadline = std::chrono::steady_clock::now() +
                         std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6));
    }
    check<ArgumentError>(all.max_work >= 0, "run: max_work is {}; it must not be negative",
                         all.max_work);
    if (all.max_work > 0) {
      options.limits.work = all.max_work;
    }
  }
  return options;
}

}  // namespace

rondo_session* rondo_session_create(const rondo_module* module, rondo_error** error) {
  rondo_session* session = nullptr;
  guarded(error, [&] {
    const rondo_module& source = required(module, "rondo_session_create", "module");
    session = new rondo_session(source.module);
  });
  return session;
}

void rondo_session_free(rondo_session* session) {
  delete session;
}

std::int32_t rondo_session_set_mode(rondo_session* session, std::int32_t mode,
                                    rondo_error** error) {
  return guarded(error, [&] {
    const char* function = "rondo_session_set_mode";
    rondo_session& target = required(session, function, "session");
    check<ArgumentError>(mode == RONDO_EVAL || mode == RONDO_TRAIN,
                         "{}: mode is {}; expected RONDO_EVAL or RONDO_TRAIN", function, mode);
    if (mode == RONDO_TRAIN) {
      target.session.make_trainable();
    }
    target.mode = mode == RONDO_TRAIN ? serialize::Mode::train : serialize::Mode::eval;
  });
}

std::int32_t rondo_session_cancel(rondo_session* session, rondo_error** error) {
  return guarded(error,
                 [&] { required(session, "rondo_session_cancel", "session").session.cancel(); });
}

std::int32_t rondo_session_set_seed(rondo_session* session, std::int64_t seed,
                                    rondo_error** error) {
  return guarded(error, [&] {
    required(session, "rondo_session_set_seed", "session").session.set_seed(seed);
  });
}

std::int32_t rondo_session_run(rondo_session* session, const char* method,
                               const rondo_tensor* inputs, std::size_t input_count,
                               rondo_outputs** outputs, rondo_error** error) {
  return rondo_session_run_with(session, method, inputs, input_count, nullptr, outputs, error);
}

std::int32_t rondo_session_run_with(rondo_session* session, const char* method,
                                    const rondo_tensor* inputs, std::size_t input_count,
                                    const rondo_run_options* options, rondo_outputs** outputs,
                                    rondo_error** error) {
  return guarded(error, [&] {
    rondo_outputs*& target = required(outputs, "run", "outputs");
    target = nullptr;
    const std::string_view name = &required(method, "run", "method");
    rondo_session& runner = required(session, "run", "session");
    const std::vector<Tensor> tensors = inputs_from(inputs, input_count);
    const jit::RunOptions how = run_options(runner, options);
    const bool trains = runner.mode == serialize::Mode::train;
    const GradMode grad(trains);
    auto result = std::make_unique<rondo_outputs>();
    for (const Tensor& output : runner.session.run(name, tensors, how)) {
      result->tensors.push_back(owned(output));
      result->results.push_back(trains ? output : Tensor());
      result->strides.push_back(contiguous_strides(output.shape()));
    }
    target = result.release();
  });
}

std::size_t rondo_outputs_count(const rondo_outputs* outputs) {
  return outputs == nullptr ? 0 : outputs->tensors.size();
}

std::int32_t rondo_outputs_get(const rondo_outputs* outputs, std::size_t index,
                               rondo_tensor* tensor, rondo_error** error) {
  return guarded(error, [&] {
    const char* function = "rondo_outputs_get";
    const rondo_outputs& source = required(outputs, function, "outputs");
    check<IndexError>(index < source.tensors.size(), "{}: index {} is out of range: there are {}",
                      function, index, source.tensors.size());
    rondo_tensor& target = checked_struct(tensor, function, "tensor", "rondo_tensor");
    describe(source.tensors[index], target);
    target.strides = source.strides[index].begin();
  });
}

void rondo_outputs_free(rondo_outputs* outputs) {
  delete outputs;
}
