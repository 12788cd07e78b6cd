#include "bindings/python/state_files.h"

#include <algorithm>

#include "bindings/python/arguments.h"
#include "bindings/python/array.h"
#include "bindings/python/devices.h"
#include "bindings/python/tensor_type.h"
#include "core/base/error.h"
#include "core/op/call.h"
#include "serialize/safetensors.h"

namespace rondo::python {
namespace {

/// The items of a dict from str to anything.
std::vector<std::pair<std::string, PyRef>> items_of(PyObject* dict) {
  std::vector<std::pair<std::string, PyRef>> items;
  Py_ssize_t position = 0;
  PyObject* name = nullptr;
  PyObject* value = nullptr;
  while (PyDict_Next(dict, &position, &name, &value) != 0) {
    items.emplace_back(to_text(name), PyRef::borrow(value));
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
      const Tensor& tensor = whole.emplace_back(
          on_host(contiguous(require_tensor(object.get(), "save", name.c_str()))));
      const auto bytes = static_cast<std::size_t>(size_bytes(tensor.dtype(), tensor.numel()));
      views.push_back({name,
                       tensor.dtype(),
                       {tensor.shape().begin(), tensor.shape().end()},
                       {tensor.data(), bytes}});
    }
    serialize::Metadata texts;
    for (const auto& [key, text] : items_of(metadata)) {
      texts.emplace_back(key, to_text(text.get()));
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

/// Takes over `value`.
void set_item(PyObject* dict, std::string_view name, PyObject* value) {
  const PyRef item = PyRef::steal(value);
  const PyRef key = PyRef::steal(from_text(name));
  check_status(PyDict_SetItem(dict, key.get(), item.get()));
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
    serialize::SafetensorsFile file;
    std::vector<Tensor> read;
    {
      const GilRelease released;
      file = serialize::read_safetensors(*serialize::open_file(path));
      for (const serialize::TensorView& view : file.tensors) {
        read.push_back(tensor_of_view(view, file.bytes, map != 0));
      }
    }
    const PyRef tensors = owned(PyDict_New());
    for (std::size_t i = 0; i < read.size(); ++i) {
      set_item(tensors.get(), file.tensors[i].name, wrap(std::move(read[i])));
    }
    const PyRef texts = owned(PyDict_New());
    for (const auto& [key, text] : file.metadata) {
      set_item(texts.get(), key, from_text(text));
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
