// The C interface: versions, errors, the log, modules.
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bindings/c/handles.h"
#include "core/tensor/allocator.h"
#include "serialize/bytes.h"

using namespace rondo;  // NOLINT(google-build-using-namespace): the ABI is outside namespaces
using namespace rondo::c_api;  // NOLINT(google-build-using-namespace): so is it here

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

}  // namespace

namespace rondo::c_api {

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

bool is_dtype(std::int32_t code) {
  return code >= 0 && code < kDtypeCount;
}

}  // namespace rondo::c_api

namespace {

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

std::unique_ptr<rondo_module> wrap(std::shared_ptr<const jit::Module> module) {
  auto result = std::make_unique<rondo_module>();
  for (const serialize::Method& method : module->manifest().methods) {
    result->values.push_back({texts(method.inputs), texts(method.outputs)});
  }
  result->module = std::move(module);
  return result;
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

std::size_t rondo_sizeof_tensor_info() {
  return sizeof(rondo_tensor_info);
}

std::size_t rondo_sizeof_run_options() {
  return sizeof(rondo_run_options);
}

std::size_t rondo_sizeof_load_options() {
  return sizeof(rondo_load_options);
}

std::size_t rondo_sizeof_sgd_options() {
  return sizeof(rondo_sgd_options);
}

std::size_t rondo_sizeof_adam_options() {
  return sizeof(rondo_adam_options);
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

std::int64_t rondo_set_memory_limit(std::int64_t bytes) {
  const std::int64_t before = set_memory_limit(bytes > 0 ? bytes : INT64_MAX);
  return before == INT64_MAX ? 0 : before;
}

std::int64_t rondo_memory_in_use() {
  return memory_stats().live;
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
  return rondo_module_load_with(path, nullptr, error);
}

rondo_module* rondo_module_load_with(const char* path, const rondo_load_options* options,
                                     rondo_error** error) {
  rondo_module* module = nullptr;
  guarded(error, [&] {
    const char* function = "rondo_module_load";
    const char* file = &required(path, function, "path");
    const bool copies =
        options != nullptr &&
        checked_struct(options, function, "options", "rondo_load_options").copy_weights != 0;
    auto loaded = wrap(jit::Module::load_file(
        file, copies ? serialize::FileAccess::copy : serialize::FileAccess::map));
    write_log(RONDO_LOG_INFO, std::string("loaded ") + path);
    module = loaded.release();  // last: an error gives no module
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
    check<ArgumentError>(data != nullptr || size == 0,
                         "rondo_module_load_bytes: data is NULL, size is {}; expected {} bytes",
                         size, size);
    const auto* bytes = static_cast<const std::byte*>(data);
    auto loaded = wrap(
        jit::Module::load(serialize::open_bytes(serialize::Bytes(owner, {bytes, size}), "memory")));
    write_log(RONDO_LOG_INFO, "loaded " + std::to_string(size) + " bytes of memory");
    module = loaded.release();
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
    rondo_value_info& target = checked_struct(info, function, "info", "rondo_value_info");
    const ValueTexts& found = all[index];
    target.name = found.name.c_str();
    target.dtype = found.dtype;
    target.rank = found.rank;
    target.shape = found.shape.c_str();
  });
}
