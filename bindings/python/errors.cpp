#include "bindings/python/errors.h"

#include <pybind11/pybind11.h>

#include <array>
#include <new>
#include <string>

namespace rondo::python {
namespace {

constexpr std::size_t kKinds = static_cast<std::size_t>(ErrorKind::deadline) + 1;
std::array<PyObject*, kKinds> classes{};

/// What a class derives from beside rondo.Error (a RuntimeError), so that code which catches
/// Python's own classes works.
PyObject* further_base(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::shape:
    case ErrorKind::argument:
    case ErrorKind::format:
      return PyExc_ValueError;
    case ErrorKind::dtype:
      return PyExc_TypeError;
    case ErrorKind::index:
      return PyExc_IndexError;
    case ErrorKind::out_of_memory:
      return PyExc_MemoryError;
    case ErrorKind::unsupported:
      return PyExc_NotImplementedError;
    case ErrorKind::io:
      return PyExc_OSError;
    case ErrorKind::deadline:
      return PyExc_TimeoutError;
    default:
      return nullptr;
  }
}

PyRef bases_of(ErrorKind kind, PyObject* base) {
  PyObject* further = further_base(kind);
  if (further == nullptr) {
    return owned(PyTuple_Pack(1, base));
  }
  if (kind == ErrorKind::argument) {  // a wrong type is a wrong argument as well
    return owned(PyTuple_Pack(3, base, further, PyExc_TypeError));
  }
  // NotImplementedError is a RuntimeError itself, so it must come after ours.
  return owned(PyTuple_Pack(2, base, further));
}

}  // namespace

void add_errors(PyObject* module) {
  const PyRef base = owned(PyErr_NewExceptionWithDoc("rondo.Error", "Base of all errors of Rondo.",
                                                     PyExc_RuntimeError, nullptr));
  check_status(PyModule_AddObjectRef(module, "Error", base.get()));
  for (std::size_t i = 0; i < kKinds; ++i) {
    const auto kind = static_cast<ErrorKind>(i);
    const std::string name = std::string("rondo.") + error_name(kind);
    const PyRef bases = bases_of(kind, base.get());
    PyRef made = owned(PyErr_NewException(name.c_str(), bases.get(), nullptr));
    check_status(PyModule_AddObjectRef(module, error_name(kind), made.get()));
    classes.at(i) = made.release();
  }
}

PyObject* error_class(ErrorKind kind) {
  return classes.at(static_cast<std::size_t>(kind));
}

void set_error_from_current_exception() {
  try {
    throw;
  } catch (const PythonError&) {
    return;  // the indicator is set
  } catch (pybind11::error_already_set& error) {
    error.restore();
  } catch (const Error& error) {
    PyErr_SetString(error_class(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    PyErr_SetString(error_class(ErrorKind::out_of_memory), "the host has no memory left");
  } catch (const std::exception& error) {
    PyErr_SetString(error_class(ErrorKind::internal), error.what());
  }
}

}  // namespace rondo::python
