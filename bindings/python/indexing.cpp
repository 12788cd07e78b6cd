// Tensor[key] and Tensor[key] = value: views for numbers, slices, None and ..., and the ops index
// and index_put for integer tensors and masks.
#include <array>
#include <vector>

#include "bindings/python/array.h"
#include "bindings/python/convert.h"
#include "bindings/python/devices.h"
#include "bindings/python/ops.h"
#include "bindings/python/tensor_slots.h"
#include "bindings/python/tensor_type.h"
#include "core/autograd/transfer.h"
#include "core/base/error.h"
#include "core/op/call.h"
#include "core/ops/create.h"
#include "core/ops/reshape.h"

namespace rondo::python {
namespace {

/// Reads one part of a slice: None, or an integer.
Attr slice_part(PyObject* part) {
  return part == Py_None ? Attr() : Attr(to_integer(part, "index", "a bound of a slice"));
}

bool is_whole(PyObject* slice) {
  auto* parts = reinterpret_cast<PySliceObject*>(slice);
  return parts->start == Py_None && parts->stop == Py_None && parts->step == Py_None;
}

bool is_boolean(const Tensor& tensor) {
  return tensor.dtype() == Dtype::boolean;
}

/// Follows a key: views at once, tensors collected for one call of `index` at the end.
class KeyReader {
 public:
  KeyReader(const Tensor& tensor, PyObject* key) : result_(tensor), rank_(tensor.rank()) {
    if (PyTuple_Check(key) == 0) {
      step(key, key == Py_Ellipsis ? 0 : 1);
    } else {
      const int named = count_axes(key);
      check<IndexError>(named <= rank_, "index: {} indices for a tensor of shape {}", named,
                        tensor.shape());
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) {
        step(PyTuple_GET_ITEM(key, i), named);
      }
    }
    while (!indices_.empty() && !indices_.back().defined()) {
      indices_.pop_back();
    }
  }

  /// The view that the numbers, slices, None and ... select.
  const Tensor& view() const { return result_; }
  /// What `index` takes on the view: undefined for whole axes; empty if there are no tensors.
  const std::vector<Tensor>& indices() const { return indices_; }

 private:
  /// Axes of the tensor that the items of a key speak about.
  static int count_axes(PyObject* key) {
    int axes = 0;
    bool ellipsis = false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) {
      PyObject* item = PyTuple_GET_ITEM(key, i);
      if (item == Py_Ellipsis) {
        check<IndexError>(!ellipsis, "index: ... stands twice; it may stand once");
        ellipsis = true;
      } else if (is_tensor(item) && is_boolean(tensor_of(item))) {
        axes += tensor_of(item).rank();
      } else if (item != Py_None && PyBool_Check(item) == 0) {
        ++axes;
      }
    }
    return axes;
  }

  void step(PyObject* item, int named) {
    check<IndexError>(PyUnicode_Check(item) == 0 && PyDict_Check(item) == 0,
                      "index: an index is {}; expected integers, bool, slices, None or ...",
                      Py_TYPE(item)->tp_name);
    if (item == Py_None) {
      result_ = unsqueeze(result_, axis_);
      pass(1);
    } else if (item == Py_Ellipsis) {
      pass(rank_ - named);
    } else if (PySlice_Check(item)) {
      take_slice(item);
    } else if (is_integer(item)) {
      result_ = select(result_, axis_, to_integer(item, "index", "an index"));
    } else {
      take_tensor(item);
    }
  }

  /// Goes on behind axes that stay whole.
  void pass(int axes) {
    axis_ += axes;
    indices_.insert(indices_.end(), static_cast<std::size_t>(axes), Tensor());
  }

  void take_slice(PyObject* item) {
    if (!is_whole(item) || axis_ >= result_.rank()) {
      auto* parts = reinterpret_cast<PySliceObject*>(item);
      const Attr step = parts->step == Py_None ? Attr(std::int64_t{1}) : slice_part(parts->step);
      result_ = slice(result_, axis_, slice_part(parts->start), slice_part(parts->stop), step);
    }
    pass(1);
  }

  void take_tensor(PyObject* item) {
    const Tensor index = index_of(item);
    check<IndexError>(!is_floating(index.dtype()),
                      "index: an index is {}; expected integers, bool, slices, None or ...",
                      is_tensor(item) ? dtype_name(index.dtype()) : Py_TYPE(item)->tp_name);
    if (index.rank() > 0) {
      indices_.push_back(beside(index));
      axis_ += is_boolean(index) ? index.rank() : 1;
    } else if (is_boolean(index)) {
      result_ = unsqueeze(result_, axis_++);
      indices_.push_back(beside(reshape(index, Shape{1})));
    } else {
      result_ = select(result_, axis_, on_host(index).item().to_int());
    }
  }

