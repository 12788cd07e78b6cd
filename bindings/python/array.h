// Tensors and NumPy arrays over the same memory, through the array interface: NumPy itself is not
// needed.
#pragma once

#include "bindings/python/python.h"
#include "core/tensor/tensor.h"

namespace rondo::python {

/// A tensor over the memory of an object with __array_struct__; undefined if it has none. Errors:
/// DtypeError for elements that no dtype stands for, ArgumentError for memory in the wrong byte
/// order.
Tensor from_array(PyObject* object);

/// A new object with __array_struct__ over the memory of a tensor, which stays alive with it.
PyObject* array_provider(const Tensor& tensor);

/// The address of the first element, for a read or write by the host: queued work has been done,
/// and a tracer has been told.
std::byte* host_data(const Tensor& tensor);

/// Makes the type of the providers.
void add_array_provider(PyObject* module);

/// Owns the storage behind exported memory: while it lives, no work on the storage is deferred. It
/// holds a view of its own, since `tensor.data = other` gives a tensor another storage.
class Export {
 public:
  explicit Export(const Tensor& tensor);
  ~Export();
  Export(const Export&) = delete;
  Export& operator=(const Export&) = delete;
  const Tensor& tensor() const { return tensor_; }

 private:
  Tensor tensor_;
};

/// A storage over the memory of `owner`, which it keeps alive. `strides` in elements, any sign.
Tensor tensor_over(void* first_element, const Shape& shape, const Shape& strides, Dtype dtype,
                   bool writable, std::function<void()> release);

}  // namespace rondo::python
