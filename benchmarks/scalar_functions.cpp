// How long does each scalar operation take for one element, in the block loops of this machine?
//   benchmark_scalar_functions [operation [lowest highest]]
// Operands are uniform in [lowest, highest], by default [-5, 5]; blocks have 1024 elements.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

#include "codegen/kernel.h"
#include "codegen/scalar/block.h"

namespace rondo::codegen {
namespace {

constexpr std::int64_t kCount = 1024;
constexpr int kRepeats = 20;

/// Memory of registers of any class.
using Block = std::vector<double>;

Block uniform(Reg reg, double lowest, double highest, std::mt19937_64& bits) {
  std::uniform_real_distribution<double> distribution(lowest, highest);
  Block block(kCount);
  for (std::int64_t i = 0; i < kCount; ++i) {
    const double value = distribution(bits);
    if (reg == Reg::f64) {
      block[static_cast<std::size_t>(i)] = value;
    } else if (reg == Reg::f32) {
      reinterpret_cast<float*>(block.data())[i] = static_cast<float>(value);
    } else if (reg == Reg::i64) {
      reinterpret_cast<std::int64_t*>(block.data())[i] = static_cast<std::int64_t>(value);
    } else {
      reinterpret_cast<std::int32_t*>(block.data())[i] = static_cast<std::int32_t>(value);
    }
  }
  return block;
}

double nanoseconds_per_element(BlockFunction function, const Block& a, const Block& b,
                               const Block& c) {
  Block out(kCount);
  double best = 1e9;
  for (int trial = 0; trial < 15; ++trial) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kRepeats; ++i) {
      function(kCount, out.data(), a.data(), b.data(), c.data());
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count() / (kRepeats * kCount));
  }
  return best;
}

void measure(ScalarOp op, double lowest, double highest) {
  fmt::print("{:<16}", scalar_op_info(op).name);
  for (int i = 0; i < kRegCount; ++i) {
    const auto reg = static_cast<Reg>(i);
    if (!scalar_op_takes(op, reg)) {
      continue;
    }
    std::mt19937_64 bits(1);
    const bool select = scalar_op_info(op).kind == ScalarKind::select;
    const Block a = uniform(select ? Reg::i32 : reg, lowest, highest, bits);
    const Block b = uniform(reg, lowest, highest, bits);
    const Block c = uniform(reg, lowest, highest, bits);
    fmt::print("  {} {:5.2f}", reg_name(reg),
               nanoseconds_per_element(block_function(op, reg), a, b, c));
  }
  fmt::print("\n");
}

}  // namespace
}  // namespace rondo::codegen

int main(int argc, char** argv) {
  using namespace rondo;
  const std::string_view only = argc > 1 ? argv[1] : "";
  const double lowest = argc > 3 ? std::atof(argv[2]) : -5;
  const double highest = argc > 3 ? std::atof(argv[3]) : 5;
  fmt::print("nanoseconds per element at {}\n", isa_name(current_isa()));
  for (int i = 0; i < kScalarOpCount; ++i) {
    if (only.empty() || only == kScalarOps[i].name) {
      codegen::measure(static_cast<ScalarOp>(i), lowest, highest);
    }
  }
  return 0;
}