  /// An index on the host serves tensors on every device.
  Tensor beside(const Tensor& index) const {
    return index.device() == Device{} ? move_to(index, result_.device()) : index;
  }

  static Tensor index_of(PyObject* item) {
    if (is_tensor(item)) {
      return tensor_of(item);
    }
    const Tensor index = copy_of_data(item, std::nullopt);
    // An empty list has no numbers that would say that they are integers.
    return index.numel() == 0 ? Tensor::empty(index.shape(), Dtype::int64) : index;
  }

  Tensor result_;
  std::vector<Tensor> indices_;
  int rank_;
  int axis_ = 0;
};

/// A value may have leading axes of size 1 that the target has not, as in NumPy.
Tensor without_leading_ones(Tensor value, int rank) {
  while (value.rank() > rank && value.shape()[0] == 1) {
    value = select(value, 0, 0);
  }
  return value;
}

/// What is no tensor, and a tensor of rank 0 on the host, goes where the target is.
Tensor value_of(PyObject* value, const Tensor& target) {
  Tensor operand;
  if (!to_operand(value, operand)) {
    operand = copy_of_data(value, target.dtype());
  }
  const bool moves = !is_tensor(value) || (operand.rank() == 0 && operand.device() == Device{});
  return moves ? move_to(operand, target.device()) : operand;
}

PyObject* get(const Tensor& tensor, PyObject* key) {
  if (PyLong_CheckExact(key)) {
    return wrap(select(tensor, 0, to_integer(key, "index", "an index")));
  }
  const KeyReader reader(tensor, key);
  if (!reader.indices().empty()) {
    std::vector<Tensor> inputs{reader.view()};
    inputs.insert(inputs.end(), reader.indices().begin(), reader.indices().end());
    return call_wrapped(require_op("index"), inputs, {});
  }
  if (reader.view().is_same(tensor)) {  // [...] and [:] give another object, as slices do
    return wrap(reshape(tensor, tensor.shape()));
  }
  return wrap(reader.view());
}

void set(const Tensor& tensor, PyObject* key, PyObject* value) {
  const KeyReader reader(tensor, key);
  const Tensor& target = reader.view();
  const Tensor source = value_of(value, target);
  if (reader.indices().empty()) {
    const std::array<Tensor, 2> inputs{target, without_leading_ones(source, target.rank())};
    PyRef::steal(call_in_place_wrapped(info<Copy>(), inputs, {}));
    return;
  }
  std::vector<Tensor> inputs{target, source};
  inputs.insert(inputs.end(), reader.indices().begin(), reader.indices().end());
  const Attr accumulate(false);
  PyRef::steal(call_in_place_wrapped(require_op("index_put"), inputs, {&accumulate, 1}));
}

}  // namespace

PyObject* tensor_get(PyObject* self, PyObject* key) {
  return guarded([&] {
    try {
      return get(tensor_of(self), key);
    } catch (const Error& error) {
      rethrow_as("index", error);
    }
  });
}

int tensor_set(PyObject* self, PyObject* key, PyObject* value) {
  return guarded_or(-1, [&] {
    check<ArgumentError>(value != nullptr, "index: elements of a tensor cannot be deleted");
    try {
      set(tensor_of(self), key, value);
      return 0;
    } catch (const Error& error) {
      rethrow_as("index", error);
    }
  });
}

Py_ssize_t tensor_length(PyObject* self) {
  return guarded_or(Py_ssize_t{-1}, [&] {
    const Tensor& tensor = tensor_of(self);
    check<ArgumentError>(tensor.rank() > 0, "len: a tensor of rank 0 has no length");
    return static_cast<Py_ssize_t>(tensor.shape()[0]);
  });
}

PyObject* tensor_iterate(PyObject* self) {
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    check<ArgumentError>(tensor.rank() > 0, "iter: a tensor of rank 0 cannot be iterated over");
    const std::int64_t count = tensor.shape()[0];
    const PyRef items = owned(PyTuple_New(static_cast<Py_ssize_t>(count)));
    for (std::int64_t i = 0; i < count; ++i) {
      PyTuple_SET_ITEM(items.get(), static_cast<Py_ssize_t>(i), wrap(select(tensor, 0, i)));
    }
    return PyObject_GetIter(items.get());
  });
}

}  // namespace rondo::python
