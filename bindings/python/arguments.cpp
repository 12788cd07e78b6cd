#include "bindings/python/arguments.h"

#include "bindings/python/array.h"
#include "bindings/python/devices.h"
#include "bindings/python/tensor_type.h"
#include "bindings/python/value_types.h"
#include "core/base/error.h"
#include "core/op/call.h"

namespace rondo::python {
namespace {

/// How error texts call what was given.
std::string_view type_text(PyObject* object) {
  if (object == Py_None) {
    return "None";
  }
  return is_tensor(object) ? "Tensor" : Py_TYPE(object)->tp_name;
}

Scalar to_long(PyObject* object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (value == -1 && PyErr_Occurred() != nullptr) {
    throw PythonError();
  }
  check<ArgumentError>(overflow == 0, "number: an int does not fit in 64 bits; use a float");
  return Scalar(value);
}

bool from_numpy_number(PyObject* object, Scalar& number) {
  PyTypeObject* generic = numpy_generic();
  if (generic == nullptr || PyObject_TypeCheck(object, generic) == 0) {
    return false;
  }
  const PyRef value = owned(PyObject_CallMethod(object, "item", nullptr));
  if (PyBool_Check(value.get()) || PyLong_Check(value.get()) || PyFloat_Check(value.get())) {
    return to_number(value.get(), number);
  }
  const PyRef real = PyRef::steal(PyNumber_Float(object));  // a type from outside, as bfloat16
  if (!real) {
    clear_error(PyExc_TypeError);
    return false;
  }
  number = Scalar(PyFloat_AS_DOUBLE(real.get()));
  return true;
}

/// A 0-dimensional integer tensor may stand for an integer.
bool from_tensor(PyObject* object, std::int64_t& value) {
  if (!is_tensor(object) || tensor_of(object).numel() != 1 ||
      is_floating(tensor_of(object).dtype())) {
    return false;
  }
  value = on_host(tensor_of(object)).item().to_int();
  return true;
}

bool integer_of(PyObject* object, std::int64_t& value) {
  if (PyLong_CheckExact(object)) {
    value = to_long(object).to_int();
    return true;
  }
  if (from_tensor(object, value)) {
    return true;
  }
  if (is_tensor(object) || PyIndex_Check(object) == 0) {
    return false;
  }
  const PyRef index = owned(PyNumber_Index(object));
  value = to_long(index.get()).to_int();
  return true;
}

bool to_boolean(PyObject* object, bool& value) {
  if (PyBool_Check(object)) {
    value = object == Py_True;
    return true;
  }
  Scalar number;
  if (!from_numpy_number(object, number) || number.kind() != Dtype::boolean) {
    return false;
  }
  value = number.to_bool();
  return true;
}

}  // namespace

PyTypeObject* numpy_generic() {
  static PyTypeObject* generic = nullptr;
  if (generic == nullptr) {
    PyObject* numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
    PyObject* type = numpy == nullptr ? nullptr : PyObject_GetAttrString(numpy, "generic");
    PyErr_Clear();  // NumPy may be half imported
    generic = reinterpret_cast<PyTypeObject*>(type);
  }
  return generic;
}

bool to_number(PyObject* object, Scalar& number) {
  if (PyFloat_Check(object)) {
    number = Scalar(PyFloat_AS_DOUBLE(object));
    return true;
  }
  if (PyBool_Check(object)) {
    number = Scalar(object == Py_True);
    return true;
  }
  if (PyLong_Check(object)) {
    number = to_long(object);
    return true;
  }
  return from_numpy_number(object, number);
}

bool to_operand_slow(PyObject* object, Tensor& operand) {
  if (is_tensor(object)) {
    operand = tensor_of(object);
    return true;
  }
  Scalar number;
  if (to_number(object, number)) {
    operand = Tensor::number(number);
    return true;
  }
  operand = from_array(object);
  return operand.defined();
}

bool is_integer(PyObject* object) {
  return PyLong_Check(object) ? PyBool_Check(object) == 0
                              : !is_tensor(object) && PyIndex_Check(object) != 0;
}

std::int64_t to_integer(PyObject* object, std::string_view op, std::string_view arg) {
  std::int64_t value = 0;
  check<ArgumentError>(integer_of(object, value), "{}: {} is {}; expected int", op, arg,
                       type_text(object));
  return value;
}

bool to_integers(PyObject* object, Ints& integers) {
  std::int64_t value = 0;
  if (!PyTuple_Check(object) && !PyList_Check(object)) {
    if (!integer_of(object, value)) {
      return false;
    }
    integers.push_back(value);
    return true;
  }
  integers.reserve(static_cast<std::size_t>(PySequence_Fast_GET_SIZE(object)));
  // An item's __index__ may change the list.
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    const PyRef item = PyRef::borrow(PySequence_Fast_GET_ITEM(object, i));
    if (!integer_of(item.get(), value)) {
      return false;
    }
    integers.push_back(value);
  }
  return true;
}

void wrong_type(const OpInfo& op, const SchemaArg& arg, PyObject* object) {
  fail<ArgumentError>("{}: {} is {}; expected {}", op.name, arg.name, type_text(object),
                      arg_type_text(arg.type));
}

Attr to_attr(const OpInfo& op, const SchemaArg& arg, PyObject* object) {
  switch (arg.type) {
    case ArgType::integer: {
      std::int64_t value = 0;
      if (integer_of(object, value)) {
        return Attr(value);
      }
      break;
    }
    case ArgType::ints:
    case ArgType::sizes: {
      Ints values;
      if (to_integers(object, values)) {
        return Attr(std::move(values));
      }
      break;
    }
    case ArgType::boolean: {
      bool value = false;
      if (to_boolean(object, value)) {
        return Attr(value);
      }
      break;
    }
    case ArgType::dtype:
      if (const auto dtype = to_dtype(object)) {
        return Attr(*dtype);
      }
      break;
    default:
      if (PyUnicode_Check(object)) {
        return Attr(std::string(to_text(object)));
      }
  }
  wrong_type(op, arg, object);
}

std::string_view to_text(PyObject* text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) {
    throw PythonError();
  }
  return {bytes, static_cast<std::size_t>(size)};
}

PyObject* from_text(std::string_view text) {
  return owned(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())))
      .release();
}

}  // namespace rondo::python
