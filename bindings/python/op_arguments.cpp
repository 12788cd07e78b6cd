#include "bindings/python/op_arguments.h"

#include <algorithm>
#include <deque>

#include "bindings/python/arguments.h"
#include "bindings/python/generator.h"
#include "bindings/python/tensor_type.h"
#include "core/base/error.h"

namespace rondo::python {
namespace {

bool is_list(const SchemaArg& arg) {
  return arg.type == ArgType::ints || arg.type == ArgType::sizes;
}

/// The place of the one list of integers that may be written without brackets: x.view(2, 3). No
/// integer may follow in the schema, or x.roll(1, 0) would be ambiguous.
int find_sizes_place(const std::vector<SchemaArg>& args) {
  const auto list = std::find_if(args.begin(), args.end(), is_list);
  const bool plain = std::none_of(list == args.end() ? list : list + 1, args.end(), [](auto& a) {
    return is_list(a) || a.type == ArgType::integer || a.type == ArgType::scalar;
  });
  return list != args.end() && plain ? static_cast<int>(list - args.begin()) : -1;
}

/// Also a tensor of rank 0, which is_integer leaves to indexing.
bool stands_for_integer(PyObject* object) {
  return is_integer(object) || (is_tensor(object) && tensor_of(object).rank() == 0 &&
                                is_integral(tensor_of(object).dtype()));
}

[[noreturn]] void missing(const OpInfo& op, const SchemaArg& arg) {
  fail<ArgumentError>("{}: {} is missing; expected {}", op.name, arg.name, arg_type_text(arg.type));
}

/// A tuple whose items have the names of the results; null where they have none. The type keeps
/// pointers to the names, so they are never freed.
PyTypeObject* make_result_type(const OpInfo& op) {
  const std::vector<std::string_view>& names = op.schema.output_names;
  if (op.in_place || names.empty() || names[0].empty()) {
    return nullptr;
  }
  static auto& kept = *new std::deque<std::string>;
  std::vector<PyStructSequence_Field> fields;
  for (const std::string_view item : names) {
    const std::string& text = kept.emplace_back(item);
    fields.push_back({text.c_str(), nullptr});
  }
  fields.push_back({nullptr, nullptr});
  const std::string name = "rondo.return_types." + std::string(op.name);
  PyStructSequence_Desc description{name.c_str(), nullptr, fields.data(),
                                    static_cast<int>(names.size())};
  return reinterpret_cast<PyTypeObject*>(
      owned(reinterpret_cast<PyObject*>(PyStructSequence_NewType(&description))).release());
}

}  // namespace

std::string names_of(const OpInfo& op) {
  std::string names;
  for (const SchemaArg& arg : op.schema.args) {
    names += (names.empty() ? "" : ", ") + std::string(arg.name);
  }
  return names;
}

OpSignature::OpSignature(const OpInfo& info)
    : op(info),
      sizes_place(find_sizes_place(info.schema.args)),
      result_type(make_result_type(info)) {
  for (const SchemaArg& arg : op.schema.args) {
    PyObject* name = owned(PyUnicode_FromStringAndSize(arg.name.data(),
                                                       static_cast<Py_ssize_t>(arg.name.size())))
                         .release();
    PyUnicode_InternInPlace(&name);
    names.push_back(name);
    const bool has_value = arg.type <= ArgType::scalar && arg.has_default && !arg.default_none;
    default_operands.push_back(has_value ? Tensor::number(arg.default_scalar) : Tensor());
  }
}

MatchedArguments::MatchedArguments(const OpSignature& signature, PyObject* const* args,
                                   std::size_t count, PyObject* keywords)
    : signature_(signature) {
  match_positions(args, count);
  if (keywords != nullptr) {
    match_keywords(args + count, keywords);
  }
  freeze_lists();
}

/// Items are converted after they have been counted, and an item's `__array_struct__` may run code
/// that changes a list.
void MatchedArguments::freeze_lists() {
  const ParsedSchema& schema = signature_.op.schema;
  for (std::size_t i = 0; schema.takes_list && i < schema.args.size(); ++i) {
    if (schema.args[i].type == ArgType::tensor_list && values_[i] != nullptr &&
        PyList_Check(values_[i]) != 0) {
      tensors_ = owned(PyList_AsTuple(values_[i]));
      values_[i] = tensors_.get();
    }
  }
}

void MatchedArguments::match_positions(PyObject* const* args, std::size_t count) {
  const std::size_t places = signature_.op.schema.args.size();
  invariant(places <= kMaxArgs, "an op has too many arguments");
  std::fill_n(values_, std::max<std::size_t>(places, 1), nullptr);
  const auto first = static_cast<std::size_t>(signature_.sizes_place);
  if (signature_.sizes_place >= 0 && count > first + 1 &&
      std::all_of(args + first, args + count, stands_for_integer)) {
    sizes_ = owned(PyTuple_New(static_cast<Py_ssize_t>(count - first)));
    for (std::size_t i = first; i < count; ++i) {
      PyTuple_SET_ITEM(sizes_.get(), static_cast<Py_ssize_t>(i - first), Py_NewRef(args[i]));
    }
    std::copy_n(args, first, values_);
    values_[first] = sizes_.get();
    return;
  }
  check<ArgumentError>(count <= places, "{}: {} arguments; at most {} are taken",
                       signature_.op.name, count, places);
  std::copy_n(args, count, values_);
}

std::size_t MatchedArguments::place_of(PyObject* name) const {
  const std::vector<PyObject*>& names = signature_.names;
  const auto found = std::find(names.begin(), names.end(), name);  // keywords are interned
  if (found != names.end()) {
    return static_cast<std::size_t>(found - names.begin());
  }
  const int place = signature_.op.schema.find(to_text(name));
  check<ArgumentError>(place >= 0, "{}: unexpected keyword '{}'; it takes {}", signature_.op.name,
                       to_text(name), names_of(signature_.op));
  return static_cast<std::size_t>(place);
}

void MatchedArguments::match_keywords(PyObject* const* values, PyObject* keywords) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i) {
    PyObject* name = PyTuple_GET_ITEM(keywords, i);
    if (!signature_.op.deterministic && to_text(name) == "generator") {
      if (values[i] != Py_None) {
        draw_ = draw_from(values[i]);
      }
      continue;
    }
    const std::size_t place = place_of(name);
    check<ArgumentError>(values_[place] == nullptr, "{}: {} is given twice; give it once",
                         signature_.op.name, to_text(name));
    values_[place] = values[i];
  }
}

