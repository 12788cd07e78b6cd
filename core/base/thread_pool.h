// The one pool of threads of the process.
#pragma once

#include <cstdint>

#include "core/base/function_ref.h"

namespace rondo {

/// Threads that parallel_for may use, the caller among them. Default: the CPUs that affinity and
/// control groups allow.
int num_threads();

/// Changes num_threads(), after the parallel_for calls of other threads have ended.
/// Errors: ArgumentError if `count` is not in 1..1024, or inside a parallel_for
void set_num_threads(int count);

/// Runs body(begin, end) on parts that cover 0..count-1, each at least `grain` long but for the
/// last one; the caller takes part and returns when all are done.
///
/// Which thread runs which part is not determined: results must not depend on it. Runs wholly in
/// the caller when the range is one part, when nested in another parallel_for, or while another
/// thread has the pool. Bodies run in FloatEnvironment. The first exception of a body cancels the
/// parts not begun and is thrown to the caller.
void parallel_for(std::int64_t count, std::int64_t grain,
                  FunctionRef<void(std::int64_t begin, std::int64_t end)> body);

/// Whether the calling thread is inside a parallel_for.
bool in_parallel_region();

/// How much work is worth a thread: `usual`, or less after set_most_grain.
std::int64_t worth_a_thread(std::int64_t usual);

/// For tests: grains larger than `most` count as `most`, so that small work is shared out too.
/// Returns what was set before.
std::int64_t set_most_grain(std::int64_t most);

}  // namespace rondo
