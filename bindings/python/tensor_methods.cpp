// The methods of Tensor that are no ops: what it is, and its data in other forms.
#include "bindings/python/array.h"
#include "bindings/python/call_site.h"
#include "bindings/python/convert.h"
#include "bindings/python/devices.h"
#include "bindings/python/dlpack.h"
#include "bindings/python/hooks.h"
#include "bindings/python/tensor_slots.h"
#include "bindings/python/tensor_type.h"
#include "bindings/python/value_types.h"
#include "core/autograd/tape.h"
#include "core/base/error.h"
#include "core/op/call.h"

namespace rondo::python {
namespace {

/// One integer of `list`, or all of them.
PyObject* size_or_sizes(const Shape& list, PyObject* const* args, Py_ssize_t count,
                        PyObject* (*all)(const Shape&), const char* op) {
  return guarded([&] {
    check<ArgumentError>(count <= 1, "{}: {} arguments; at most 1 is taken", op, count);
    if (count == 0 || args[0] == Py_None) {
      return all(list);
    }
    const std::int64_t axis = to_integer(args[0], op, "dim");
    check<IndexError>(list.rank() > 0, "{}: axis {} of a tensor of rank 0; it has no axes", op,
                      axis);
    return PyLong_FromLongLong(list[normalize_axis(axis, list.rank(), op)]);
  });
}

PyObject* size(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return size_or_sizes(tensor_of(self).shape(), args, count, from_shape, "size");
}

PyObject* stride(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return size_or_sizes(tensor_of(self).strides(), args, count, from_integers, "stride");
}

PyObject* dim(PyObject* self, PyObject* /*unused*/) {
  return PyLong_FromLong(tensor_of(self).rank());
}

PyObject* numel(PyObject* self, PyObject* /*unused*/) {
  return PyLong_FromLongLong(tensor_of(self).numel());
}

PyObject* element_size(PyObject* self, PyObject* /*unused*/) {
  return PyLong_FromLongLong(size_bytes(tensor_of(self).dtype(), 1));
}

PyObject* storage_offset(PyObject* self, PyObject* /*unused*/) {
  return PyLong_FromLongLong(tensor_of(self).offset());
}

PyObject* item(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    return from_scalar((tensor.numel() == 1 ? on_host(tensor) : tensor).item());
  });
}

PyObject* tolist(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] { return to_list(tensor_of(self)); });
}

/// The address goes out of our sight, so from now on no work on the storage is deferred.
PyObject* data_ptr(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    tensor.storage()->share();
    if (tensor.device().is_remote()) {
      return PyLong_FromVoidPtr(tensor.storage()->address() +
                                size_bytes(tensor.dtype(), tensor.offset()));
    }
    return PyLong_FromVoidPtr(host_data(tensor));
  });
}

PyObject* is_contiguous_method(PyObject* self, PyObject* /*unused*/) {
  return PyBool_FromLong(tensor_of(self).is_contiguous() ? 1 : 0);
}

PyObject* contiguous_method(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    const std::int64_t copied = tensor.is_contiguous()        ? 0
                                : tensor.device().is_remote() ? kLongElements
                                                              : tensor.numel();
    return wrap(released_if_long(copied, [&] { return contiguous(tensor); }));
  });
}

PyObject* is_floating_point(PyObject* self, PyObject* /*unused*/) {
  return PyBool_FromLong(is_floating(tensor_of(self).dtype()) ? 1 : 0);
}

PyObject* detach_method(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] { return wrap(detach(tensor_of(self))); });
}

PyObject* detach_in_place(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] {
    if (TensorGrad* meta = grad_meta(tensor_of(self))) {
      check<ArgumentError>(!meta->base.defined(), "detach_: the tensor is a view; use detach()");
      meta->node.reset();
    }
    tensor_of(self).impl()->requires_grad = false;
    return Py_NewRef(self);
  });
}

PyObject* requires_grad_in_place(PyObject* self, PyObject* const* args, Py_ssize_t count,
                                 PyObject* keywords) {
  return guarded([&] {
    const Py_ssize_t given = count + (keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords));
    check<ArgumentError>(given <= 1, "requires_grad_: {} arguments; at most 1 is taken", given);
    if (given > count) {
      const std::string_view name = to_text(PyTuple_GET_ITEM(keywords, 0));
      check<ArgumentError>(name == "requires_grad",
                           "requires_grad_: unexpected keyword '{}'; it takes requires_grad", name);
    }
    const int wanted = given == 0 ? 1 : PyObject_IsTrue(args[0]);
    check_status(wanted);
    set_requires_grad(tensor_of(self), wanted != 0);
    return Py_NewRef(self);
  });
}

PyObject* array(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] { return array_provider(tensor_of(self)); });
}

/// A new object of the class over the data of a tensor, a leaf: how Parameter is made.
PyObject* make_subclass(PyObject* type, PyObject* const* args, Py_ssize_t count) {
  return guarded([&] {
    check<ArgumentError>(count == 2, "_make_subclass: {} arguments; expected data, requires_grad",
                         count);
    const Tensor& data = require_tensor(args[0], "_make_subclass", "data");
    const int wanted = PyObject_IsTrue(args[1]);
    check_status(wanted);
    const Tensor leaf = detach(data);
    set_requires_grad(leaf, wanted != 0);
    return wrap_as(reinterpret_cast<PyTypeObject*>(type), leaf);
  });
}

}  // namespace

PyMethodDef tensor_methods[] = {
    {"size", as_method(size), METH_FASTCALL, "The shape, or the size of one axis."},
    {"stride", as_method(stride), METH_FASTCALL, "The strides in elements, or one of them."},
    {"dim", dim, METH_NOARGS, "The number of axes."},
    {"ndimension", dim, METH_NOARGS, "The number of axes."},
    {"numel", numel, METH_NOARGS, "The number of elements."},
    {"nelement", numel, METH_NOARGS, "The number of elements."},
    {"element_size", element_size, METH_NOARGS, "Bytes of an element."},
    {"storage_offset", storage_offset, METH_NOARGS, "Where in its storage it begins, in elements."},
    {"item", item, METH_NOARGS, "The only element as a number of Python."},
    {"tolist", tolist, METH_NOARGS, "The elements in nested lists."},
    {"data_ptr", data_ptr, METH_NOARGS, "The address of the first element."},
    {"is_contiguous", is_contiguous_method, METH_NOARGS,
     "Whether elements lie in row-major order."},
    {"contiguous", contiguous_method, METH_NOARGS, "Itself, or a copy in row-major order."},
    {"is_floating_point", is_floating_point, METH_NOARGS, "Whether elements are floats."},
    {"detach", detach_method, METH_NOARGS, "The same data without history."},
    {"detach_", detach_in_place, METH_NOARGS, "Forgets its history."},
    {"requires_grad_", as_method(requires_grad_in_place), METH_FASTCALL | METH_KEYWORDS,
     "Asks for gradients, or no more."},
    {"register_hook", register_hook, METH_O, "Calls a function with the gradient."},
    {"_array", array, METH_NOARGS, "An object with __array_struct__ over its memory."},
    {"__dlpack__", as_method(tensor_to_dlpack), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack_device__", tensor_dlpack_device, METH_NOARGS, nullptr},
    {"_make_subclass", as_method(make_subclass), METH_FASTCALL | METH_CLASS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace rondo::python
