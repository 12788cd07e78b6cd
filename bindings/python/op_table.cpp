// The op table as Python data: what stubs and documentation are made of.
#include <array>

#include "bindings/python/ops.h"
#include "core/op/op_info.h"

namespace rondo::python {
namespace {

constexpr std::array<const char*, 9> kTypes{"Tensor", "Tensor[]", "Scalar", "int", "int[]",
                                            "size[]", "bool",     "Dtype",  "str"};

PyRef to_python(std::string_view text) {
  return owned(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

/// (name, type, optional, default as Python writes it, or None without one)
PyRef describe(const SchemaArg& arg) {
  PyRef value = PyRef::borrow(Py_None);
  if (arg.has_default) {
    const bool number = arg.type == ArgType::scalar && !arg.default_none;
    value = to_python(number ? arg.default_scalar.str() : arg.default_attr.str());
  }
  return owned(Py_BuildValue("(NsON)", to_python(arg.name).release(),
                             kTypes.at(static_cast<std::size_t>(arg.type)),
                             arg.optional ? Py_True : Py_False, value.release()));
}

PyRef describe(const OpInfo& op) {
  const PyRef args = owned(PyList_New(0));
  for (const SchemaArg& arg : op.schema.args) {
    check_status(PyList_Append(args.get(), describe(arg).get()));
  }
  const PyRef outputs = owned(PyList_New(0));
  for (const std::string_view name : op.schema.output_names) {
    check_status(PyList_Append(outputs.get(), to_python(name).get()));
  }
  return owned(Py_BuildValue(
      "{sNsOsOsOsOsOsN}", "name", to_python(op.name).release(), "args", args.get(), "outputs",
      outputs.get(), "method", op.method ? Py_True : Py_False, "has_in_place",
      op.has_in_place ? Py_True : Py_False, "random", op.deterministic ? Py_False : Py_True, "kind",
      to_python(op_kind_name(op.kind)).release()));
}

}  // namespace

PyObject* op_table(PyObject* /*module*/, PyObject* /*unused*/) {
  return guarded([] {
    PyRef list = owned(PyList_New(0));
    const OpTable& table = OpTable::instance();
    for (int id = 0; id < table.size(); ++id) {
      check_status(PyList_Append(list.get(), describe(table.get(id)).get()));
    }
    return list.release();
  });
}

}  // namespace rondo::python
