// A header-only C++17 wrapper over rondo.h: owners, exceptions and vectors. Nothing of the standard
// library crosses the library's boundary.
#ifndef RONDO_RONDO_HPP
#define RONDO_RONDO_HPP

#include <rondo/rondo.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rondo::api {

/// What every failing call throws. `what()` is the text that Python shows.
class Error : public std::runtime_error {
 public:
  Error(rondo_code code, std::string kind, const std::string& text)
      : std::runtime_error(text), code_(code), kind_(std::move(kind)) {}
  rondo_code code() const { return code_; }
  /// For example "ShapeError".
  const std::string& kind() const { return kind_; }

 private:
  rondo_code code_;
  std::string kind_;
};

namespace detail {

/// Takes the error that a call made; throws it where there is one.
class Catcher {
 public:
  Catcher() = default;
  Catcher(const Catcher&) = delete;
  Catcher& operator=(const Catcher&) = delete;
  ~Catcher() { rondo_error_free(error_); }
  operator rondo_error**() { return &error_; }

  void check(std::int32_t code) const {
    if (code == RONDO_OK) {
      return;
    }
    const bool known = error_ != nullptr;
    throw Error(static_cast<rondo_code>(code), known ? rondo_error_kind(error_) : "Error",
                known ? rondo_error_text(error_) : "no memory for the text of the error");
  }
  template <class T>
  T* check(T* handle) const {
    if (handle == nullptr) {
      check(error_ != nullptr ? rondo_error_code(error_)
                              : static_cast<std::int32_t>(RONDO_OUT_OF_MEMORY_ERROR));
    }
    return handle;
  }

 private:
  rondo_error* error_ = nullptr;
};

template <class T>
constexpr rondo_dtype dtype_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return RONDO_BOOL;
  } else if constexpr (std::is_same_v<T, float>) {
    return RONDO_FLOAT32;
  } else if constexpr (std::is_same_v<T, double>) {
    return RONDO_FLOAT64;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return RONDO_UINT8;
  } else {
    static_assert(std::is_integral_v<T> && std::is_signed_v<T>, "no dtype has this type");
    return sizeof(T) == 1   ? RONDO_INT8
           : sizeof(T) == 2 ? RONDO_INT16
           : sizeof(T) == 4 ? RONDO_INT32
                            : RONDO_INT64;
  }
}

}  // namespace detail

/// A view of the caller's memory, for inputs. It must outlive the call of `run`.
class Input {
 public:
  /// Row-major elements. Throws std::invalid_argument unless their number is that of the shape.
  template <class T>
  Input(std::vector<std::int64_t> shape, const std::vector<T>& elements)
      : Input(std::move(shape), detail::dtype_of<T>(), elements.data()) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape_) {
      count *= size;
    }
    if (count != static_cast<std::int64_t>(elements.size())) {
      throw std::invalid_argument("rondo::api::Input: the shape has " + std::to_string(count) +
                                  " elements, the vector " + std::to_string(elements.size()));
    }
  }
  /// Any memory; strides in elements, empty for row-major without gaps.
  Input(std::vector<std::int64_t> shape, rondo_dtype dtype, const void* data,
        std::vector<std::int64_t> strides = {})
      : shape_(std::move(shape)), strides_(std::move(strides)), dtype_(dtype), data_(data) {}

  /// The C form; it points into this object.
  rondo_tensor tensor() const {
    return {sizeof(rondo_tensor),
            dtype_,
            static_cast<std::int32_t>(shape_.size()),
            shape_.data(),
            strides_.empty() ? nullptr : strides_.data(),
            data_};
  }

 private:
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> strides_;
  rondo_dtype dtype_;
  const void* data_;
};

/// An output; keeps its memory alive.
class Output {
 public:
  Output(std::shared_ptr<rondo_outputs> owner, const rondo_tensor& tensor, std::size_t index = 0)
      : owner_(std::move(owner)), tensor_(tensor), index_(index) {}

  rondo_dtype dtype() const { return static_cast<rondo_dtype>(tensor_.dtype); }
  std::vector<std::int64_t> shape() const { return {tensor_.shape, tensor_.shape + tensor_.rank}; }
  std::size_t size() const {
    std::int64_t count = 1;
    for (std::int32_t axis = 0; axis < tensor_.rank; ++axis) {
      count *= tensor_.shape[axis];
    }
    return static_cast<std::size_t>(count);
  }
  const void* bytes() const { return tensor_.data; }
  /// The elements. Throws Error (DtypeError) unless T is the type of the dtype.
  template <class T>
  const T* data() const {
    if (detail::dtype_of<T>() != dtype()) {
      throw Error(RONDO_DTYPE_ERROR, "DtypeError",
                  std::string("output: its elements are ") + rondo_dtype_name(tensor_.dtype) +
                      "; asked for " + rondo_dtype_name(detail::dtype_of<T>()));
    }
    return static_cast<const T*>(tensor_.data);
  }
  template <class T>
  std::vector<T> to_vector() const {
    return {data<T>(), data<T>() + size()};
  }
  /// The outputs of the run, and the place among them.
  const rondo_outputs* handle() const { return owner_.get(); }
  std::size_t index() const { return index_; }

