// The limits of compiling, in one table.
#pragma once

#include <cstdint>

namespace rondo::jit {

/// What runs kernels: for tests and for RONDO_JIT=0, which turns the tracer off too.
enum class Mode : std::uint8_t {
  background,   // interpreted until the compiled form is ready
  interpreted,  // never compiled
  compiled,     // compiled before the first run
  switching,    // compiled before the first run, and at each launch either form at random
};

struct Params {
  Mode mode = Mode::background;
  bool trace = true;                                   // watch calls and defer what repeats
  bool profile = false;                                // time each kernel (RONDO_PROFILE=1)
  std::uint64_t compile_after = 3;                     // launches
  std::int64_t shadow_bytes = std::int64_t{64} << 20;  // larger results are not compared
  std::int64_t disk_bytes = std::int64_t{1} << 30;     // of the kernel cache on disk
  int queue = 4096;                                    // jobs; more are dropped
  int worker_nice = 5;                                 // scheduling priority of the worker
};

/// The limits in force. The mode may be changed at any time, the rest before the first kernel runs.
Params& params();

}  // namespace rondo::jit
