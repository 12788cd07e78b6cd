#include "bindings/python/autograd.h"

#include <cctype>
#include <chrono>
#include <new>

#include "bindings/python/call_site.h"
#include "bindings/python/function_node.h"
#include "bindings/python/tensor_type.h"
#include "core/autograd/backward.h"
#include "core/base/error.h"

namespace rondo::python {
namespace {

struct NodeObject {
  PyObject_HEAD GradEdge edge;
};

PyTypeObject* node_type = nullptr;

const GradEdge& edge_of_object(PyObject* self) {
  return reinterpret_cast<NodeObject*>(self)->edge;
}

/// "LogSoftmaxBackward0" for the op log_softmax, "MyExpBackward" for the Function MyExp.
std::string name_of(const GradEdge& edge) {
  if (!edge.node) {
    return "AccumulateGrad";
  }
  if (const std::string_view function = function_name(*edge.node); !function.empty()) {
    return std::string(function) + "Backward";
  }
  std::string name;
  bool start = true;
  for (const char c : edge.node->op->name) {
    if (c != '_') {
      name += start ? static_cast<char>(std::toupper(c)) : c;
    }
    start = c == '_';
  }
  return name + "Backward0";
}

PyObject* node_name(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] { return PyUnicode_FromString(name_of(edge_of_object(self)).c_str()); });
}

PyObject* node_repr(PyObject* self) {
  return guarded([&] {
    return PyUnicode_FromFormat("<%s object at %p>", name_of(edge_of_object(self)).c_str(), self);
  });
}

/// Pairs of a node and the number of its result, one for each operand; (None, 0) where no gradient
/// flows.
PyObject* node_next(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const GradEdge& edge = edge_of_object(self);
    const std::size_t count = edge.node ? edge.node->next.size() : 0;
    PyRef list = owned(PyTuple_New(static_cast<Py_ssize_t>(count)));
    for (std::size_t i = 0; i < count; ++i) {
      const GradEdge& next = edge.node->next[i];
      PyRef node = next ? owned(wrap_node(next)) : PyRef::borrow(Py_None);
      PyRef pair = owned(Py_BuildValue("(Oi)", node.get(), next ? next.output : 0));
      PyTuple_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), pair.release());
    }
    return list.release();
  });
}

PyObject* node_variable(PyObject* self, void* /*closure*/) {
  return guarded([&] { return wrap(edge_of_object(self).leaf); });
}

void node_dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  reinterpret_cast<NodeObject*>(self)->edge.~GradEdge();
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef node_methods[] = {{"name", node_name, METH_NOARGS, "The op and \"Backward0\"."},
                              {nullptr, nullptr, 0, nullptr}};
PyGetSetDef node_properties[] = {
    {"next_functions", node_next, nullptr, "Where its gradients flow to.", nullptr},
    {"variable", node_variable, nullptr, "The leaf, where it stands for one.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot node_slots[] = {{Py_tp_dealloc, as_slot(node_dealloc)},
                            {Py_tp_repr, as_slot(node_repr)},
                            {Py_tp_methods, node_methods},
                            {Py_tp_getset, node_properties},
                            {0, nullptr}};
PyType_Spec node_spec = {"rondo._C.Node", sizeof(NodeObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, node_slots};

/// Lets Ctrl-C end a backward pass, which runs without the GIL; asked for now and then.
void check_signals() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kInterval(20);
  thread_local Clock::time_point last;
  const Clock::time_point now = Clock::now();
  if (now - last < kInterval) {
    return;
  }
  last = now;
  const GilAcquire gil;
  check_status(PyErr_CheckSignals());
}

/// A tuple or list of tensors; None inside it, or instead of it, is undefined.
std::vector<Tensor> to_tensors(PyObject* sequence, const char* op, const char* arg) {
  std::vector<Tensor> tensors;
  if (sequence == Py_None) {
    return tensors;
  }
  const PyRef items = owned(PySequence_Fast(sequence, "expected a list of tensors"));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
    tensors.push_back(item == Py_None ? Tensor() : require_tensor(item, op, arg));
  }
  return tensors;
}

/// backward(outputs, grads, retain_graph, create_graph)
PyObject* run_backward(PyObject* /*module*/, PyObject* args) {
  PyObject* outputs = nullptr;
  PyObject* grads = nullptr;
  int retain_graph = 0;
  int create_graph = 0;
  if (PyArg_ParseTuple(args, "OOpp:backward", &outputs, &grads, &retain_graph, &create_graph) ==
      0) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    const std::vector<Tensor> from = to_tensors(outputs, "backward", "an output");
    const std::vector<Tensor> given = to_tensors(grads, "backward", "a gradient");
    {
      const CallRelease released;
      backward(from, given, {retain_graph != 0, create_graph != 0});
    }
    Py_RETURN_NONE;
  });
}

PyObject* run_gradients(PyObject* /*module*/, PyObject* args) {
  PyObject* outputs = nullptr;
  PyObject* inputs = nullptr;
  PyObject* grads = nullptr;
  int retain_graph = 0;
  int create_graph = 0;
  int allow_unused = 0;
  if (PyArg_ParseTuple(args, "OOOppp:grad", &outputs, &inputs, &grads, &retain_graph, &create_graph,
                       &allow_unused) == 0) {
    return nullptr;
  }
  return guarded([&] {
    const std::vector<Tensor> from = to_tensors(outputs, "grad", "an output");
    const std::vector<Tensor> to = to_tensors(inputs, "grad", "an input");
    const std::vector<Tensor> given = to_tensors(grads, "grad", "a gradient");
    std::vector<Tensor> results;
    {
      const CallRelease released;
      results =
          gradients(from, to, given, {retain_graph != 0, create_graph != 0}, allow_unused != 0);
    }
    PyRef tuple = owned(PyTuple_New(static_cast<Py_ssize_t>(results.size())));
    for (std::size_t i = 0; i < results.size(); ++i) {
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), wrap(results[i]));
    }
    return tuple.release();
  });
}

PyObject* is_grad_enabled(PyObject* /*module*/, PyObject* /*unused*/) {
  return PyBool_FromLong(grad_enabled() ? 1 : 0);
}

/// Gives the mode that was.
PyObject* set_grad_enabled(PyObject* /*module*/, PyObject* enabled) {
  const int wanted = PyObject_IsTrue(enabled);
  if (wanted < 0) {
    return nullptr;
  }
  const bool before = grad_enabled();
  grad_enabled() = wanted != 0;
  return PyBool_FromLong(before ? 1 : 0);
}

PyMethodDef functions[] = {{"backward", run_backward, METH_VARARGS, nullptr},
                           {"grad", run_gradients, METH_VARARGS, nullptr},
                           {"is_grad_enabled", is_grad_enabled, METH_NOARGS, nullptr},
                           {"set_grad_enabled", set_grad_enabled, METH_O, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* wrap_node(const GradEdge& edge) {
  PyRef object = owned(node_type->tp_alloc(node_type, 0));
  new (&reinterpret_cast<NodeObject*>(object.get())->edge) GradEdge(edge);
  return object.release();
}

void add_autograd(PyObject* module) {
  node_type = reinterpret_cast<PyTypeObject*>(owned(PyType_FromSpec(&node_spec)).release());
  check_status(PyModule_AddFunctions(module, functions));
  set_interrupt_check(check_signals);
}

}  // namespace rondo::python
