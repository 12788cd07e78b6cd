// Where time goes: runs and nanoseconds of each step, gathered while RONDO_PROFILE=1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::codegen {
struct Kernel;
}

namespace rondo::jit {

/// A step by what it computes and over which sizes.
struct ProfileRow {
  std::string step;
  std::uint64_t runs = 0;
  std::int64_t nanoseconds = 0;
};

/// Adds one run of `step`. From any thread.
void add_to_profile(const std::string& step, std::int64_t nanoseconds);

/// All steps so far, the costliest first.
std::vector<ProfileRow> profile();

/// The operations of a kernel in order: "mul add tanh sum".
std::string operations_of(const codegen::Kernel& kernel);

}  // namespace rondo::jit