 private:
  std::shared_ptr<rondo_outputs> owner_;
  rondo_tensor tensor_;
  std::size_t index_;
};

struct ValueInfo {
  std::string name;
  rondo_dtype dtype;
  std::string shape;  // for example "[batch, 3]"
};

/// A tensor of an archive.
struct TensorInfo {
  std::string name;
  rondo_role role;
  bool trainable;
  rondo_dtype dtype;
  std::vector<std::int64_t> shape;
};

/// An archive. Copies share it; any number of threads may use it.
class Module {
 public:
  /// Weights lie in the mapped file, or are copied if it will be overwritten in place.
  static Module load(const std::string& path, bool copy_weights = false) {
    const rondo_load_options options{sizeof(rondo_load_options), copy_weights ? 1 : 0};
    detail::Catcher catcher;
    return Module(catcher.check(rondo_module_load_with(path.c_str(), &options, catcher)));
  }
  /// Keeps the bytes, which are used in place.
  static Module load_bytes(std::vector<unsigned char> bytes) {
    auto owner = std::make_unique<std::vector<unsigned char>>(std::move(bytes));
    const auto release = [](void* context) {
      delete static_cast<std::vector<unsigned char>*>(context);
    };
    const void* data = owner->data();
    const std::size_t size = owner->size();
    detail::Catcher catcher;
    return Module(
        catcher.check(rondo_module_load_bytes(data, size, release, owner.release(), catcher)));
  }

  std::vector<std::string> methods() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < rondo_module_method_count(handle()); ++i) {
      names.emplace_back(rondo_module_method_name(handle(), i));
    }
    return names;
  }
  std::vector<ValueInfo> inputs(const std::string& method = "forward") const {
    return values(method, RONDO_INPUT);
  }
  std::vector<ValueInfo> outputs(const std::string& method = "forward") const {
    return values(method, RONDO_OUTPUT);
  }
  const rondo_module* handle() const { return handle_.get(); }

 private:
  explicit Module(rondo_module* handle) : handle_(handle, rondo_module_free) {}

  std::vector<ValueInfo> values(const std::string& method, rondo_direction direction) const {
    detail::Catcher catcher;
    std::size_t count = 0;
    catcher.check(rondo_module_value_count(handle(), method.c_str(), direction, &count, catcher));
    std::vector<ValueInfo> result;
    for (std::size_t i = 0; i < count; ++i) {
      rondo_value_info info{};
      info.struct_size = sizeof(info);
      catcher.check(rondo_module_value(handle(), method.c_str(), direction, i, &info, catcher));
      result.push_back({info.name, static_cast<rondo_dtype>(info.dtype), info.shape});
    }
    return result;
  }

  std::shared_ptr<rondo_module> handle_;
};

/// Runs a module's methods, on one thread at a time.
class Session {
 public:
  explicit Session(const Module& module) : handle_(create(module), rondo_session_free) {}

  /// With a timeout the run ends with an Error (DeadlineError) once it has lasted that long; with
  /// `max_work` with one (UnsupportedError) before an op that would exceed it.
  std::vector<Output> run(const std::string& method, const std::vector<Input>& inputs,
                          double timeout_seconds = 0, double max_work = 0) {
    std::vector<rondo_tensor> tensors;
    tensors.reserve(inputs.size());
    for (const Input& input : inputs) {
      tensors.push_back(input.tensor());
    }
    detail::Catcher catcher;
    rondo_outputs* raw = nullptr;
    const rondo_run_options options{sizeof(rondo_run_options), timeout_seconds, max_work};
    catcher.check(rondo_session_run_with(handle_.get(), method.c_str(), tensors.data(),
                                         tensors.size(), &options, &raw, catcher));
    const std::shared_ptr<rondo_outputs> owner(raw, rondo_outputs_free);
    std::vector<Output> outputs;
    for (std::size_t i = 0; i < rondo_outputs_count(raw); ++i) {
      rondo_tensor tensor{};
      tensor.struct_size = sizeof(tensor);
      catcher.check(rondo_outputs_get(raw, i, &tensor, catcher));
      outputs.emplace_back(owner, tensor, i);
    }
    return outputs;
  }
  std::vector<Output> run(const std::vector<Input>& inputs) { return run("forward", inputs); }

