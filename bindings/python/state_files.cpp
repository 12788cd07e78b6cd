#include "bindings/python/state_files.h"

#include <algorithm>

#include "bindings/python/arguments.h"
#include "bindings/python/array.h"
#include "bindings/python/tensor_type.h"
#include "core/base/error.h"
#include "core/op/call.h"
#include "serialize/safetensors.h"

namespace rondo::python {
namespace {

/// The items of a dict from str to anything, as pairs of borrowed objects.
std::vector<std::pair<std::string, PyObject*>> items_of(PyObject* dict) {
  std::vector<std::pair<std::string, PyObject*>> items;
  Py_ssize_t position = 0;
  PyObject* name = nullptr;
  PyObject* value = nullptr;
  while (PyDict_Next(dict, &position, &name, &value) != 0) {
    items.emplace_back(to_text(name), value);
  }
  return items;
}

/// write_state(path, {name: tensor}, {key: text})
PyObject* write_state(PyObject* /*module*/, PyObject* args) {
  const char* path = nullptr;
  PyObject* tensors = nullptr;
  PyObject* metadata = nullptr;
  if (PyArg_ParseTuple(args, "sO!O!:write_state", &path, &PyDict_Type, &tensors, &PyDict_Type,
                       &metadata) == 0) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    const GradMode no_grad(false);
    std::vector<Tensor> whole;  // keeps the memory of the views
    std::vector<serialize::TensorView> views;
    for (const auto& [name, object] : items_of(tensors)) {
      const Tensor& tensor =
          whole.emplace_back(contiguous(require_tensor(object, "save", name.c_str())));
      const auto bytes = static_cast<std::size_t>(size_bytes(tensor.dtype(), tensor.numel()));
      views.push_back({name,
                       tensor.dtype(),
                       {tensor.shape().begin(), tensor.shape().end()},
                       {host_data(tensor), bytes}});
    }
    serialize::Metadata texts;
    for (const auto& [key, text] : items_of(metadata)) {
      texts.emplace_back(key, to_text(text));
    }
    {
      const GilRelease released;
      const std::unique_ptr<serialize::Sink> sink = serialize::replace_file(path);
      serialize::write_safetensors(*sink, views, texts);
    }
    Py_RETURN_NONE;
  });
}

Tensor tensor_of_view(const serialize::TensorView& view, const serialize::Bytes& bytes, bool map) {
  const Shape shape{std::span<const std::int64_t>(view.shape)};
  if (!map) {
    const Tensor tensor = Tensor::empty(shape, view.dtype);
    std::copy(view.data.begin(), view.data.end(), tensor.storage()->raw_data());
    return tensor;
  }
  return tensor_over(const_cast<std::byte*>(view.data.data()), shape, contiguous_strides(shape),
                     view.dtype, false, [bytes] {});
}

/// read_state(path, map): ({name: tensor}, {key: text}). With `map` the tensors lie in the file and
/// are read-only.
PyObject* read_state(PyObject* /*module*/, PyObject* args) {
  const char* path = nullptr;
  int map = 0;
  if (PyArg_ParseTuple(args, "sp:read_state", &path, &map) == 0) {
    return nullptr;
  }
  return guarded([&] {
    const serialize::SafetensorsFile file =
        serialize::read_safetensors(*serialize::open_file(path));
    const PyRef tensors = owned(PyDict_New());
    for (const serialize::TensorView& view : file.tensors) {
      const PyRef tensor = owned(wrap(tensor_of_view(view, file.bytes, map != 0)));
      check_status(PyDict_SetItemString(tensors.get(), view.name.c_str(), tensor.get()));
    }
    const PyRef texts = owned(PyDict_New());
    for (const auto& [key, text] : file.metadata) {
      const PyRef value =
          owned(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
      check_status(PyDict_SetItemString(texts.get(), key.c_str(), value.get()));
    }
    return Py_BuildValue("(OO)", tensors.get(), texts.get());
  });
}

PyMethodDef functions[] = {{"write_state", write_state, METH_VARARGS, nullptr},
                           {"read_state", read_state, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

void add_state_files(PyObject* module) {
  check_status(PyModule_AddFunctions(module, functions));
}

}  // namespace rondo::python
