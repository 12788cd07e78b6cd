#include "bindings/python/convert.h"

#include "bindings/python/arguments.h"
#include "bindings/python/array.h"
#include "bindings/python/call_site.h"
#include "bindings/python/devices.h"
#include "bindings/python/tensor_type.h"
#include "core/base/error.h"
#include "core/base/float_environment.h"
#include "core/op/call.h"
#include "core/ops/create.h"

namespace rondo::python {
namespace {

bool is_sequence(PyObject* object) {
  return PyList_Check(object) || PyTuple_Check(object) ||
         (PySequence_Check(object) != 0 && PyUnicode_Check(object) == 0 &&
          PyBytes_Check(object) == 0 && PyDict_Check(object) == 0);
}

/// The number that an element of a list stands for.
Scalar element(PyObject* object) {
  Scalar number;
  if (to_number(object, number)) {
    return number;
  }
  if (is_tensor(object) && tensor_of(object).numel() == 1) {
    return on_host(tensor_of(object)).item();
  }
  if (PyIndex_Check(object) != 0) {
    return Scalar(static_cast<long>(to_integer(object, "tensor", "an element")));
  }
  PyRef real;
  if (PyUnicode_Check(object) == 0 && PyBytes_Check(object) == 0) {  // which float() would parse
    real = PyRef::steal(PyNumber_Float(object));
    if (!real) {
      clear_error(PyExc_TypeError);
    }
  }
  check<ArgumentError>(static_cast<bool>(real),
                       "tensor: an element is {}; expected a number or a list of numbers",
                       Py_TYPE(object)->tp_name);
  return Scalar(PyFloat_AS_DOUBLE(real.get()));
}

bool is_element(PyObject* object) {
  Scalar unused;
  if (PyFloat_Check(object) || PyLong_Check(object)) {
    return true;
  }
  if (is_tensor(object)) {
    return tensor_of(object).rank() == 0;
  }
  return to_number(object, unused) || !is_sequence(object);
}

/// Reads nested sequences: first their shape and the kind of their numbers, then the numbers.
class NestedReader {
 public:
  explicit NestedReader(PyObject* data) {
    find_shape(data);
    numbers_.reserve(static_cast<std::size_t>(shape_.numel()));
    read(data, 0);
  }

  Tensor make(std::optional<Dtype> dtype) const {
    const Dtype made = dtype.value_or(inferred());
    Tensor tensor = Tensor::empty(shape_, made);
    std::byte* address = tensor.storage()->raw_data();
    for (const Scalar& number : numbers_) {
      write_element(address, made, number);
      address += size_bytes(made, 1);
    }
    return tensor;
  }

 private:
  void find_shape(PyObject* data) {
    PyRef level = PyRef::borrow(data);
    while (!is_element(level.get())) {
      const Py_ssize_t count = PySequence_Size(level.get());
      check_status(count < 0 ? -1 : 0);
      shape_.push_back(count);
      if (count == 0) {
        return;
      }
      level = owned(PySequence_GetItem(level.get(), 0));
    }
  }

  void read(PyObject* data, int depth) {
    if (depth == shape_.rank()) {
      check<ShapeError>(is_element(data), "tensor: lists are nested deeper than {} at some places",
                        shape_.rank());
      add(data);
      return;
    }
    check<ShapeError>(!is_element(data), "tensor: a number stands where a list of {} is expected",
                      shape_[depth]);
    const PyRef items = owned(PySequence_Fast(data, "tensor: expected a sequence"));
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(items.get());
    check<ShapeError>(count == shape_[depth],
                      "tensor: a list of {} stands where one of {} is expected, at depth {}", count,
                      shape_[depth], depth);
    for (Py_ssize_t i = 0; i < count; ++i) {
      // An element's __float__ may change the list.
      check<ArgumentError>(PySequence_Fast_GET_SIZE(items.get()) == count,
                           "tensor: a list of {} had {} elements when it was read; it must not "
                           "change meanwhile",
                           PySequence_Fast_GET_SIZE(items.get()), count);
      const PyRef item = PyRef::borrow(PySequence_Fast_GET_ITEM(items.get(), i));
      read(item.get(), depth + 1);
    }
  }

  void add(PyObject* object) {
    numbers_.push_back(element(object));
    const Dtype kind = numbers_.back().kind();
    floating_ = floating_ || kind == Dtype::float64;
    integer_ = integer_ || kind == Dtype::int64;
  }

  Dtype inferred() const {
    if (floating_ || numbers_.empty()) {
      return Dtype::float32;
    }
    return integer_ ? Dtype::int64 : Dtype::boolean;
  }

  Shape shape_;
  std::vector<Scalar> numbers_;
  bool floating_ = false;
  bool integer_ = false;
};

PyObject* list_of(const std::byte* address, const Tensor& tensor, int depth) {
  if (depth == tensor.rank()) {
    return from_scalar(read_element(address, tensor.dtype()));
  }
  const std::int64_t count = tensor.shape()[depth];
  PyRef list = owned(PyList_New(static_cast<Py_ssize_t>(count)));
  const std::int64_t step = size_bytes(tensor.dtype(), 1) * tensor.strides()[depth];
  for (std::int64_t i = 0; i < count; ++i) {
    PyRef item = owned(list_of(address + i * step, tensor, depth + 1));
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), item.release());
  }
  return list.release();
}

}  // namespace

Tensor copy_of_data(PyObject* data, std::optional<Dtype> dtype) {
  const FloatEnvironment environment;
  Tensor source;
  Scalar number;
  if (is_tensor(data)) {
    source = tensor_of(data);
  } else if (!to_number(data, number) && PyList_Check(data) == 0 && PyTuple_Check(data) == 0) {
    source = from_array(data);
  }
  if (!source.defined()) {
    return NestedReader(data).make(dtype);
  }
  const GradMode no_grad(false);
  return released_if_long(source.numel(), [&]() -> Tensor {
    return dtype && *dtype != source.dtype() ? cast(source, *dtype) : clone(source);
  });
}

PyObject* to_list(const Tensor& tensor) {
  const FloatEnvironment environment;
  const Tensor host = on_host(tensor);
  return list_of(host.data(), host, 0);
}

PyObject* from_scalar(const Scalar& scalar) {
  if (scalar.is_floating()) {
    return PyFloat_FromDouble(scalar.to_double());
  }
  if (scalar.kind() == Dtype::boolean) {
    return PyBool_FromLong(scalar.to_bool() ? 1 : 0);
  }
  return PyLong_FromLongLong(scalar.to_int());
}

}  // namespace rondo::python
