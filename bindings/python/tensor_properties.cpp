// The properties of Tensor.
#include "bindings/python/autograd.h"
#include "bindings/python/ops.h"
#include "bindings/python/tensor_slots.h"
#include "bindings/python/tensor_type.h"
#include "bindings/python/value_types.h"
#include "core/autograd/tape.h"
#include "core/base/error.h"

namespace rondo::python {
namespace {

PyObject* get_dict(PyObject* self, void* closure) {
  PyObject* dict = PyObject_GenericGetDict(self, closure);
  track(self);
  return dict;
}

PyObject* get_shape(PyObject* self, void* /*closure*/) {
  return guarded([&] { return from_shape(tensor_of(self).shape()); });
}

PyObject* get_dtype(PyObject* self, void* /*closure*/) {
  return from_dtype(tensor_of(self).dtype());
}

PyObject* get_device(PyObject* self, void* /*closure*/) {
  return guarded([&] { return from_device(tensor_of(self).device()); });
}

PyObject* get_ndim(PyObject* self, void* /*closure*/) {
  return PyLong_FromLong(tensor_of(self).rank());
}

PyObject* get_itemsize(PyObject* self, void* /*closure*/) {
  return PyLong_FromLongLong(size_bytes(tensor_of(self).dtype(), 1));
}

PyObject* get_nbytes(PyObject* self, void* /*closure*/) {
  return PyLong_FromLongLong(size_bytes(tensor_of(self).dtype(), tensor_of(self).numel()));
}

PyObject* get_requires_grad(PyObject* self, void* /*closure*/) {
  return PyBool_FromLong(tensor_of(self).requires_grad() ? 1 : 0);
}

int set_requires_grad_property(PyObject* self, PyObject* value, void* /*closure*/) {
  return guarded_or(-1, [&] {
    const int wanted = value == nullptr ? 0 : PyObject_IsTrue(value);
    check_status(wanted);
    set_requires_grad(tensor_of(self), wanted != 0);
    return 0;
  });
}

PyObject* get_grad(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const TensorGrad* meta = grad_meta(tensor_of(self));
    return wrap(meta == nullptr ? Tensor() : meta->grad);
  });
}

int set_grad(PyObject* self, PyObject* value, void* /*closure*/) {
  return guarded_or(-1, [&] {
    const Tensor& tensor = tensor_of(self);
    if (value == nullptr || value == Py_None) {
      if (TensorGrad* meta = grad_meta(tensor)) {
        meta->grad = Tensor();
      }
      return 0;
    }
    const Tensor& grad = require_tensor(value, "grad", "the gradient");
    check<ShapeError>(grad.shape() == tensor.shape(),
                      "grad: the gradient is {}, the tensor {}; they must be equal", grad.shape(),
                      tensor.shape());
    check<DeviceError>(grad.device() == tensor.device(),
                       "grad: the gradient is on {}, the tensor on {}; they must be equal",
                       grad.device().str(), tensor.device().str());
    ensure_grad_meta(tensor).grad = grad;
    return 0;
  });
}

PyObject* get_is_leaf(PyObject* self, void* /*closure*/) {
  const Tensor& tensor = tensor_of(self);
  const TensorGrad* meta = grad_meta(tensor);
  return PyBool_FromLong(!tensor.requires_grad() || meta == nullptr || !meta->node ? 1 : 0);
}

PyObject* get_grad_fn(PyObject* self, void* /*closure*/) {
  return guarded([&]() -> PyObject* {
    const Tensor& tensor = tensor_of(self);
    if (!tensor.requires_grad()) {
      Py_RETURN_NONE;
    }
    const GradEdge edge = edge_of(tensor);
    if (!edge.node) {
      Py_RETURN_NONE;
    }
    return wrap_node(edge);
  });
}

PyObject* get_data(PyObject* self, void* /*closure*/) {
  return guarded([&] { return wrap(detach(tensor_of(self))); });
}

/// The tensor becomes a view of what the other one views; its history and gradient stay.
int set_data(PyObject* self, PyObject* value, void* /*closure*/) {
  return guarded_or(-1, [&] {
    check<ArgumentError>(value != nullptr, "data: it cannot be deleted; assign a tensor");
    const Tensor& source = require_tensor(value, "data", "the data");
    check<DtypeError>(!tensor_of(self).requires_grad() || is_floating(source.dtype()),
                      "data: the tensor requires gradients, the data is {}; expected a float",
                      dtype_name(source.dtype()));
    synchronize();
    TensorImpl* impl = tensor_of(self).impl();
    impl->storage = source.storage();
    impl->shape = source.shape();
    impl->strides = source.strides();
    impl->offset = source.offset();
    impl->dtype = source.dtype();
    return 0;
  });
}

PyObject* get_version(PyObject* self, void* /*closure*/) {
  return PyLong_FromUnsignedLong(tensor_of(self).storage()->version());
}

PyObject* get_is_cuda(PyObject* self, void* /*closure*/) {
  return PyBool_FromLong(tensor_of(self).device().type == DeviceType::cuda ? 1 : 0);
}

PyObject* transposed(const Tensor& tensor) {
  Ints axes;
  for (int i = tensor.rank() - 1; i >= 0; --i) {
    axes.push_back(i);
  }
  const Attr attr(std::move(axes));
  return call_wrapped(require_op("permute"), {&tensor, 1}, {&attr, 1});
}

PyObject* get_t(PyObject* self, void* /*closure*/) {
  return guarded([&] { return transposed(tensor_of(self)); });
}

PyObject* get_mt(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    check<ShapeError>(tensor.rank() >= 2, "mT: the shape is {}; at least two axes are required",
                      tensor.shape());
    const std::array<Attr, 2> axes{Attr(std::int64_t{-2}), Attr(std::int64_t{-1})};
    return call_wrapped(require_op("transpose"), {&tensor, 1}, axes);
  });
}

}  // namespace

PyGetSetDef tensor_properties[] = {
    {"__dict__", get_dict, nullptr, nullptr, nullptr},
    {"shape", get_shape, nullptr, "The sizes of the axes.", nullptr},
    {"dtype", get_dtype, nullptr, "The type of the elements.", nullptr},
    {"device", get_device, nullptr, "Where the data lives.", nullptr},
    {"ndim", get_ndim, nullptr, "The number of axes.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of an element.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"requires_grad", get_requires_grad, set_requires_grad_property,
     "Whether gradients are computed for it.", nullptr},
    {"grad", get_grad, set_grad, "What backward() has added up.", nullptr},
    {"is_leaf", get_is_leaf, nullptr, "False for a result that requires gradients.", nullptr},
    {"grad_fn", get_grad_fn, nullptr, "The call that it is a result of.", nullptr},
    {"data", get_data, set_data, "The same data without history.", nullptr},
    {"_version", get_version, nullptr, "How often the storage was written in place.", nullptr},
    {"is_cuda", get_is_cuda, nullptr, nullptr, nullptr},
    {"T", get_t, nullptr, "The axes in reverse order.", nullptr},
    {"mT", get_mt, nullptr, "The last two axes exchanged.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace rondo::python
