// What an op is at run time: its schema and the rules that its kind and its declaration derive.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/op/attr.h"
#include "core/op/scalar_expr.h"
#include "core/op/schema.h"
#include "core/tensor/tensor.h"

namespace rondo {

enum class OpKind : std::uint8_t {
  elementwise,
  reduction,
  view,
  contraction,
  index,
  random,
  scan,
  window,
  composite,
  opaque,
};
std::string_view op_kind_name(OpKind kind);

struct OpInfo;
class GradContext;

/// Operands (undefined where absent) and attributes of a call, in the order of the schema.
struct OpArgs {
  const OpInfo& op;
  std::span<const Tensor> inputs;
  std::span<const Attr> attrs;

  const Tensor& input(std::string_view name) const;
  const Attr& attr(std::string_view name) const;
};

/// Metadata of a result; results are contiguous.
struct Meta {
  Shape shape;
  Dtype dtype = Dtype::float32;
};

/// Fills `outputs` from the arguments. Errors: ShapeError, DtypeError, IndexError, ArgumentError.
using InferRule = void (*)(const OpArgs& args, std::vector<Meta>& outputs);

/// Gives the gradients of a node's inputs.
using GradientRule = void (*)(GradContext& context);

/// Operands and results of an expression that is being built.
struct ExprContext {
  std::span<const Expr> inputs;  // absent where the operand is
  std::span<const Attr> attrs;
  Dtype common = Dtype::float32;  // the dtype that the operands were promoted to
  std::vector<Expr> outputs;
};
using BuildRule = void (*)(ExprContext& context);

/// Elementwise (and random) ops: one expression for each result.
struct ElementwiseRule {
  enum class Output : std::uint8_t { common, boolean, attribute, own };
  BuildRule build = nullptr;
  /// `attribute`: the first attribute; `own`: the dtype of input i for output i.
  Output output = Output::common;
  bool promote_to_float = false;  // integers compute as float32, as in exp
  std::uint32_t own_dtype = 0;    // bits of operands that do not take part in promotion
};

enum class Combine : std::uint8_t { sum, product, maximum, minimum, argmax, argmin };

/// Reductions: post(combine(pre(x))) over the axes of the attribute `dim` (all if None).
struct ReductionRule {
  enum class Output : std::uint8_t { same, boolean, int64, widened };  // widened: ints become int64
  Combine combine = Combine::sum;
  Output output = Output::same;
  BuildRule pre = nullptr;  // one input: the element
  /// Inputs: the combined value, the count (in its class), further operands.
  BuildRule post = nullptr;
  bool empty_allowed = true;
};

/// Views: geometry of the result, or false if only a copy can have it.
struct ViewGeometry {
  Shape shape;
  Shape strides;
  std::int64_t offset = 0;
};
using ViewRule = bool (*)(const OpArgs& args, ViewGeometry& result);

/// Composites: the results in terms of other ops.
using BodyRule = void (*)(const OpArgs& args, std::vector<Tensor>& outputs);

/// Ops that run as a function on memory. Inputs as they were given, strided or numbers without
/// storage; outputs contiguous, their storage to be reached by raw_data().
using RunRule = void (*)(const OpArgs& args, std::span<Tensor> outputs);

/// Contractions: which product or convolution computes them.
enum class Contraction : std::uint8_t {
  none,
  matmul,
  convolution,
  convolution_input,
  convolution_weight
};

struct OpInfo {
  std::string_view name;
  OpKind kind = OpKind::opaque;
  std::string_view doc;
  ParsedSchema schema;
  int version = 1;
  DtypeSet dtypes;
  InferRule infer = nullptr;
  GradientRule gradient = nullptr;  // null: derived from the body, or not differentiable
  bool differentiable = true;       // false: results never require gradients
  std::uint32_t saves = 0;          // bit i: input i; bit 16 + i: output i
  /// For saved input i: the operands whose gradients read it, one bit each.
  std::array<std::uint32_t, 16> save_users{};
  ElementwiseRule elementwise;
  ReductionRule reduction;
  ViewRule view = nullptr;
  BodyRule body = nullptr;
  RunRule run = nullptr;
  Contraction contraction = Contraction::none;
  bool derived = false;       // composite: always calls its body, never runs as an op of its own
  bool uses_index = false;    // elementwise: the expression also takes the index of the element
  bool in_place = false;      // always writes into inputs 0 .. outputs - 1 (optimizer steps)
  bool has_in_place = false;  // has a form with a trailing underscore
  bool method = true;         // also a method of Tensor
  bool deterministic = true;  // false: draws random numbers
  bool checks_data = false;   // may raise an error that depends on data: never deferred
  bool skips_unread = false;  // `run` gets undefined tensors for results that nobody reads
  /// Operands may be on other devices than the first: they are copied.
  bool moves_operands = false;
  /// Each row of the result depends on its own row of the inputs alone.
  bool row_independent = false;
  bool rows_beside_dim = false;  // likewise, if the attribute `dim` is not axis 0
  int id = 0;                    // place in the table

  bool saves_input(int i) const { return i < 16 && ((saves >> i) & 1U) != 0; }
  bool saves_output(int i) const { return ((saves >> (16 + i)) & 1U) != 0; }
};

/// The dtype that the operands of an elementwise op compute in, by PyTorch's rules: tensors with
/// dimensions before tensors without before Python numbers, unless a later group is of a higher
/// category. `own_dtype`: bits of operands that do not take part.
Dtype promoted_dtype(std::span<const Tensor> inputs, std::uint32_t own_dtype);

/// Throws DtypeError if `dtype` is not one that `op` takes, naming the argument.
void check_dtype(const OpInfo& op, std::string_view arg, Dtype dtype);

/// The place of an argument among the operands of `op`. Errors: InternalError if none has the name.
std::size_t operand_index(const OpInfo& op, std::string_view name);

/// Attributes that are equal but for sizes, which no code depends on.
bool equal_but_for_sizes(const OpInfo& op, std::span<const Attr> a, std::span<const Attr> b);

/// The table of all ops.
class OpTable {
 public:
  static OpTable& instance();
  /// Adds an op; names must be new. Errors: ArgumentError.
  const OpInfo& add(OpInfo info);
  /// Null if there is none.
  const OpInfo* find(std::string_view name) const;
  const OpInfo& get(int id) const { return *ops_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(ops_.size()); }

 private:
  std::vector<std::unique_ptr<OpInfo>> ops_;
};

}  // namespace rondo
