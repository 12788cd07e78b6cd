#include "bindings/python/function_node.h"

#include <map>
#include <string>
#include <vector>

#include "bindings/python/arguments.h"
#include "bindings/python/tensor_type.h"
#include "core/base/error.h"

namespace rondo::python {
namespace {

/// A tensor that backward asks for; a result of the node itself is kept without its history.
struct Kept {
  SavedTensor tensor;
  int output = -1;
};

PyRef tuple_of(std::vector<Tensor>&& tensors) {
  PyRef tuple = owned(PyTuple_New(static_cast<Py_ssize_t>(tensors.size())));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), wrap(std::move(tensors[i])));
  }
  return tuple;
}

class FunctionNode final : public GradNode {
 public:
  /// `backward(saved, grads)` gives a tuple with a gradient, or None, for each input.
  FunctionNode(const OpInfo& info, PyObject* backward) : backward_(backward) { op = &info; }

  void keep(const Tensor& tensor, std::span<const Tensor> results) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i].is_same(tensor)) {
        kept_.push_back({SavedTensor(tensor, true), static_cast<int>(i)});
        return;
      }
    }
    kept_.push_back({SavedTensor(tensor, false), 0});
  }

  std::vector<Gradient> apply(std::span<const Tensor> grads) override {
    check_not_released();
    const Ref<GradNode> self(this);
    std::vector<Tensor> saved;
    for (const Kept& kept : kept_) {
      saved.push_back(kept.tensor.unpack(self, kept.output));
    }
    const GilAcquire gil;
    const PyRef first = tuple_of(std::move(saved));
    const PyRef second = tuple_of({grads.begin(), grads.end()});
    const PyRef result =
        owned(PyObject_CallFunctionObjArgs(backward_.get(), first.get(), second.get(), nullptr));
    invariant(PyTuple_Check(result.get()) != 0 &&
                  PyTuple_GET_SIZE(result.get()) == static_cast<Py_ssize_t>(next.size()),
              "a function of Python gave no gradient for each input");
    std::vector<Gradient> gradients(next.size());
    for (std::size_t i = 0; i < next.size(); ++i) {
      PyObject* gradient = PyTuple_GET_ITEM(result.get(), static_cast<Py_ssize_t>(i));
      if (gradient != Py_None) {
        gradients[i].tensor = tensor_of(gradient);
      }
    }
    return gradients;
  }

  void release_saved() override {
    kept_.clear();
    released = true;
  }

 private:
  SharedPyRef backward_;
  std::vector<Kept> kept_;
};

/// What a node needs of an op: a name. Made once for each name.
const OpInfo& named_op(std::string_view name) {
  static auto& known = *new std::map<std::string, OpInfo, std::less<>>;
  auto found = known.find(name);
  if (found == known.end()) {
    found = known.emplace(name, OpInfo{}).first;
    found->second.name = found->first;
  }
  return found->second;
}

std::vector<Tensor> tensors_of(PyObject* list) {
  std::vector<Tensor> tensors;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    tensors.push_back(require_tensor(PyList_GET_ITEM(list, i), "Function", "a tensor"));
  }
  return tensors;
}

/// record_function(name, backward, inputs, outputs, saved)
PyObject* record_function(PyObject* /*module*/, PyObject* args) {
  PyObject* name = nullptr;
  PyObject* backward = nullptr;
  PyObject* inputs = nullptr;
  PyObject* outputs = nullptr;
  PyObject* saved = nullptr;
  if (PyArg_ParseTuple(args, "UOO!O!O!:record_function", &name, &backward, &PyList_Type, &inputs,
                       &PyList_Type, &outputs, &PyList_Type, &saved) == 0) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    const std::vector<Tensor> results = tensors_of(outputs);
    auto* const made = new FunctionNode(named_op(to_text(name)), backward);
    const Ref<GradNode> node(made);
    for (const Tensor& tensor : tensors_of(saved)) {
      made->keep(tensor, results);
    }
    record_node(node, tensors_of(inputs), results);
    Py_RETURN_NONE;
  });
}

PyMethodDef functions[] = {{"record_function", record_function, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

std::string_view function_name(const GradNode& node) {
  const auto* function = dynamic_cast<const FunctionNode*>(&node);
  return function == nullptr ? std::string_view() : function->op->name;
}

void add_function_nodes(PyObject* module) {
  check_status(PyModule_AddFunctions(module, functions));
}

}  // namespace rondo::python