  /// Ends the run that is under way, if one is. From any thread.
  void cancel() {
    detail::Catcher catcher;
    catcher.check(rondo_session_cancel(handle_.get(), catcher));
  }
  /// Starts the random numbers that belong to a seed.
  void set_seed(std::int64_t seed) {
    detail::Catcher catcher;
    catcher.check(rondo_session_set_seed(handle_.get(), seed, catcher));
  }

  /// Runs are of the bodies for training and recorded, or not.
  void train(bool on = true) {
    detail::Catcher catcher;
    catcher.check(rondo_session_set_mode(handle_.get(), on ? RONDO_TRAIN : RONDO_EVAL, catcher));
  }
  void eval() { train(false); }

  std::vector<TensorInfo> tensors() const {
    detail::Catcher catcher;
    std::vector<TensorInfo> result;
    for (std::size_t i = 0; i < rondo_session_tensor_count(handle_.get()); ++i) {
      rondo_tensor_info info{};
      info.struct_size = sizeof(info);
      catcher.check(rondo_session_tensor_info(handle_.get(), i, &info, catcher));
      result.push_back({info.name,
                        static_cast<rondo_role>(info.role),
                        info.trainable != 0,
                        static_cast<rondo_dtype>(info.dtype),
                        {info.shape, info.shape + info.rank}});
    }
    return result;
  }
  /// A copy of the elements. Throws Error (DtypeError) unless T is the type of the dtype.
  template <class T>
  std::vector<T> tensor(const std::string& name) const {
    return view(rondo_session_get_tensor, name).template to_vector<T>();
  }
  void set_tensor(const std::string& name, const Input& values) {
    const rondo_tensor given = values.tensor();
    detail::Catcher catcher;
    catcher.check(rondo_session_set_tensor(handle_.get(), name.c_str(), &given, catcher));
  }

  /// Adds the gradients of an output of one element, of a run of this session in train mode.
  void backward(const Output& output) {
    detail::Catcher catcher;
    catcher.check(rondo_session_backward(handle_.get(), output.handle(), output.index(), catcher));
  }
  template <class T>
  std::vector<T> gradient(const std::string& name) const {
    return view(rondo_session_get_gradient, name).template to_vector<T>();
  }
  void zero_gradients() {
    detail::Catcher catcher;
    catcher.check(rondo_session_zero_gradients(handle_.get(), catcher));
  }
  /// Writes the archive with this session's tensors.
  void save(const std::string& path) const {
    detail::Catcher catcher;
    catcher.check(rondo_session_save(handle_.get(), path.c_str(), catcher));
  }
  rondo_session* handle() const { return handle_.get(); }

 private:
  template <class Getter>
  Output view(Getter getter, const std::string& name) const {
    rondo_tensor tensor{};
    tensor.struct_size = sizeof(tensor);
    detail::Catcher catcher;
    catcher.check(getter(handle_.get(), name.c_str(), &tensor, catcher));
    return {nullptr, tensor};
  }

  static rondo_session* create(const Module& module) {
    detail::Catcher catcher;
    return catcher.check(rondo_session_create(module.handle(), catcher));
  }

  std::unique_ptr<rondo_session, void (*)(rondo_session*)> handle_;
};

/// Moves the trainable parameters of a session along their gradients.
class Optimizer {
 public:
  explicit Optimizer(Session& session, const rondo_sgd_options& options)
      : handle_(create(rondo_sgd_create, session, options), rondo_optimizer_free) {}
  explicit Optimizer(Session& session, const rondo_adam_options& options)
      : handle_(create(rondo_adam_create, session, options), rondo_optimizer_free) {}

  void step() {
    detail::Catcher catcher;
    catcher.check(rondo_optimizer_step(handle_.get(), catcher));
  }
  void set_lr(double lr) {
    detail::Catcher catcher;
    catcher.check(rondo_optimizer_set_lr(handle_.get(), lr, catcher));
  }

 private:
  template <class Create, class Options>
  static rondo_optimizer* create(Create make, Session& session, const Options& options) {
    detail::Catcher catcher;
    return catcher.check(make(session.handle(), &options, catcher));
  }

  std::unique_ptr<rondo_optimizer, void (*)(rondo_optimizer*)> handle_;
};

}  // namespace rondo::api

#endif
