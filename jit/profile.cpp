#include "jit/profile.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "codegen/kernel.h"

namespace rondo::jit {
namespace {

struct Table {
  std::mutex mutex;
  std::unordered_map<std::string, ProfileRow> rows;
};

Table& table() {
  static Table* const one = new Table;  // threads may outlive static destruction
  return *one;
}

}  // namespace

void add_to_profile(const std::string& step, std::int64_t nanoseconds) {
  const std::lock_guard lock(table().mutex);
  ProfileRow& row = table().rows[step];
  ++row.runs;
  row.nanoseconds += nanoseconds;
}

std::vector<ProfileRow> profile() {
  std::vector<ProfileRow> rows;
  {
    const std::lock_guard lock(table().mutex);
    for (const auto& [step, row] : table().rows) {
      rows.push_back({step, row.runs, row.nanoseconds});
    }
  }
  std::sort(rows.begin(), rows.end(),
            [](const ProfileRow& a, const ProfileRow& b) { return a.nanoseconds > b.nanoseconds; });
  return rows;
}

std::string operations_of(const codegen::Kernel& kernel) {
  std::string text;
  for (const codegen::Instr& instr : kernel.code) {
    std::string_view name;
    if (instr.kind == codegen::InstrKind::op) {
      name = scalar_op_info(instr.scalar).name;
    } else if (instr.kind == codegen::InstrKind::reduce) {
      name = codegen::reduce_name(instr.reduce);
    } else {
      continue;
    }
    text += text.empty() ? "" : " ";
    text += name;
  }
  return text.empty() ? "copy" : text;
}

}  // namespace rondo::jit
