// How older archives become current ones: one table of steps for the format and for each op.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/op/attr.h"
#include "serialize/json.h"

namespace rondo::serialize {

/// The format that this runtime writes, and the newest that it reads.
inline constexpr int kFormatVersion = 1;

struct OpVersion {
  std::string name;
  int version = 1;
  bool operator==(const OpVersion&) const = default;
};

/// An op in a graph as its text has it, before it is looked up.
struct OpRecord {
  OpVersion op;
  std::vector<std::pair<std::string, Attr>> attributes;
};

/// Brings a manifest from format `from` to `from + 1`.
struct FormatUpgrader {
  int from;
  void (*apply)(Json& manifest);
};

/// Brings a node of `op` from version `from` to `from + 1`; it may rename the op and change
/// attributes. What one node cannot express is kept as an op of its own.
struct OpUpgrader {
  std::string_view op;
  int from;
  void (*apply)(OpRecord& record);
};

/// The steps that a runtime knows. The built-in table is in upgraders.cpp and only ever grows.
struct Upgraders {
  int format_version = kFormatVersion;  // what the steps of the format lead to
  std::vector<FormatUpgrader> format;
  std::vector<OpUpgrader> ops;

  const FormatUpgrader* find_format(int from) const;
  const OpUpgrader* find_op(std::string_view op, int from) const;
  /// True if steps lead from version `from` of `op` to version `to`.
  bool reaches(std::string_view op, int from, int to) const;

  /// Brings a node to version `to` of its op. Errors: FormatError if a step is missing.
  void upgrade(OpRecord& record, int to) const;
};

const Upgraders& builtin_upgraders();

}  // namespace rondo::serialize
