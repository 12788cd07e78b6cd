// What the handles of the C interface hold, and what its functions share: no exception leaves them.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "bindings/c/include/rondo/rondo.h"
#include "core/base/error.h"
#include "jit/optimizer.h"
#include "jit/session.h"

struct rondo_error {
  rondo::ErrorKind kind;
  std::string text;
};

namespace rondo::c_api {

/// A value's texts, made once so that C callers can hold on to them.
struct ValueTexts {
  std::string name;
  std::string shape;
  std::int32_t dtype;
  std::int32_t rank;
};

}  // namespace rondo::c_api

struct rondo_module {
  std::shared_ptr<const rondo::jit::Module> module;
  // By method and direction.
  std::vector<std::array<std::vector<rondo::c_api::ValueTexts>, 2>> values;
};

struct rondo_session {
  explicit rondo_session(std::shared_ptr<const rondo::jit::Module> module)
      : session(std::move(module)) {}
  rondo::jit::Session session;
  rondo::serialize::Mode mode = rondo::serialize::Mode::eval;
  std::unordered_map<std::string, rondo::Tensor> gradients;  // that were asked for, contiguous
};

struct rondo_outputs {
  std::vector<rondo::Tensor> tensors;  // in memory of their own
  std::vector<rondo::Tensor> results;  // with their history
  std::vector<rondo::Shape> strides;
};

struct rondo_optimizer {
  rondo::jit::Optimizer optimizer;
};

namespace rondo::c_api {

void write_log(rondo_log_level level, const std::string& text);

/// Makes the error object; gives the code.
std::int32_t report(ErrorKind kind, const char* text, rondo_error** error) noexcept;

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

/// A struct of the caller's, whose size has been checked.
template <class T>
T& checked_struct(T* pointer, const char* function, const char* name, const char* type) {
  T& target = required(pointer, function, name);
  check<ArgumentError>(target.struct_size >= sizeof(T),
                       "{}: struct_size is {}; expected sizeof({}), {}", function,
                       target.struct_size, type, sizeof(T));
  return target;
}

/// The same for a struct that has grown: `least` is the size of its first version. Fields that the
/// caller does not have are 0.
template <class T>
T grown_struct(const T* pointer, std::size_t least, const char* function, const char* name,
               const char* type) {
  const T& given = required(pointer, function, name);
  check<ArgumentError>(given.struct_size >= least, "{}: struct_size is {}; expected sizeof({}), {}",
                       function, given.struct_size, type, sizeof(T));
  T whole{};
  std::memcpy(&whole, pointer, std::min(given.struct_size, sizeof(T)));
  return whole;
}

bool is_dtype(std::int32_t code);

/// The caller's memory as a tensor; a copy where its elements do not lie one after another. `what`
/// begins the text of errors.
Tensor tensor_from(const rondo_tensor& given, const std::string& what);

/// A result that shares no memory with inputs or weights.
Tensor owned(const Tensor& tensor);

/// Fills in what the caller sees of a contiguous tensor that stays alive.
void describe(const Tensor& tensor, rondo_tensor& target);

}  // namespace rondo::c_api
