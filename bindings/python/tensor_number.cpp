// The number protocol of Tensor: operators go to their ops without any lookup of names.
#include <array>
#include <string_view>

#include "bindings/python/convert.h"
#include "bindings/python/devices.h"
#include "bindings/python/ops.h"
#include "bindings/python/tensor_slots.h"
#include "bindings/python/tensor_type.h"
#include "core/base/error.h"
#include "core/op/call.h"

namespace rondo::python {
namespace {

/// The ops behind operators.
enum Operator : std::uint8_t {
  op_add,
  op_sub,
  op_mul,
  op_div,
  op_floor_divide,
  op_remainder,
  op_pow,
  op_matmul,
  op_and,
  op_or,
  op_xor,
  op_left_shift,
  op_right_shift,
  op_neg,
  op_abs,
  op_not,
  op_less,
  op_less_equal,
  op_equal,
  op_not_equal,
  op_greater,
  op_greater_equal,
  operator_count,
};
constexpr std::array<std::string_view, operator_count> kNames{"add",
                                                              "sub",
                                                              "mul",
                                                              "div",
                                                              "floor_divide",
                                                              "remainder",
                                                              "pow",
                                                              "matmul",
                                                              "bitwise_and",
                                                              "bitwise_or",
                                                              "bitwise_xor",
                                                              "bitwise_left_shift",
                                                              "bitwise_right_shift",
                                                              "neg",
                                                              "abs",
                                                              "bitwise_not",
                                                              "lt",
                                                              "le",
                                                              "eq",
                                                              "ne",
                                                              "gt",
                                                              "ge"};

/// Ops are registered before the first operator is used and never change.
const OpInfo& op_of(Operator which) {
  static std::array<const OpInfo*, operator_count> ops{};
  const OpInfo*& op = ops[which];
  if (op == nullptr) [[unlikely]] {
    op = &require_op(kNames[which]);
  }
  return *op;
}

PyObject* binary(Operator which, PyObject* left, PyObject* right) {
  return guarded([&]() -> PyObject* {
    std::array<Tensor, 2> inputs;
    if (!to_operand(left, inputs[0]) || !to_operand(right, inputs[1])) {
      Py_RETURN_NOTIMPLEMENTED;
    }
    return call_wrapped(op_of(which), inputs, {});
  });
}

PyObject* unary(Operator which, PyObject* self) {
  return guarded([&] { return call_wrapped(op_of(which), {&tensor_of(self), 1}, {}); });
}

PyObject* in_place(Operator which, PyObject* self, PyObject* other) {
  return guarded([&]() -> PyObject* {
    std::array<Tensor, 2> inputs{tensor_of(self), Tensor()};
    if (!to_operand(other, inputs[1])) {
      Py_RETURN_NOTIMPLEMENTED;
    }
    return call_in_place_wrapped(op_of(which), inputs, {});
  });
}

template <Operator Which>
PyObject* binary_slot(PyObject* left, PyObject* right) {
  return binary(Which, left, right);
}

template <Operator Which>
PyObject* unary_slot(PyObject* self) {
  return unary(Which, self);
}

template <Operator Which>
PyObject* in_place_slot(PyObject* self, PyObject* other) {
  return in_place(Which, self, other);
}

PyObject* power_slot(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  return binary(op_pow, left, right);
}

PyObject* power_in_place_slot(PyObject* self, PyObject* other, PyObject* /*modulus*/) {
  return in_place(op_pow, self, other);
}

Scalar only_element(PyObject* self) {
  return on_host(tensor_of(self)).item();
}

int truth_slot(PyObject* self) {
  return guarded_or(-1, [&] {
    check<ArgumentError>(tensor_of(self).numel() == 1,
                         "bool: the truth of a tensor of shape {} is ambiguous; use any() or all()",
                         tensor_of(self).shape());
    return only_element(self).to_bool() ? 1 : 0;
  });
}

PyObject* int_slot(PyObject* self) {
  return guarded([&] {
    const PyRef number = owned(from_scalar(only_element(self)));
    return PyNumber_Long(number.get());
  });
}

PyObject* float_slot(PyObject* self) {
  return guarded([&] { return PyFloat_FromDouble(only_element(self).to_double()); });
}

PyObject* index_slot(PyObject* self) {
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    check<DtypeError>(!is_floating(tensor.dtype()),
                      "index: a tensor of dtype {} is used as an index; expected an integer",
                      dtype_name(tensor.dtype()));
    return PyLong_FromLongLong(only_element(self).to_int());
  });
}

PyObject* positive_slot(PyObject* self) {
  return Py_NewRef(self);
}

}  // namespace

PyObject* tensor_compare(PyObject* left, PyObject* right, int operation) {
  constexpr std::array kOrder{op_less,      op_less_equal, op_equal,
                              op_not_equal, op_greater,    op_greater_equal};
  static_assert(Py_LT == 0 && Py_LE == 1 && Py_EQ == 2 && Py_NE == 3 && Py_GT == 4 && Py_GE == 5);
  return binary(kOrder.at(static_cast<std::size_t>(operation)), left, right);
}

const PyType_Slot number_slots[] = {
    {Py_nb_add, as_slot(binary_slot<op_add>)},
    {Py_nb_subtract, as_slot(binary_slot<op_sub>)},
    {Py_nb_multiply, as_slot(binary_slot<op_mul>)},
    {Py_nb_true_divide, as_slot(binary_slot<op_div>)},
    {Py_nb_floor_divide, as_slot(binary_slot<op_floor_divide>)},
    {Py_nb_remainder, as_slot(binary_slot<op_remainder>)},
    {Py_nb_power, as_slot(power_slot)},
    {Py_nb_matrix_multiply, as_slot(binary_slot<op_matmul>)},
    {Py_nb_and, as_slot(binary_slot<op_and>)},
    {Py_nb_or, as_slot(binary_slot<op_or>)},
    {Py_nb_xor, as_slot(binary_slot<op_xor>)},
    {Py_nb_lshift, as_slot(binary_slot<op_left_shift>)},
    {Py_nb_rshift, as_slot(binary_slot<op_right_shift>)},
    {Py_nb_negative, as_slot(unary_slot<op_neg>)},
    {Py_nb_positive, as_slot(positive_slot)},
    {Py_nb_absolute, as_slot(unary_slot<op_abs>)},
    {Py_nb_invert, as_slot(unary_slot<op_not>)},
    {Py_nb_inplace_add, as_slot(in_place_slot<op_add>)},
    {Py_nb_inplace_subtract, as_slot(in_place_slot<op_sub>)},
    {Py_nb_inplace_multiply, as_slot(in_place_slot<op_mul>)},
    {Py_nb_inplace_true_divide, as_slot(in_place_slot<op_div>)},
    {Py_nb_inplace_floor_divide, as_slot(in_place_slot<op_floor_divide>)},
    {Py_nb_inplace_remainder, as_slot(in_place_slot<op_remainder>)},
    {Py_nb_inplace_power, as_slot(power_in_place_slot)},
    {Py_nb_inplace_and, as_slot(in_place_slot<op_and>)},
    {Py_nb_inplace_or, as_slot(in_place_slot<op_or>)},
    {Py_nb_inplace_xor, as_slot(in_place_slot<op_xor>)},
    {Py_nb_bool, as_slot(truth_slot)},
    {Py_nb_int, as_slot(int_slot)},
    {Py_nb_float, as_slot(float_slot)},
    {Py_nb_index, as_slot(index_slot)},
    {0, nullptr}};

}  // namespace rondo::python
