// The C interface over jit/module.h: handles, checks of what C callers give, and no exception out.
#include <array>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "bindings/c/include/rondo/rondo.h"
#include "core/base/error.h"
#include "core/tensor/copy.h"
#include "jit/module.h"
#include "serialize/bytes.h"

using namespace rondo;  // NOLINT(google-build-using-namespace): the ABI is outside namespaces

struct rondo_error {
  ErrorKind kind;
  std::string text;
};

/// A value's texts, made once so that C callers can hold on to them.
struct ValueTexts {
  std::string name;
  std::string shape;
  std::int32_t dtype;
  std::int32_t rank;
};

struct rondo_module {
  std::shared_ptr<const jit::Module> module;
  std::vector<std::array<std::vector<ValueTexts>, 2>> values;  // by method and direction
};

struct rondo_session {
  jit::Session session;
};

struct rondo_outputs {
  std::vector<Tensor> tensors;
  std::vector<Shape> strides;
};

namespace {

struct Log {
  std::mutex mutex;
  rondo_log_function function = nullptr;
  void* context = nullptr;
};

Log& log_target() {
  static Log log;
  return log;
}

void write_log(rondo_log_level level, const std::string& text) {
  Log& target = log_target();
  const std::lock_guard lock(target.mutex);
  if (target.function != nullptr) {
    target.function(target.context, level, text.c_str());
  }
}

std::int32_t report(ErrorKind kind, const char* text, rondo_error** error) noexcept {
  try {
    write_log(RONDO_LOG_ERROR, std::string(error_name(kind)) + ": " + text);
    if (error != nullptr) {
      *error = new rondo_error{kind, text};
    }
  } catch (...) {  // a text that finds no memory is no error of its own: the code is returned
  }
  return static_cast<std::int32_t>(kind) + 1;
}

/// Runs `body` and turns what it throws into a code and an error object.
template <class Body>
std::int32_t guarded(rondo_error** error, const Body& body) noexcept {
  if (error != nullptr) {
    *error = nullptr;
  }
  try {
    body();
    return RONDO_OK;
  } catch (const Error& e) {
    return report(e.kind(), e.what(), error);
  } catch (const std::bad_alloc&) {
    return report(ErrorKind::out_of_memory, "out of memory", error);
  } catch (const std::exception& e) {
    return report(ErrorKind::internal, e.what(), error);
  } catch (...) {
    return report(ErrorKind::internal, "internal: an exception of unknown type", error);
  }
}

template <class T>
T& required(T* pointer, const char* function, const char* name) {
  check<ArgumentError>(pointer != nullptr, "{}: {} is NULL", function, name);
  return *pointer;
}

std::string shape_text(const serialize::ValueSpec& spec) {
  std::string text;
  for (const serialize::Dimension& dim : spec.shape) {
    text += (text.empty() ? "" : ", ") + dim.text();
  }
  return "[" + text + "]";
}

std::vector<ValueTexts> texts(const std::vector<serialize::ValueSpec>& specs) {
  std::vector<ValueTexts> result;
  for (const serialize::ValueSpec& spec : specs) {
    result.push_back({spec.name, shape_text(spec), static_cast<std::int32_t>(spec.dtype),
                      static_cast<std::int32_t>(spec.shape.size())});
  }
  return result;
}

rondo_module* wrap(std::shared_ptr<const jit::Module> module) {
  auto result = std::make_unique<rondo_module>();
  for (const serialize::Method& method : module->manifest().methods) {
    result->values.push_back({texts(method.inputs), texts(method.outputs)});
  }
  result->module = std::move(module);
  return result.release();
}

const std::vector<ValueTexts>& values_of(const rondo_module& module, const char* method,
                                         std::int32_t direction, const char* function) {
  check<ArgumentError>(direction == RONDO_INPUT || direction == RONDO_OUTPUT,
                       "{}: direction is {}; expected RONDO_INPUT or RONDO_OUTPUT", function,
                       direction);
  const serialize::Method& found = module.module->method(&required(method, function, "method"));
  const std::size_t index = &found - module.module->manifest().methods.data();
  return module.values[index][static_cast<std::size_t>(direction)];
}

bool is_dtype(std::int32_t code) {
  return code >= 0 && code < kDtypeCount;
}

/// The caller's memory as a tensor; a copy where its elements do not lie one after another.
Tensor input_tensor(const rondo_tensor& given, std::size_t index) {
  check<ArgumentError>(is_dtype(given.dtype), "run: input {}: {} is no dtype", index, given.dtype);
  check<ArgumentError>(given.rank >= 0 && given.rank <= kMaxRank,
                       "run: input {}: the rank is {}; expected 0 to {}", index, given.rank,
                       kMaxRank);
  check<ArgumentError>(given.rank == 0 || given.shape != nullptr, "run: input {}: shape is NULL",
                       index);
  const auto rank = static_cast<std::size_t>(given.rank);
  const Shape shape{std::span(given.shape, rank)};
  const auto dtype = static_cast<Dtype>(given.dtype);
  for (const std::int64_t size : shape) {
    check<ShapeError>(size >= 0, "run: input {}: shape {} has a negative size", index, shape);
  }
  const std::int64_t count = checked_numel(shape, "run");
  check<ArgumentError>(count == 0 || given.data != nullptr, "run: input {}: data is NULL", index);
  auto* address = const_cast<void*>(given.data);  // NOLINT(*-const-cast): never written
  Shape strides = contiguous_strides(shape);
  if (given.strides != nullptr && count != 0) {
    strides = Shape{std::span(given.strides, rank)};
    for (const std::int64_t stride : strides) {
      check<ArgumentError>(stride >= 0, "run: input {}: strides {} must not be negative", index,
                           strides);
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

/// A result that shares no memory with inputs or weights.
Tensor owned(const Tensor& tensor) {
  tensor.data();
  if (tensor.is_contiguous() && tensor.offset() == 0 && !tensor.storage()->external()) {
    return tensor;
  }
  const Tensor copy = Tensor::empty(tensor.shape(), tensor.dtype());
  copy_elements(copy, tensor);
  return copy;
}

}  // namespace

std::uint32_t rondo_version() {
  return RONDO_VERSION_MAJOR * 1000000 + RONDO_VERSION_MINOR * 1000 + RONDO_VERSION_PATCH;
}

const char* rondo_version_text() {
  static const std::string text(serialize::runtime_version());
  return text.c_str();
}

std::size_t rondo_sizeof_tensor() {
  return sizeof(rondo_tensor);
}

std::size_t rondo_sizeof_value_info() {
  return sizeof(rondo_value_info);
}

const char* rondo_dtype_name(std::int32_t dtype) {
  return is_dtype(dtype) ? dtype_name(static_cast<Dtype>(dtype)).data() : nullptr;
}

std::size_t rondo_dtype_size(std::int32_t dtype) {
  return is_dtype(dtype) ? static_cast<std::size_t>(size_bytes(static_cast<Dtype>(dtype), 1)) : 0;
}

void rondo_set_log(rondo_log_function function, void* context) {
  Log& target = log_target();
  const std::lock_guard lock(target.mutex);
  target.function = function;
  target.context = context;
}

std::int32_t rondo_error_code(const rondo_error* error) {
  return error == nullptr ? RONDO_OK : static_cast<std::int32_t>(error->kind) + 1;
}

const char* rondo_error_kind(const rondo_error* error) {
  return error == nullptr ? "" : error_name(error->kind);
}

const char* rondo_error_text(const rondo_error* error) {
  return error == nullptr ? "" : error->text.c_str();
}

void rondo_error_free(rondo_error* error) {
  delete error;
}

rondo_module* rondo_module_load(const char* path, rondo_error** error) {
  rondo_module* module = nullptr;
  guarded(error, [&] {
    module = wrap(jit::Module::load_file(&required(path, "rondo_module_load", "path")));
    write_log(RONDO_LOG_INFO, std::string("loaded ") + path);
  });
  return module;
}

rondo_module* rondo_module_load_bytes(const void* data, std::size_t size,
                                      rondo_release_function release, void* context,
                                      rondo_error** error) {
  rondo_module* module = nullptr;
  guarded(error, [&] {
    const std::shared_ptr<const void> owner(data, [release, context](const void*) {
      if (release != nullptr) {
        release(context);
      }
    });
    check<ArgumentError>(data != nullptr || size == 0, "rondo_module_load_bytes: data is NULL");
    const auto* bytes = static_cast<const std::byte*>(data);
    module = wrap(
        jit::Module::load(serialize::open_bytes(serialize::Bytes(owner, {bytes, size}), "memory")));
    write_log(RONDO_LOG_INFO, "loaded " + std::to_string(size) + " bytes of memory");
  });
  return module;
}

void rondo_module_free(rondo_module* module) {
  delete module;
}

std::size_t rondo_module_method_count(const rondo_module* module) {
  return module == nullptr ? 0 : module->values.size();
}

const char* rondo_module_method_name(const rondo_module* module, std::size_t index) {
  return index < rondo_module_method_count(module)
             ? module->module->manifest().methods[index].name.c_str()
             : nullptr;
}

std::int32_t rondo_module_value_count(const rondo_module* module, const char* method,
                                      std::int32_t direction, std::size_t* count,
                                      rondo_error** error) {
  return guarded(error, [&] {
    const char* function = "rondo_module_value_count";
    required(count, function, "count") =
        values_of(required(module, function, "module"), method, direction, function).size();
  });
}

std::int32_t rondo_module_value(const rondo_module* module, const char* method,
                                std::int32_t direction, std::size_t index, rondo_value_info* info,
                                rondo_error** error) {
  return guarded(error, [&] {
    const char* function = "rondo_module_value";
    const auto& all = values_of(required(module, function, "module"), method, direction, function);
    check<IndexError>(index < all.size(), "{}: index {} is out of range: there are {}", function,
                      index, all.size());
    rondo_value_info& target = required(info, function, "info");
    check<ArgumentError>(target.struct_size >= sizeof(rondo_value_info),
                         "{}: struct_size is {}; expected sizeof(rondo_value_info), {}", function,
                         target.struct_size, sizeof(rondo_value_info));
    const ValueTexts& found = all[index];
    target.name = found.name.c_str();
    target.dtype = found.dtype;
    target.rank = found.rank;
    target.shape = found.shape.c_str();
  });
}

rondo_session* rondo_session_create(const rondo_module* module, rondo_error** error) {
  rondo_session* session = nullptr;
  guarded(error, [&] {
    const rondo_module& source = required(module, "rondo_session_create", "module");
    session = new rondo_session{jit::Session(source.module)};
  });
  return session;
}

void rondo_session_free(rondo_session* session) {
  delete session;
}

std::int32_t rondo_session_run(rondo_session* session, const char* method,
                               const rondo_tensor* inputs, std::size_t input_count,
                               rondo_outputs** outputs, rondo_error** error) {
  return guarded(error, [&] {
    rondo_outputs*& target = required(outputs, "run", "outputs");
    target = nullptr;
    check<ArgumentError>(input_count == 0 || inputs != nullptr, "run: inputs is NULL");
    std::vector<Tensor> tensors;
    const auto* address = reinterpret_cast<const std::byte*>(inputs);
    for (std::size_t i = 0; i < input_count; ++i) {
      const auto& input = *reinterpret_cast<const rondo_tensor*>(address);
      check<ArgumentError>(input.struct_size >= sizeof(rondo_tensor),
                           "run: input {}: struct_size is {}; expected sizeof(rondo_tensor), {}", i,
                           input.struct_size, sizeof(rondo_tensor));
      tensors.push_back(input_tensor(input, i));
      address += input.struct_size;
    }
    auto result = std::make_unique<rondo_outputs>();
    const std::string_view name = &required(method, "run", "method");
    for (const Tensor& output : required(session, "run", "session").session.run(name, tensors)) {
      result->tensors.push_back(owned(output));
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
    rondo_tensor& target = required(tensor, function, "tensor");
    check<ArgumentError>(target.struct_size >= sizeof(rondo_tensor),
                         "{}: struct_size is {}; expected sizeof(rondo_tensor), {}", function,
                         target.struct_size, sizeof(rondo_tensor));
    const Tensor& found = source.tensors[index];
    target.dtype = static_cast<std::int32_t>(found.dtype());
    target.rank = found.rank();
    target.shape = found.shape().begin();
    target.strides = source.strides[index].begin();
    target.data = found.data();
  });
}

void rondo_outputs_free(rondo_outputs* outputs) {
  delete outputs;
}
