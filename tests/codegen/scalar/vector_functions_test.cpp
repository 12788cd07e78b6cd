#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "codegen/scalar/block.h"
#include "tests/codegen/scalar/apply.h"
#include "tests/codegen/scalar/samples.h"

namespace rondo::codegen {

namespace {

constexpr std::int64_t kCount = 1 << 15;
constexpr int kRounds = 40;

/// What runs on this machine: interpreter loops and bitcode at each level.
struct Build {
  const char* name;
  BlockTable table;
};

/// The loops of vector_blocks.cpp over the bitcode of a level.
BlockTable bitcode_table(Isa isa) {
  const std::string file = std::string(RONDO_VECTOR_BLOCKS) + isa_name(isa) + ".so";
  void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  BlockTable table;
  if (module == nullptr) {
    ADD_FAILURE() << dlerror();
    return table;
  }
  using Fill = void (*)(BlockTable*);
  reinterpret_cast<Fill>(dlsym(module, "rondo_fill_vector_blocks"))(&table);
  return table;
}

std::vector<Build> builds() {
  std::vector<Build> result{{"loops at v3", block_table(Isa::v3)},
                            {"bitcode at v3", bitcode_table(Isa::v3)}};
  if (is_supported(Isa::v4)) {
    result.push_back({"loops at v4", block_table(Isa::v4)});
    result.push_back({"bitcode at v4", bitcode_table(Isa::v4)});
  }
  return result;
}

/// Random operands; in the first round all pairs of special values, thrice.
template <class T>
std::vector<T> operands(int which, int round) {
  std::mt19937_64 bits(static_cast<std::uint64_t>(which * 1000 + round));
  std::vector<T> values(kCount);
  std::generate(values.begin(), values.end(), [&] { return random_value<T>(bits); });
  if (round == 0) {
    const std::vector<T> specials = special_values<T>();
    for (std::size_t i = 0; i < specials.size() * specials.size() * 3; ++i) {
      const std::size_t pair = i % (specials.size() * specials.size());
      values[i] = which == 0   ? specials[pair % specials.size()]
                  : which == 1 ? specials[pair / specials.size()]
                               : values[i];
    }
  }
  return values;
}

template <class Out>
std::vector<std::uint64_t> canonical(const Registers& registers) {
  std::vector<std::uint64_t> result;
  for (const Out value : registers.values<Out>(kCount)) {
    result.push_back(canonical_bits(value));
  }
  return result;
}

std::vector<std::uint64_t> canonical(const Registers& registers, Reg reg) {
  switch (reg) {
    case Reg::i32:
      return canonical<std::int32_t>(registers);
    case Reg::i64:
      return canonical<std::int64_t>(registers);
    case Reg::f32:
      return canonical<float>(registers);
    default:
      return canonical<double>(registers);
  }
}

template <class T>
void compare_builds(const std::vector<Build>& all) {
  constexpr auto kReg = kRegOf<T>;
  for (int round = 0; round < kRounds; ++round) {
    Registers a(operands<T>(0, round));
    Registers b(operands<T>(1, round));
    Registers c(operands<T>(2, round));
    Registers flags(operands<std::int32_t>(3, round));
    Registers out(kCount * 8);
    for (int i = 0; i < kScalarOpCount; ++i) {
      const auto op = static_cast<ScalarOp>(i);
      if (!scalar_op_takes(op, kReg)) {
        continue;
      }
      const bool select = op == ScalarOp::select;
      std::vector<std::uint64_t> expected;
      for (const Build& build : all) {
        const BlockFunction function = build.table.functions[i][static_cast<int>(kReg)];
        ASSERT_NE(function, nullptr) << build.name << ": " << scalar_op_info(op).name;
        function(kCount, out.data(), select ? flags.data() : a.data(), b.data(), c.data());
        std::vector<std::uint64_t> bits = canonical(out, scalar_op_result(op, kReg));
        if (expected.empty()) {
          expected = std::move(bits);
          continue;
        }
        const auto at = std::mismatch(bits.begin(), bits.end(), expected.begin()).first;
        if (at != bits.end()) {
          const auto k = static_cast<std::size_t>(at - bits.begin());
          FAIL() << build.name << ": " << scalar_op_info(op).name << " differs at "
                 << a.template values<T>(kCount)[k] << ", " << b.template values<T>(kCount)[k];
        }
      }
    }
  }
}

TEST(VectorFunctions, HaveTheBitsOfTheBlockLoopsAtEveryLevelOnInt32) {
  compare_builds<std::int32_t>(builds());
}
TEST(VectorFunctions, HaveTheBitsOfTheBlockLoopsAtEveryLevelOnInt64) {
  compare_builds<std::int64_t>(builds());
}
TEST(VectorFunctions, HaveTheBitsOfTheBlockLoopsAtEveryLevelOnFloat32) {
  compare_builds<float>(builds());
}
TEST(VectorFunctions, HaveTheBitsOfTheBlockLoopsAtEveryLevelOnFloat64) {
  compare_builds<double>(builds());
}

}  // namespace
}  // namespace rondo::codegen
