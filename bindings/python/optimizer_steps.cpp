#include "bindings/python/optimizer_steps.h"

#include <vector>

#include "bindings/python/call_site.h"
#include "bindings/python/ops.h"
#include "bindings/python/tensor_type.h"
#include "core/base/error.h"
#include "core/op/call.h"

namespace rondo::python {
namespace {

/// From this many elements in all on, other threads run meanwhile.
constexpr std::int64_t kLongElements = 16384;

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

  bool take_long() const {
    std::int64_t elements = 0;
    for (const Tensor& tensor : columns_.front()) {
      elements += tensor.numel();
    }
    return elements >= kLongElements;
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
    if (steps.take_long()) {
      const CallRelease released;
      steps.run();
    } else {
      steps.run();
    }
    Py_RETURN_NONE;
  });
}

PyMethodDef functions[] = {{"step_all", step_all, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

void add_optimizer_steps(PyObject* module) {
  check_status(PyModule_AddFunctions(module, functions));
}

}  // namespace rondo::python
