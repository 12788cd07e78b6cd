// From Python objects to what ops take: numbers, operands and attributes.
#pragma once

#include "bindings/python/python.h"
#include "core/op/op_info.h"

namespace rondo::python {

/// True for a Python or NumPy number, whose value is put into `number`.
bool to_number(PyObject* object, Scalar& number);

/// True for what stands for data: a tensor, a number, or an array (whose memory is shared).
bool to_operand_slow(PyObject* object, Tensor& operand);

/// True for a Python (not NumPy) integer, or anything with __index__.
bool is_integer(PyObject* object);

/// Errors: ArgumentError, in the words of `op` and `arg`.
std::int64_t to_integer(PyObject* object, std::string_view op, std::string_view arg);

/// Appends a list, tuple or Size of integers, or one integer. False if the object is neither.
bool to_integers(PyObject* object, Ints& integers);

/// The attribute `arg` of `op`. Errors: ArgumentError.
Attr to_attr(const OpInfo& op, const SchemaArg& arg, PyObject* object);

/// Throws the ArgumentError of a wrong type: `op: arg is got; expected what`.
[[noreturn]] void wrong_type(const OpInfo& op, const SchemaArg& arg, PyObject* object);

/// The text of a str, and a new str. Errors: PythonError.
std::string_view to_text(PyObject* text);
PyObject* from_text(std::string_view text);

/// A type of NumPy's; null as long as NumPy has not been imported by somebody. Borrowed.
PyTypeObject* numpy_generic();

}  // namespace rondo::python
