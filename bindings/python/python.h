// What every file of the module needs of CPython: owned references, the GIL, and errors across the
// border.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <exception>
#include <utility>

namespace rondo::python {

/// An owned reference to a Python object; may be null.
class PyRef {
 public:
  PyRef() = default;
  static PyRef steal(PyObject* object) { return PyRef(object); }
  static PyRef borrow(PyObject* object) { return PyRef(Py_XNewRef(object)); }
  PyRef(const PyRef& other) : object_(Py_XNewRef(other.object_)) {}
  PyRef(PyRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PyRef& operator=(PyRef other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~PyRef() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  explicit PyRef(PyObject* object) : object_(object) {}
  PyObject* object_ = nullptr;
};

/// Thrown where Python's error indicator has been set.
class PythonError : public std::exception {
 public:
  const char* what() const noexcept override { return "a Python exception"; }
};

/// Takes over a new reference. Errors: PythonError for null.
inline PyRef owned(PyObject* object) {
  if (object == nullptr) {
    throw PythonError();
  }
  return PyRef::steal(object);
}

/// Throws PythonError for the -1 by which CPython reports an error.
inline void check_status(int status) {
  if (status < 0) {
    throw PythonError();
  }
}

/// Forgets an error of the class `expected`. Errors: PythonError for any other, such as Ctrl-C.
inline void clear_error(PyObject* expected) {
  if (PyErr_ExceptionMatches(expected) == 0) {
    throw PythonError();
  }
  PyErr_Clear();
}

/// Lets other Python threads run for a scope.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease() { PyEval_RestoreThread(state_); }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

/// Holds the GIL for a scope, whatever thread this is.
class GilAcquire {
 public:
  GilAcquire() : state_(PyGILState_Ensure()) {}
  ~GilAcquire() { PyGILState_Release(state_); }
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;

 private:
  PyGILState_STATE state_;
};

/// An owned reference that may be copied and dropped without the GIL.
class SharedPyRef {
 public:
  explicit SharedPyRef(PyObject* object) : object_(Py_NewRef(object)) {}
  SharedPyRef(const SharedPyRef& other) : object_(other.object_) {
    const GilAcquire gil;
    Py_INCREF(object_);
  }
  SharedPyRef& operator=(const SharedPyRef&) = delete;
  ~SharedPyRef() {
    // After the interpreter has gone, so has the object.
    if (Py_IsInitialized() != 0) {
      const GilAcquire gil;
      Py_DECREF(object_);
    }
  }
  PyObject* get() const { return object_; }

 private:
  PyObject* object_;
};

/// Sets Python's error indicator from the C++ exception that is being handled.
void set_error_from_current_exception();

/// Runs `function`, which returns a new reference; exceptions become Python's.
template <class F>
PyObject* guarded(F&& function) noexcept {
  try {
    return function();
  } catch (...) {
    set_error_from_current_exception();
    return nullptr;
  }
}

/// The same for functions that return a status or a size.
template <class Result, class F>
Result guarded_or(Result failed, F&& function) noexcept {
  try {
    return function();
  } catch (...) {
    set_error_from_current_exception();
    return failed;
  }
}

/// Gives a function of any C signature the type that tables of CPython ask for.
template <class Function>
PyCFunction as_method(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}
template <class Function>
void* as_slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace rondo::python
