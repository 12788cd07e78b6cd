// The native module rondo._C.
#include <algorithm>
#include <climits>

#include "bindings/python/array.h"
#include "bindings/python/autograd.h"
#include "bindings/python/call_site.h"
#include "bindings/python/convert.h"
#include "bindings/python/devices.h"
#include "bindings/python/dlpack.h"
#include "bindings/python/errors.h"
#include "bindings/python/function_node.h"
#include "bindings/python/generator.h"
#include "bindings/python/hooks.h"
#include "bindings/python/ops.h"
#include "bindings/python/optimizer_steps.h"
#include "bindings/python/programs.h"
#include "bindings/python/state_files.h"
#include "bindings/python/tensor_type.h"
#include "bindings/python/tracing.h"
#include "bindings/python/value_types.h"
#include "core/base/thread_pool.h"
#include "core/op/call.h"
#include "jit/initialize.h"

namespace rondo::python {
namespace {

/// tensor(data, dtype): a copy; the dtype may be None.
PyObject* make_tensor(PyObject* /*module*/, PyObject* args) {
  PyObject* data = nullptr;
  PyObject* dtype = Py_None;
  if (PyArg_ParseTuple(args, "O|O:tensor", &data, &dtype) == 0) {
    return nullptr;
  }
  return guarded([&] {
    const auto wanted = to_dtype(dtype);
    check<ArgumentError>(wanted || dtype == Py_None, "tensor: dtype is {}; expected dtype",
                         Py_TYPE(dtype)->tp_name);
    return wrap(copy_of_data(data, wanted));
  });
}

/// empty(size, dtype, device)
PyObject* make_empty(PyObject* /*module*/, PyObject* args) {
  PyObject* size = nullptr;
  PyObject* dtype = nullptr;
  PyObject* device = nullptr;
  if (PyArg_ParseTuple(args, "OOO:empty", &size, &dtype, &device) == 0) {
    return nullptr;
  }
  return guarded([&] {
    Ints sizes;
    const auto wanted = to_dtype(dtype);
    check<ArgumentError>(to_integers(size, sizes), "empty: size is {}; expected int or ints",
                         Py_TYPE(size)->tp_name);
    check<ArgumentError>(wanted.has_value(), "empty: dtype is {}; expected dtype",
                         Py_TYPE(dtype)->tp_name);
    const Shape shape{std::span<const std::int64_t>(sizes)};
    checked_numel(shape, "empty");
    return wrap(Tensor::empty(shape, *wanted, to_device(device)));
  });
}

PyObject* from_numpy(PyObject* /*module*/, PyObject* array) {
  return guarded([&] {
    const Tensor tensor = from_array(array);
    check<ArgumentError>(tensor.defined(), "from_numpy: the argument is {}; expected an array",
                         Py_TYPE(array)->tp_name);
    return wrap(tensor);
  });
}

/// to_bytes(tensor): its elements in row-major order.
PyObject* to_bytes(PyObject* /*module*/, PyObject* object) {
  return guarded([&] {
    const GradMode no_grad(false);
    const Tensor tensor = on_host(contiguous(require_tensor(object, "to_bytes", "tensor")));
    const auto* data = reinterpret_cast<const char*>(tensor.data());
    const std::int64_t count = size_bytes(tensor.dtype(), tensor.numel());
    return PyBytes_FromStringAndSize(data, static_cast<Py_ssize_t>(count));
  });
}

/// from_bytes(bytes, dtype, size): a copy.
PyObject* from_bytes(PyObject* /*module*/, PyObject* args) {
  const char* bytes = nullptr;
  Py_ssize_t count = 0;
  PyObject* dtype = nullptr;
  PyObject* size = nullptr;
  if (PyArg_ParseTuple(args, "y#OO:from_bytes", &bytes, &count, &dtype, &size) == 0) {
    return nullptr;
  }
  return guarded([&] {
    Ints sizes;
    const auto wanted = to_dtype(dtype);
    check<ArgumentError>(wanted && to_integers(size, sizes),
                         "from_bytes: dtype is {}, size is {}; expected dtype and ints",
                         Py_TYPE(dtype)->tp_name, Py_TYPE(size)->tp_name);
    const Shape shape{std::span<const std::int64_t>(sizes)};
    const std::int64_t needed = size_bytes(*wanted, checked_numel(shape, "from_bytes"));
    check<ShapeError>(count == needed, "from_bytes: {} bytes for shape {}; {} are required", count,
                      shape, needed);
    const Tensor tensor = Tensor::empty(shape, *wanted);
    std::copy_n(bytes, count, reinterpret_cast<char*>(tensor.storage()->raw_data()));
    return wrap(tensor);
  });
}

PyObject* set_threads(PyObject* /*module*/, PyObject* count) {
  return guarded([&]() -> PyObject* {
    const std::int64_t wanted = to_integer(count, "set_num_threads", "count");
    // Numbers beyond int are as wrong as INT_MAX, and get the same error.
    set_num_threads(static_cast<int>(std::clamp<std::int64_t>(wanted, INT_MIN, INT_MAX)));
    Py_RETURN_NONE;
  });
}

PyObject* get_threads(PyObject* /*module*/, PyObject* /*unused*/) {
  return PyLong_FromLong(num_threads());
}

PyMethodDef functions[] = {{"tensor", make_tensor, METH_VARARGS, nullptr},
                           {"empty", make_empty, METH_VARARGS, nullptr},
                           {"from_numpy", from_numpy, METH_O, nullptr},
                           {"from_dlpack", from_dlpack, METH_O, nullptr},
                           {"to_bytes", to_bytes, METH_O, nullptr},
                           {"from_bytes", from_bytes, METH_VARARGS, nullptr},
                           {"set_num_threads", set_threads, METH_O, nullptr},
                           {"get_num_threads", get_threads, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "_C",
                          "The native part of rondo.",
                          -1,
                          functions,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

PyObject* make_module() {
  jit::initialize();
  add_call_sites();
  PyRef module = owned(PyModule_Create(&definition));
  add_errors(module.get());
  add_value_types(module.get());
  add_array_provider(module.get());
  add_devices(module.get());
  add_hooks(module.get());
  add_generator(module.get());
  add_tensor_type(module.get());
  add_autograd(module.get());
  add_function_nodes(module.get());
  add_ops(module.get());
  add_optimizer_steps(module.get());
  add_tracing(module.get());
  add_programs(module.get());
  add_state_files(module.get());
  return module.release();
}

}  // namespace
}  // namespace rondo::python

PyMODINIT_FUNC PyInit__C() {
  return rondo::python::guarded(rondo::python::make_module);
}
