// The op table as Python data: what stubs and documentation are made of.
#include <array>

#include "bindings/python/arguments.h"
#include "bindings/python/ops.h"
#include "core/op/op_info.h"

namespace rondo::python {
namespace {

constexpr std::array<const char*, 9> kTypes{"Tensor", "Tensor[]", "Scalar", "int", "int[]",
                                            "size[]", "bool",     "Dtype",  "str"};

/// (name, type, optional, default as Python writes it, or None without one)
PyRef describe(const SchemaArg& arg) {
  PyRef value = PyRef::borrow(Py_None);
  if (arg.has_default) {
    const bool number = arg.type == ArgType::scalar && !arg.default_none;
    value = PyRef::steal(from_text(number ? arg.default_scalar.str() : arg.default_attr.str()));
  }
  return owned(Py_BuildValue("(NsON)", from_text(arg.name),
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
    check_status(PyList_Append(outputs.get(), PyRef::steal(from_text(name)).get()));
  }
  return owned(Py_BuildValue("{sNsOsOsOsOsOsN}", "name", from_text(op.name), "args", args.get(),
                             "outputs", outputs.get(), "method", op.method ? Py_True : Py_False,
                             "has_in_place", op.has_in_place ? Py_True : Py_False, "random",
                             op.deterministic ? Py_False : Py_True, "kind",
                             from_text(op_kind_name(op.kind))));
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
