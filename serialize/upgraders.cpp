#include "serialize/upgraders.h"

#include <algorithm>

#include "core/base/error.h"
#include "serialize/text.h"

namespace rondo::serialize {

// The table. Steps of released versions are never changed or removed.
const Upgraders& builtin_upgraders() {
  static const Upgraders upgraders{
      .format_version = kFormatVersion,
      .format = {},
      .ops = {},
  };
  return upgraders;
}

const FormatUpgrader* Upgraders::find_format(int from) const {
  const auto found = std::ranges::find(format, from, &FormatUpgrader::from);
  return found != format.end() ? &*found : nullptr;
}

const OpUpgrader* Upgraders::find_op(std::string_view op, int from) const {
  const auto found = std::ranges::find_if(
      ops, [&](const OpUpgrader& step) { return step.op == op && step.from == from; });
  return found != ops.end() ? &*found : nullptr;
}

bool Upgraders::reaches(std::string_view op, int from, int to) const {
  while (from < to && find_op(op, from) != nullptr) {
    ++from;
  }
  return from >= to;
}

void Upgraders::upgrade(OpRecord& record, int to) const {
  const std::string name = record.op.name;
  for (int version = record.op.version; version < to; ++version) {
    const OpUpgrader* step = find_op(name, version);
    if (step == nullptr) {
      fail<FormatError>("graph: op {} has version {}, and nothing upgrades it to version {}",
                        in_quotes(name), version, to);
    }
    step->apply(record);
    record.op.version = version + 1;
  }
}

}  // namespace rondo::serialize
