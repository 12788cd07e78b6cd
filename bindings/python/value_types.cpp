#include "bindings/python/value_types.h"

#include <array>
#include <cstdint>
#include <string>

#include "bindings/python/arguments.h"
#include "core/base/error.h"

namespace rondo::python {
namespace {

struct DtypeObject {
  PyObject_HEAD Dtype dtype;
};

struct DeviceObject {
  PyObject_HEAD Device device;
};

PyTypeObject* dtype_type = nullptr;
PyTypeObject* device_type = nullptr;
PyTypeObject* size_type = nullptr;
std::array<PyObject*, kDtypeCount> dtypes{};

Dtype dtype_of(PyObject* self) {
  return reinterpret_cast<DtypeObject*>(self)->dtype;
}

Device device_of(PyObject* self) {
  return reinterpret_cast<DeviceObject*>(self)->device;
}

PyObject* dtype_repr(PyObject* self) {
  return guarded([&] { return from_text("rondo." + std::string(dtype_name(dtype_of(self)))); });
}

/// Pickled as the name of a member of rondo, so that it stays the one object.
PyObject* dtype_reduce(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] { return from_text(dtype_name(dtype_of(self))); });
}

PyGetSetDef dtype_properties[] = {
    {"name", [](PyObject* self, void*) { return dtype_reduce(self, nullptr); }, nullptr,
     "float32, bool and so on", nullptr},
    {"itemsize",
     [](PyObject* self, void*) {
       return PyLong_FromLong(static_cast<long>(size_bytes(dtype_of(self), 1)));
     },
     nullptr, "bytes of an element", nullptr},
    {"is_floating_point",
     [](PyObject* self, void*) { return PyBool_FromLong(is_floating(dtype_of(self)) ? 1 : 0); },
     nullptr, nullptr, nullptr},
    {"is_signed",
     [](PyObject* self, void*) {
       const Dtype d = dtype_of(self);
       return PyBool_FromLong(d != Dtype::boolean && d != Dtype::uint8 ? 1 : 0);
     },
     nullptr, nullptr, nullptr},
    {"is_complex", [](PyObject*, void*) { return PyBool_FromLong(0); }, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef dtype_methods[] = {{"__reduce__", dtype_reduce, METH_NOARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};

PyType_Slot dtype_slots[] = {{Py_tp_repr, as_slot(dtype_repr)},
                             {Py_tp_getset, dtype_properties},
                             {Py_tp_methods, dtype_methods},
                             {0, nullptr}};
PyType_Spec dtype_spec = {"rondo.dtype", sizeof(DtypeObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, dtype_slots};

/// "cuda" of "cuda:1"
std::string type_of(PyObject* self) {
  const std::string name = device_of(self).str();
  return name.substr(0, name.find(':'));
}

PyObject* device_repr(PyObject* self) {
  return guarded([&] {
    const Device device = device_of(self);
    const std::string type = type_of(self);
    if (device.type == DeviceType::cuda) {
      return PyUnicode_FromFormat("device(type='%s', index=%d)", type.c_str(), int{device.index});
    }
    return PyUnicode_FromFormat("device(type='%s')", type.c_str());
  });
}

PyObject* device_str(PyObject* self) {
  return guarded([&] { return from_text(device_of(self).str()); });
}

PyObject* device_compare(PyObject* self, PyObject* other, int operation) {
  if (Py_TYPE(other) != device_type || (operation != Py_EQ && operation != Py_NE)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  const bool equal = device_of(self) == device_of(other);
  return PyBool_FromLong(equal == (operation == Py_EQ) ? 1 : 0);
}

Py_hash_t device_hash(PyObject* self) {
  const Device device = device_of(self);
  return static_cast<Py_hash_t>(device.type) * 256 + device.index;
}

PyObject* device_new(PyTypeObject* /*type*/, PyObject* args, PyObject* keywords) {
  PyObject* type = nullptr;
  PyObject* index = Py_None;
  const std::array<char*, 3> names{const_cast<char*>("type"), const_cast<char*>("index"), nullptr};
  if (PyArg_ParseTupleAndKeywords(args, keywords, "O|O:device", const_cast<char**>(names.data()),
                                  &type, &index) == 0) {
    return nullptr;
  }
  return guarded([&] {
    Device device = to_device(type);
    if (index != Py_None) {
      const std::int64_t number = to_integer(index, "device", "index");
      check<DeviceError>(number >= 0 && number <= (device.type == DeviceType::cuda ? INT8_MAX : 0),
                         "device: index {} of {}; expected 0, or 0 to {} for cuda", number,
                         device.str(), INT8_MAX);
      device.index = static_cast<std::int8_t>(number);
    }
    return from_device(device);
  });
}

PyObject* device_reduce(PyObject* self, PyObject* /*unused*/) {
  return Py_BuildValue("O(N)", device_type, device_str(self));
}

PyGetSetDef device_properties[] = {
    {"type",
     [](PyObject* self, void*) { return guarded([&] { return from_text(type_of(self)); }); },
     nullptr, nullptr, nullptr},
    {"index",
     [](PyObject* self, void*) -> PyObject* {
       const Device device = device_of(self);
       if (device.type != DeviceType::cuda) {
         Py_RETURN_NONE;
       }
       return PyLong_FromLong(device.index);
     },
     nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef device_methods[] = {{"__reduce__", device_reduce, METH_NOARGS, nullptr},
                                {nullptr, nullptr, 0, nullptr}};

PyType_Slot device_slots[] = {
    {Py_tp_repr, as_slot(device_repr)}, {Py_tp_str, as_slot(device_str)},
    {Py_tp_hash, as_slot(device_hash)}, {Py_tp_richcompare, as_slot(device_compare)},
    {Py_tp_new, as_slot(device_new)},   {Py_tp_getset, device_properties},
    {Py_tp_methods, device_methods},    {0, nullptr}};
PyType_Spec device_spec = {"rondo.device", sizeof(DeviceObject), 0, Py_TPFLAGS_DEFAULT,
                           device_slots};

PyObject* size_repr(PyObject* self) {
  const PyRef items = PyRef::steal(PySequence_List(self));
  return items ? PyUnicode_FromFormat("rondo.Size(%R)", items.get()) : nullptr;
}

PyObject* size_numel(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] {
    PyRef product = owned(PyLong_FromLong(1));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
      const PyRef size = owned(PyNumber_Index(PyTuple_GET_ITEM(self, i)));
      product = owned(PyNumber_Multiply(product.get(), size.get()));
    }
    return product.release();
  });
}

PyMethodDef size_methods[] = {{"numel", size_numel, METH_NOARGS, "The product of the sizes."},
                              {nullptr, nullptr, 0, nullptr}};
PyType_Slot size_slots[] = {{Py_tp_repr, as_slot(size_repr)},
                            {Py_tp_methods, size_methods},
                            {Py_tp_base, &PyTuple_Type},
                            {0, nullptr}};
PyType_Spec size_spec = {"rondo.Size", 0, 0, Py_TPFLAGS_DEFAULT, size_slots};

PyTypeObject* make_type(PyObject* module, const char* name, PyType_Spec& spec) {
  PyRef type = owned(PyType_FromSpec(&spec));
  check_status(PyModule_AddObjectRef(module, name, type.get()));
  return reinterpret_cast<PyTypeObject*>(type.release());
}

/// Fills a new tuple (of type Size or not) with integers.
PyObject* fill_tuple(PyObject* tuple, const Shape& integers) {
  PyRef result = owned(tuple);
  for (int i = 0; i < integers.rank(); ++i) {
    PyTuple_SET_ITEM(tuple, i, owned(PyLong_FromLongLong(integers[i])).release());
  }
  return result.release();
}

}  // namespace

void add_value_types(PyObject* module) {
  dtype_type = make_type(module, "dtype", dtype_spec);
  device_type = make_type(module, "device", device_spec);
  size_type = make_type(module, "Size", size_spec);
  for (int i = 0; i < kDtypeCount; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    PyRef object = owned(dtype_type->tp_alloc(dtype_type, 0));
    reinterpret_cast<DtypeObject*>(object.get())->dtype = dtype;
    const std::string name(dtype_name(dtype));
    check_status(PyModule_AddObjectRef(module, name.c_str(), object.get()));
    dtypes.at(static_cast<std::size_t>(i)) = object.release();
  }
}

PyObject* from_dtype(Dtype dtype) {
  return Py_NewRef(dtypes[static_cast<std::size_t>(dtype)]);
}

std::optional<Dtype> to_dtype(PyObject* object) {
  if (Py_TYPE(object) == dtype_type) {
    return dtype_of(object);
  }
  if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) {
    return Dtype::float64;
  }
  if (object == reinterpret_cast<PyObject*>(&PyLong_Type)) {
    return Dtype::int64;
  }
  if (object == reinterpret_cast<PyObject*>(&PyBool_Type)) {
    return Dtype::boolean;
  }
  return std::nullopt;
}

PyObject* from_device(Device device) {
  PyRef object = owned(device_type->tp_alloc(device_type, 0));
  reinterpret_cast<DeviceObject*>(object.get())->device = device;
  return object.release();
}

Device to_device(PyObject* object) {
  if (Py_TYPE(object) == device_type) {
    return device_of(object);
  }
  check<ArgumentError>(PyUnicode_Check(object), "device: the device is {}; expected device or str",
                       Py_TYPE(object)->tp_name);
  return device_from_name(to_text(object));
}

PyObject* from_shape(const Shape& shape) {
  return fill_tuple(size_type->tp_alloc(size_type, shape.rank()), shape);
}

PyObject* from_integers(const Shape& integers) {
  return fill_tuple(PyTuple_New(integers.rank()), integers);
}

}  // namespace rondo::python
