#include "bindings/python/optimizer_steps.h"

#include <vector>

#include "bindings/python/call_site.h"
#include "bindings/python/ops.h"
#include "bindings/python/tensor_type.h"
#include "core/autograd/tape.h"
#include "core/base/error.h"
#include "core/op/call.h"

namespace rondo::python {
namespace {

/// One column of tensors for each tensor that the op takes, then numbers, then attributes.
class Steps {
 public:
  Steps(const OpInfo& op, PyObject* columns, PyObject* rest) : op_(op) {
    const std::vector<SchemaArg>& args = op.schema.args;
    const Py_ssize_t count = PyTuple_GET_SIZE(columns);
    check<ArgumentError>(
        args.size() == static_cast<std::size_t>(count + PyTuple_GET_SIZE(rest)) && count > 0,
        "{}: {} columns and {} further arguments; expected {} in all", op.name, count,
        PyTuple_GET_SIZE(rest), args.size());
    for (Py_ssize_t i = 0; i < count; ++i) {
      add_column(PyTuple_GET_ITEM(columns, i));
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(rest); ++i) {
      const SchemaArg& arg = args[static_cast<std::size_t>(count + i)];
      PyObject* value = PyTuple_GET_ITEM(rest, i);
      if (!arg.is_operand()) {
        attrs_.push_back(to_attr(op, arg, value));
      } else if (!to_operand(value, shared_.emplace_back())) {
        wrong_type(op, arg, value);
      }
    }
  }

  std::int64_t elements() const {
    std::int64_t elements = 0;
    for (const Tensor& tensor : columns_.front()) {
      elements += tensor.device().is_remote() ? kLongElements : tensor.numel();
    }
    return elements;
  }

  void run() const {
    const GradMode no_grad(false);
    std::vector<Tensor> inputs(columns_.size());
    inputs.insert(inputs.end(), shared_.begin(), shared_.end());
    std::vector<Tensor> outputs(static_cast<std::size_t>(op_.schema.outputs));
    for (std::size_t row = 0; row < columns_.front().size(); ++row) {
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        inputs[column] = columns_[column][row];
      }
      call(op_, inputs, attrs_, outputs);
    }
  }

 private:
  void add_column(PyObject* list) {
    check<ArgumentError>(PyList_Check(list), "{}: a column is {}; expected a list of Tensors",
                         op_.name, Py_TYPE(list)->tp_name);
    std::vector<Tensor>& column = columns_.emplace_back();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
      column.push_back(require_tensor(PyList_GET_ITEM(list, i), "step_all", "an item"));
    }
    check<ArgumentError>(column.size() == columns_.front().size(),
                         "{}: columns of {} and {} tensors; they must be equally long", op_.name,
                         columns_.front().size(), column.size());
  }

  const OpInfo& op_;
  std::vector<std::vector<Tensor>> columns_;
  std::vector<Tensor> shared_;
  std::vector<Attr> attrs_;
};

/// step_all(op, columns, rest): calls an in-place op once for each row of the columns.
PyObject* step_all(PyObject* /*module*/, PyObject* args) {
  PyObject* name = nullptr;
  PyObject* columns = nullptr;
  PyObject* rest = nullptr;
  if (PyArg_ParseTuple(args, "UO!O!:step_all", &name, &PyTuple_Type, &columns, &PyTuple_Type,
                       &rest) == 0) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    const Steps steps(require_op(to_text(name)), columns, rest);
    released_if_long(steps.elements(), [&] { steps.run(); });
    Py_RETURN_NONE;
  });
}

/// The lists that gather_columns fills: parameters, one for each name, gradients.
class Columns {
 public:
  Columns(PyObject* states, PyObject* names) : states_(states), names_(names) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names) + 2; ++i) {
      lists_.push_back(owned(PyList_New(0)));
    }
  }

  /// False if the parameter has no state yet, or another count of steps than those before it.
  bool add(PyObject* parameter) {
    const TensorGrad* meta = grad_meta(require_tensor(parameter, "gather_columns", "an item"));
    if (meta == nullptr || !meta->grad.defined()) {
      return true;
    }
    PyObject* state = PyDict_GetItemWithError(states_, parameter);
    if (state == nullptr || PyDict_Check(state) == 0) {
      check_status(PyErr_Occurred() == nullptr ? 0 : -1);
      return false;
    }
    PyObject* step = PyDict_GetItemString(state, "step");
    if (step == nullptr || PyLong_CheckExact(step) == 0) {
      return false;
    }
    const long long count = PyLong_AsLongLong(step);
    if (step_ >= 0 && count != step_) {
      return false;
    }
    step_ = count;
    found_.push_back(state);
    append(0, parameter);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names_); ++i) {
      PyObject* value = PyDict_GetItemWithError(state, PyTuple_GET_ITEM(names_, i));
      if (value == nullptr) {
        return false;
      }
      append(static_cast<std::size_t>(i) + 1, value);
    }
    append(lists_.size() - 1, owned(wrap(meta->grad)).get());
    return true;
  }

  /// Counts the step in every state. Gives (step, parameters, ..., gradients).
  PyObject* finish() {
    const PyRef step = owned(PyLong_FromLongLong(step_ + 1));
    for (PyObject* state : found_) {
      check_status(PyDict_SetItemString(state, "step", step.get()));
    }
    PyRef result = owned(PyTuple_New(static_cast<Py_ssize_t>(lists_.size()) + 1));
    PyTuple_SET_ITEM(result.get(), 0, Py_NewRef(step.get()));
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      PyTuple_SET_ITEM(result.get(), static_cast<Py_ssize_t>(i) + 1, lists_[i].release());
    }
    return result.release();
  }

 private:
  void append(std::size_t list, PyObject* item) {
    check_status(PyList_Append(lists_[list].get(), item));
  }

  PyObject* states_;
  PyObject* names_;
  std::vector<PyRef> lists_;
  std::vector<PyObject*> found_;  // borrowed from states_
  long long step_ = -1;
};

/// gather_columns(params, states, names): what step_all takes, for the parameters that have a
/// gradient, and the count of steps, which is advanced. None if some parameter has no state yet or
/// counts differ: then nothing has changed.
PyObject* gather_columns(PyObject* /*module*/, PyObject* args) {
  PyObject* params = nullptr;
  PyObject* states = nullptr;
  PyObject* names = nullptr;
  if (PyArg_ParseTuple(args, "O!O!O!:gather_columns", &PyList_Type, &params, &PyDict_Type, &states,
                       &PyTuple_Type, &names) == 0) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    Columns columns(states, names);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(params); ++i) {
      if (!columns.add(PyList_GET_ITEM(params, i))) {
        Py_RETURN_NONE;
      }
    }
    return columns.finish();
  });
}

PyMethodDef functions[] = {{"step_all", step_all, METH_VARARGS, nullptr},
                           {"gather_columns", gather_columns, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

void add_optimizer_steps(PyObject* module) {
  check_status(PyModule_AddFunctions(module, functions));
}

}  // namespace rondo::python
