#include "bindings/python/tensor_type.h"

#include <structmember.h>

#include <array>
#include <cstddef>
#include <new>
#include <vector>

#include "bindings/python/convert.h"
#include "bindings/python/hooks.h"
#include "bindings/python/tensor_slots.h"
#include "core/base/error.h"
#include "core/op/call.h"

namespace rondo::python {

PyTypeObject* tensor_type = nullptr;

namespace {

/// Objects of the type itself are recycled; their tensors live and die by the million.
class FreeObjects {
 public:
  PyObject* take() { return count_ == 0 ? nullptr : objects_[--count_]; }
  bool give(PyObject* object) {
    if (count_ == objects_.size()) {
      return false;
    }
    objects_[count_++] = object;
    return true;
  }

 private:
  std::array<PyObject*, 256> objects_{};
  std::size_t count_ = 0;
};
FreeObjects free_objects;

/// An object without a dict refers to no other Python object, so the collector need not see it
/// until it gets one.
PyObject* new_object() {
  PyObject* object = free_objects.take();
  if (object != nullptr) {
    return PyObject_Init(object, tensor_type);
  }
  return reinterpret_cast<PyObject*>(PyObject_GC_New(TensorObject, tensor_type));
}

void start(PyObject* object, Tensor&& tensor) {
  auto* self = reinterpret_cast<TensorObject*>(object);
  new (&self->tensor) Tensor(std::move(tensor));
  self->dict = nullptr;
  self->weak_references = nullptr;
  self->tensor.impl()->binding = object;
}

void tensor_dealloc(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  auto* self = reinterpret_cast<TensorObject*>(object);
  PyObject_GC_UnTrack(object);
  // First of all: callbacks and finalizers run below, and `wrap` must not give them this object.
  if (self->tensor.defined()) {
    self->tensor.impl()->binding = nullptr;
  }
  if (self->weak_references != nullptr) {
    PyObject_ClearWeakRefs(object);
  }
  Py_CLEAR(self->dict);
  self->tensor.~Tensor();
  if (type != tensor_type || !free_objects.give(object)) {
    type->tp_free(object);
  }
  Py_DECREF(type);
}

int tensor_traverse(PyObject* object, visitproc visit, void* arg) {
  auto* self = reinterpret_cast<TensorObject*>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->dict);
  return self->tensor.defined() ? visit_hooks(self->tensor, visit, arg) : 0;
}

int tensor_clear(PyObject* object) {
  auto* self = reinterpret_cast<TensorObject*>(object);
  Py_CLEAR(self->dict);
  if (self->tensor.defined()) {
    clear_hooks(self->tensor);
  }
  return 0;
}

int tensor_set_attribute(PyObject* object, PyObject* name, PyObject* value) {
  const int status = PyObject_GenericSetAttr(object, name, value);
  if (reinterpret_cast<TensorObject*>(object)->dict != nullptr) {
    track(object);
  }
  return status;
}

/// Tensor(): empty; Tensor(data): a float32 copy; Tensor(2, 3): uninitialised of that shape.
PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    check<ArgumentError>(keywords == nullptr || PyDict_GET_SIZE(keywords) == 0,
                         "Tensor: keywords are not taken; use rondo.tensor(data, dtype=...)");
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count == 0) {
      return wrap_as(type, Tensor::empty(Shape{0}, Dtype::float32));
    }
    PyObject* first = PyTuple_GET_ITEM(args, 0);
    if (PyLong_CheckExact(first) == 0) {
      check<ArgumentError>(count == 1, "Tensor: {} arguments; expected data or sizes", count);
      return wrap_as(type, copy_of_data(first, Dtype::float32));
    }
    Shape shape;
    for (Py_ssize_t i = 0; i < count; ++i) {
      shape.push_back(to_integer(PyTuple_GET_ITEM(args, i), "Tensor", "size"));
    }
    checked_numel(shape, "Tensor");
    return wrap_as(type, Tensor::empty(shape, Dtype::float32));
  });
}

Py_hash_t tensor_hash(PyObject* self) {
  return PyBaseObject_Type.tp_hash(self);
}

PyMemberDef tensor_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weak_references), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(TensorObject, dict), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

std::vector<PyType_Slot> tensor_slots() {
  std::vector<PyType_Slot> slots = {
      {Py_tp_new, as_slot(tensor_new)},
      {Py_tp_dealloc, as_slot(tensor_dealloc)},
      {Py_tp_traverse, as_slot(tensor_traverse)},
      {Py_tp_clear, as_slot(tensor_clear)},
      {Py_tp_setattro, as_slot(tensor_set_attribute)},
      {Py_tp_hash, as_slot(tensor_hash)},
      {Py_tp_richcompare, as_slot(tensor_compare)},
      {Py_tp_iter, as_slot(tensor_iterate)},
      {Py_mp_subscript, as_slot(tensor_get)},
      {Py_mp_ass_subscript, as_slot(tensor_set)},
      {Py_mp_length, as_slot(tensor_length)},
      {Py_sq_length, as_slot(tensor_length)},
      {Py_tp_members, tensor_members},
      {Py_tp_getset, tensor_properties},
      {Py_tp_methods, tensor_methods},
  };
  for (const PyType_Slot* slot = number_slots; slot->slot != 0; ++slot) {
    slots.push_back(*slot);
  }
  slots.push_back({0, nullptr});
  return slots;
}

}  // namespace

void add_tensor_type(PyObject* module) {
  std::vector<PyType_Slot> slots = tensor_slots();
  PyType_Spec spec = {"rondo.Tensor", sizeof(TensorObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots.data()};
  PyRef type = owned(PyType_FromSpec(&spec));
  check_status(PyModule_AddObjectRef(module, "Tensor", type.get()));
  tensor_type = reinterpret_cast<PyTypeObject*>(type.release());
}

PyObject* wrap(Tensor tensor) {
  if (!tensor.defined()) {
    Py_RETURN_NONE;
  }
  if (tensor.is_immediate()) [[unlikely]] {
    tensor = materialize(tensor);
  }
  if (tensor.impl()->binding != nullptr) {
    return Py_NewRef(static_cast<PyObject*>(tensor.impl()->binding));
  }
  PyObject* object = new_object();
  if (object == nullptr) {
    throw PythonError();
  }
  start(object, std::move(tensor));
  return object;
}

PyObject* wrap_as(PyTypeObject* type, Tensor tensor) {
  if (type == tensor_type) {
    return wrap(std::move(tensor));
  }
  invariant(tensor.impl()->binding == nullptr, "a tensor has two Python objects");
  PyRef object = owned(type->tp_alloc(type, 0));
  start(object.get(), std::move(tensor));
  return object.release();
}

void track(PyObject* object) {
  if (PyObject_GC_IsTracked(object) == 0) {
    PyObject_GC_Track(object);
  }
}

const Tensor& require_tensor(PyObject* object, const char* op, const char* arg) {
  check<ArgumentError>(is_tensor(object), "{}: {} is {}; expected Tensor", op, arg,
                       Py_TYPE(object)->tp_name);
  return tensor_of(object);
}

}  // namespace rondo::python
