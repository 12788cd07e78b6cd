#include "bindings/python/hooks.h"

#include "bindings/python/tensor_type.h"
#include "core/autograd/tape.h"
#include "core/base/error.h"

namespace rondo::python {
namespace {

struct HandleObject {
  PyObject_HEAD PyObject* function;  // None once it has been removed
};

PyTypeObject* handle_type = nullptr;

PyObject*& function_of(PyObject* handle) {
  return reinterpret_cast<HandleObject*>(handle)->function;
}

/// What autograd calls. It holds the handle, so that the handle can take the function away.
struct PythonHook {
  SharedPyRef handle;

  Tensor operator()(const Tensor& grad) const {
    const GilAcquire gil;
    const PyRef function = PyRef::borrow(function_of(handle.get()));
    if (function.get() == Py_None) {
      return {};
    }
    const PyRef argument = owned(wrap(grad));
    const PyRef result = owned(PyObject_CallOneArg(function.get(), argument.get()));
    if (result.get() == Py_None) {
      return {};
    }
    return require_tensor(result.get(), "register_hook", "the result of the hook");
  }
};

PyObject* handle_remove(PyObject* self, PyObject* /*unused*/) {
  Py_SETREF(function_of(self), Py_NewRef(Py_None));
  Py_RETURN_NONE;
}

PyObject* handle_exit(PyObject* self, PyObject* /*args*/) {
  return handle_remove(self, nullptr);
}

PyObject* handle_enter(PyObject* self, PyObject* /*unused*/) {
  return Py_NewRef(self);
}

int handle_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(function_of(self));
  return 0;
}

int handle_clear(PyObject* self) {
  Py_XSETREF(function_of(self), Py_NewRef(Py_None));
  return 0;
}

void handle_dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_CLEAR(function_of(self));
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef handle_methods[] = {
    {"remove", handle_remove, METH_NOARGS, "The function is called no more."},
    {"__enter__", handle_enter, METH_NOARGS, nullptr},
    {"__exit__", handle_exit, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot handle_slots[] = {{Py_tp_dealloc, as_slot(handle_dealloc)},
                              {Py_tp_traverse, as_slot(handle_traverse)},
                              {Py_tp_clear, as_slot(handle_clear)},
                              {Py_tp_methods, handle_methods},
                              {0, nullptr}};
PyType_Spec handle_spec = {
    "rondo._C.HookHandle", sizeof(HandleObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, handle_slots};

}  // namespace

PyObject* register_hook(PyObject* self, PyObject* function) {
  return guarded([&] {
    check<ArgumentError>(PyCallable_Check(function) != 0,
                         "register_hook: the hook is {}; expected a function",
                         Py_TYPE(function)->tp_name);
    PyRef handle = owned(handle_type->tp_alloc(handle_type, 0));
    function_of(handle.get()) = Py_NewRef(function);
    add_grad_hook(tensor_of(self), PythonHook{SharedPyRef(handle.get())});
    track(self);
    return handle.release();
  });
}

int visit_hooks(const Tensor& tensor, visitproc visit, void* arg) {
  const TensorGrad* meta = grad_meta(tensor);
  if (meta == nullptr || tensor.impl()->use_count() != 1) {
    return 0;
  }
  for (const GradHook& hook : meta->hooks) {
    if (const auto* python = hook.target<PythonHook>()) {
      Py_VISIT(python->handle.get());
    }
  }
  return 0;
}

void clear_hooks(const Tensor& tensor) {
  TensorGrad* meta = grad_meta(tensor);
  if (meta != nullptr && tensor.impl()->use_count() == 1) {
    const auto hooks = std::move(meta->hooks);
    meta->hooks.clear();
  }
}

void add_hooks(PyObject* /*module*/) {
  handle_type = reinterpret_cast<PyTypeObject*>(owned(PyType_FromSpec(&handle_spec)).release());
}

}  // namespace rondo::python
