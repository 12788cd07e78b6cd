// The limits of the tracer, in one table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo::tracer {

struct Params {
  std::size_t ring = 1U << 16;      // tokens that a thread remembers
  int gram = 8;                     // tokens that must recur before a repeat is looked for
  int occurrences = 3;              // of a period, before it is captured
  std::uint32_t max_captures = 8;   // of one period, while the stream breaks them off
  int min_segment = 8;              // ops; shorter ones are kept only where the stream forces a cut
  int target_segment = 96;          // from here on a segment ends before a contraction
  int max_segment = 256;            // ops
  int max_externals = 160;          // values that a segment takes from outside
  int entry_context = 4;            // tokens before a segment that must match to enter it
  std::size_t max_segments = 4096;  // of a thread
  std::int64_t max_pending_bytes = std::int64_t{1} << 30;  // results that are waited for
  int exit_window = 64;                // entries over which side exits are counted
  int exit_percent = 20;               // side exits that make a segment rest
  std::uint32_t first_penalty = 1024;  // ops that it rests; doubles each time
  std::uint32_t max_penalty = 1U << 24;
  int max_live_sets = 4;  // sets of results that a segment is built for
};

/// The limits in force.
Params& params();

}  // namespace rondo::tracer
