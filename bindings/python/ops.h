// Ops as Python callables: one object for each row of the op table, read from its schema.
#pragma once

#include <span>

#include "bindings/python/python.h"
#include "core/op/op_info.h"

namespace rondo::python {

/// Makes the callables and adds them to a module `ops` in `parent`; those that are methods also to
/// the type Tensor.
void add_ops(PyObject* parent);

/// op_table(): a dict for each op.
PyObject* op_table(PyObject* module, PyObject* unused);

/// Calls an op of one result, or in place, and wraps the result.
PyObject* call_wrapped(const OpInfo& op, std::span<const Tensor> inputs,
                       std::span<const Attr> attrs);
PyObject* call_in_place_wrapped(const OpInfo& op, std::span<const Tensor> inputs,
                                std::span<const Attr> attrs);

/// Calls an op of any number of results. Where the kernels may take long, other Python threads run
/// meanwhile.
void call_released(const OpInfo& op, std::span<const Tensor> inputs, std::span<const Attr> attrs,
                   std::span<Tensor> outputs);

/// The row of a name that the package relies on. Errors: UnsupportedError if there is none.
const OpInfo& require_op(std::string_view name);

}  // namespace rondo::python
