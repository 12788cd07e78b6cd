// A segment: a run of calls that has repeated, with what runs it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/graph/flow.h"

namespace rondo::tracer {

/// What jit makes of a segment's flow. Belongs to the recorder's thread.
class Program {
 public:
  virtual ~Program() = default;
  /// False while it is being lowered in the background.
  virtual bool ready() const = 0;
  /// Runs all calls: fills the storages of the results that the flow marks as live.
  virtual void run(std::span<const CallTensors> calls) = 0;
};

/// Makes programs; the one thing that the tracer asks of the layers above.
class ProgramMaker {
 public:
  virtual ~ProgramMaker() = default;
  virtual std::unique_ptr<Program> make(const Flow& flow) = 0;
};

/// Why a run of calls was executed one by one.
enum class Exit : std::uint8_t { mismatch, observed, not_ready, live_set, memory };
inline constexpr int kExitCount = 5;
const char* exit_name(Exit reason);

struct Segment {
  std::vector<std::uint64_t> tokens;
  Flow flow;
  std::unique_ptr<Program> program;
  int live_sets = 1;  // times that the set of live results has grown

  // What happened to it.
  std::uint64_t entries = 0;
  std::uint64_t hits = 0;
  std::uint64_t exits[kExitCount] = {};
  std::uint32_t recent_entries = 0;
  std::uint32_t recent_exits = 0;
  std::uint32_t penalty = 0;      // ops that it rests for the next time
  std::uint64_t rests_until = 0;  // op count of the thread
};

}  // namespace rondo::tracer