std::size_t MatchedArguments::operand_count() const {
  const ParsedSchema& schema = signature_.op.schema;
  auto count = static_cast<std::size_t>(schema.operands);
  for (std::size_t i = 0; schema.takes_list && i < schema.args.size(); ++i) {
    if (schema.args[i].type == ArgType::tensor_list) {
      PyObject* list = values_[i];
      if (list == nullptr) {
        missing(signature_.op, schema.args[i]);
      }
      if (PyTuple_Check(list) == 0 && PyList_Check(list) == 0) {
        wrong_type(signature_.op, schema.args[i], list);
      }
      count += static_cast<std::size_t>(PySequence_Fast_GET_SIZE(list)) - 1;
    }
  }
  return count;
}

OpArguments::OpArguments(const OpSignature& signature, PyObject* const* args, std::size_t count,
                         PyObject* keywords)
    : op_(signature.op),
      objects_(signature, args, count, keywords),
      inputs_(objects_.operand_count()),
      attrs_(static_cast<std::size_t>(op_.schema.attributes)),
      defaults_(signature.default_operands) {
  const std::vector<SchemaArg>& schema = op_.schema.args;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (schema[i].type == ArgType::tensor_list) {
      convert_list(i);
    } else if (schema[i].is_operand()) {
      convert_operand(i);
    } else {
      convert_attr(i);
    }
  }
}

void OpArguments::convert_list(std::size_t i) {
  PyObject* list = objects_[i];
  for (Py_ssize_t j = 0; j < PySequence_Fast_GET_SIZE(list); ++j) {
    PyObject* item = PySequence_Fast_GET_ITEM(list, j);
    if (!to_operand(item, inputs_.emplace_back())) {
      const SchemaArg& arg = op_.schema.args[i];
      fail<ArgumentError>("{}: {}[{}] is {}; expected Tensor", op_.name, arg.name, j,
                          Py_TYPE(item)->tp_name);
    }
  }
}

void OpArguments::convert_operand(std::size_t i) {
  const SchemaArg& arg = op_.schema.args[i];
  PyObject* value = objects_[i];
  const std::optional<RandomDraw>& draw = objects_.draw();
  if (draw && (arg.name == "seed" || arg.name == "offset")) {
    const std::int64_t number = arg.name == "seed" ? draw->seed : draw->offset;
    inputs_.emplace_back(Tensor::immediate(Scalar(number), Dtype::int64, false));
    return;
  }
  if (value == nullptr || value == Py_None) {
    if (value == nullptr ? !arg.has_default : !arg.optional) {
      missing(op_, arg);
    }
    inputs_.emplace_back(value == nullptr ? defaults_[i] : Tensor());
    return;
  }
  if (!to_operand(value, inputs_.emplace_back())) {
    wrong_type(op_, arg, value);
  }
}

void OpArguments::convert_attr(std::size_t i) {
  const SchemaArg& arg = op_.schema.args[i];
  PyObject* value = objects_[i];
  if (value == nullptr) {
    if (!arg.has_default) {
      missing(op_, arg);
    }
    attrs_.emplace_back(arg.default_attr);
  } else if (value == Py_None && arg.optional) {
    attrs_.emplace_back();
  } else {
    attrs_.emplace_back(to_attr(op_, arg, value));
  }
}

}  // namespace rondo::python
