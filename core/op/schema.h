// Schemas: `name(Type arg=default, ...) -> Tensor`, parsed once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/op/attr.h"
#include "core/tensor/scalar.h"

namespace rondo {

/// The types of arguments. The first four are operands (data), the others attributes (structure).
enum class ArgType : std::uint8_t {
  tensor,       // Tensor
  tensor_list,  // Tensor[]; the last operand of its op
  scalar,       // Scalar: a number that kernels take as a parameter
  integer,      // int
  ints,         // int[]; a single int stands for a list of one
  sizes,        // size[]: the shape of a new tensor; kernels do not depend on it
  boolean,      // bool
  dtype,        // Dtype
  string,       // str
};

/// What error texts call a type: "number", "int or ints" and so on.
std::string_view arg_type_text(ArgType type);

struct SchemaArg {
  std::string_view name;
  ArgType type = ArgType::tensor;
  bool optional = false;     // written Type?; absent is None
  bool has_default = false;  // optional arguments have None unless they say otherwise
  Attr default_attr;         // for attributes
  Scalar default_scalar;     // for scalars
  bool default_none = true;  // for scalars and tensors: the default is None
  bool is_operand() const { return type <= ArgType::scalar; }
};

/// The text of a schema as an op declares it.
struct Schema {
  std::string_view text;

  /// True if the text ends in a list of results.
  constexpr bool many_outputs() const { return text.find("-> (") != std::string_view::npos; }
};

struct ParsedSchema {
  std::string_view name;
  std::vector<SchemaArg> args;
  int outputs = 1;
  std::vector<std::string_view> output_names;  // of a list of results; empty where they have none
  int operands = 0;                            // arguments that are operands (a list counts as one)
  int attributes = 0;                          // the others
  bool takes_list = false;

  /// The argument of that name; `axis` stands for `dim`. -1 if there is none.
  int find(std::string_view arg) const;
};

/// Errors: InternalError for text that is not a schema.
ParsedSchema parse_schema(std::string_view text);

}  // namespace rondo
