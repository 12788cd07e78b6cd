// The arguments of one call of an op, as Python passes them, put into the places of the schema.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bindings/python/inline_vector.h"
#include "bindings/python/python.h"
#include "core/op/generator.h"
#include "core/op/op_info.h"

namespace rondo::python {

/// The names of an op's arguments: "input, other".
std::string names_of(const OpInfo& op);

/// What the calls of an op need of its schema, made once.
struct OpSignature {
  explicit OpSignature(const OpInfo& op);

  const OpInfo& op;
  std::vector<PyObject*> names;          // interned
  std::vector<Tensor> default_operands;  // undefined where there is none
  int sizes_place = -1;  // the argument that takes several positional integers as a list
  PyTypeObject* result_type = nullptr;  // of several results that have names
};

/// The objects of a call, one for each argument of the schema.
class MatchedArguments {
 public:
  /// Errors: ArgumentError for surplus, repeated and unknown ones.
  MatchedArguments(const OpSignature& signature, PyObject* const* args, std::size_t count,
                   PyObject* keywords);

  /// Borrowed; null if it was left out.
  PyObject* operator[](std::size_t i) const { return values_[i]; }
  /// How many tensors they are. Errors: ArgumentError if the list of tensors is none.
  std::size_t operand_count() const;
  const std::optional<RandomDraw>& draw() const { return draw_; }

 private:
  static constexpr std::size_t kMaxArgs = 24;

  void match_positions(PyObject* const* args, std::size_t count);
  void match_keywords(PyObject* const* values, PyObject* keywords);
  void freeze_lists();
  std::size_t place_of(PyObject* name) const;

  const OpSignature& signature_;
  PyObject* values_[kMaxArgs];
  PyRef sizes_;                     // several positional integers, as a tuple
  PyRef tensors_;                   // a list of tensors, as a tuple
  std::optional<RandomDraw> draw_;  // from the keyword `generator`
};

/// Operands and attributes of a call.
class OpArguments {
 public:
  /// Errors: ArgumentError, PythonError.
  OpArguments(const OpSignature& signature, PyObject* const* args, std::size_t count,
              PyObject* keywords);

  std::span<const Tensor> inputs() { return inputs_.span(); }
  std::span<const Attr> attrs() { return attrs_.span(); }
  /// The object of the first argument; null if it was left out.
  PyObject* first() const { return objects_[0]; }

 private:
  void convert_operand(std::size_t i);
  void convert_list(std::size_t i);
  void convert_attr(std::size_t i);

  const OpInfo& op_;
  MatchedArguments objects_;
  InlineVector<Tensor, 8> inputs_;
  InlineVector<Attr, 6> attrs_;
  const std::vector<Tensor>& defaults_;
};

}  // namespace rondo::python
