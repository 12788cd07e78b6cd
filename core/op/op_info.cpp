#include "core/op/op_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "core/base/error.h"

namespace rondo {
namespace {

constexpr std::array<std::string_view, 10> kKindNames{
    "elementwise", "reduction", "view",   "contraction", "index",
    "random",      "scan",      "window", "composite",   "opaque"};

/// Place of an argument among the operands (or among the attributes).
std::size_t ordinal(const OpInfo& op, std::string_view name, bool operand) {
  std::size_t n = 0;
  for (const SchemaArg& arg : op.schema.args) {
    if (arg.is_operand() == operand) {
      if (arg.name == name) {
        return n;
      }
      ++n;
    }
  }
  fail<InternalError>("{}: unknown {}: '{}'; the schema has none of that name", op.name,
                      operand ? "operand" : "attribute", name);
}

enum class Category : std::uint8_t { none, boolean, integer, floating };

struct Group {
  bool any = false;
  Dtype dtype = Dtype::boolean;

  void add(Dtype d) {
    dtype = any ? promote(dtype, d) : d;
    any = true;
  }
  Category category() const {
    if (!any) {
      return Category::none;
    }
    if (is_floating(dtype)) {
      return Category::floating;
    }
    return dtype == Dtype::boolean ? Category::boolean : Category::integer;
  }
};

/// PyTorch's combine_categories: `higher` wins unless `lower` is of a higher category.
Group combine(const Group& higher, const Group& lower) {
  if (!higher.any || !lower.any) {
    return higher.any ? higher : lower;
  }
  if (lower.category() <= higher.category()) {
    return higher;
  }
  return {true, promote(higher.dtype, lower.dtype)};
}

Dtype default_of_number(Dtype kind) {
  return kind == Dtype::float64 ? Dtype::float32 : kind;
}

}  // namespace

std::string_view op_kind_name(OpKind kind) {
  return kKindNames.at(static_cast<std::size_t>(kind));
}

std::size_t operand_index(const OpInfo& op, std::string_view name) {
  return ordinal(op, name, true);
}

const Tensor& OpArgs::input(std::string_view name) const {
  return inputs[operand_index(op, name)];
}

const Attr& OpArgs::attr(std::string_view name) const {
  return attrs[ordinal(op, name, false)];
}

Dtype promoted_dtype(std::span<const Tensor> inputs, std::uint32_t own_dtype) {
  Group dims;
  Group zeros;
  Group numbers;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = inputs[i];
    if (!input.defined() || ((own_dtype >> i) & 1U) != 0) {
      continue;
    }
    if (input.is_weak()) {
      numbers.add(default_of_number(input.dtype()));
    } else {
      (input.rank() > 0 ? dims : zeros).add(input.dtype());
    }
  }
  return combine(dims, combine(zeros, numbers)).dtype;
}

void check_dtype(const OpInfo& op, std::string_view arg, Dtype dtype) {
  if (op.dtypes.contains(dtype)) [[likely]] {
    return;
  }
  std::vector<std::string_view> names;
  for (int i = 0; i < kDtypeCount; ++i) {
    if (op.dtypes.contains(static_cast<Dtype>(i))) {
      names.push_back(dtype_name(static_cast<Dtype>(i)));
    }
  }
  std::string list(names.back());
  names.pop_back();
  if (!names.empty()) {
    list = fmt::format("{} or {}", fmt::join(names, ", "), list);
  }
  fail<DtypeError>("{}: {} is {}; expected {}", op.name, arg, dtype_name(dtype), list);
}

OpTable& OpTable::instance() {
  static OpTable* const table = new OpTable;
  return *table;
}

namespace {
using NameMap = std::unordered_map<std::string_view, const OpInfo*>;
NameMap& names() {
  static NameMap* const map = new NameMap;
  return *map;
}
}  // namespace

/// Nodes that will own regions. Archives that hold them need a newer runtime, whatever is
/// registered in this one.
constexpr std::array<std::string_view, 3> kReserved{"cond", "while_loop", "scan"};

const OpInfo& OpTable::add(OpInfo info) {
  check<ArgumentError>(names().count(info.name) == 0,
                       "register op: the name '{}' is taken; use another one", info.name);
  check<ArgumentError>(
      std::find(kReserved.begin(), kReserved.end(), info.name) == kReserved.end(),
      "register op: the name '{}' is reserved for nodes with regions; use another one", info.name);
  info.id = size();
  ops_.push_back(std::make_unique<OpInfo>(std::move(info)));
  const OpInfo& stored = *ops_.back();
  names().emplace(stored.name, &stored);
  return stored;
}

const OpInfo* OpTable::find(std::string_view name) const {
  const auto found = names().find(name);
  return found == names().end() ? nullptr : found->second;
}

bool equal_but_for_sizes(const OpInfo& op, std::span<const Attr> a, std::span<const Attr> b) {
  if (a.empty() || b.empty()) {
    return a.empty() && b.empty();
  }
  std::size_t i = 0;
  for (const SchemaArg& arg : op.schema.args) {
    if (!arg.is_operand()) {
      if (arg.type != ArgType::sizes && !(a[i] == b[i])) {
        return false;
      }
      ++i;
    }
  }
  return true;
}

}  // namespace rondo
