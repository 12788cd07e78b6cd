#include "tests/support/ptx/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/support/ptx/instructions.h"

namespace rondo::ptx {
namespace {

constexpr unsigned kWarp = 32;

class BlockRun {
 public:
  BlockRun(ThreadBlock& block, const Function& function, const Launch& launch)
      : block_(block), last_first_(launch.last_first) {
    const unsigned count = launch.threads[0] * launch.threads[1] * launch.threads[2];
    block_.shared.assign(block_.module->shared_bytes, std::byte{0xFB});
    block_.shared_written.assign(block_.module->shared_bytes, 0);
    threads_.reserve(count);
    for (unsigned i = 0; i < count; ++i) {
      threads_.emplace_back(block_, i);
      threads_.back().start(function, launch.parameters, launch.parameter_bytes);
    }
  }

  void run() {
    for (;;) {
      run_threads();
      bool moved = false;
      for (unsigned first = 0; first < threads_.size(); first += kWarp) {
        moved = finish_warp(first) || moved;
      }
      if (moved) {
        continue;
      }
      if (std::all_of(threads_.begin(), threads_.end(),
                      [](const Thread& t) { return t.state() == State::done; })) {
        return;
      }
      finish_barrier();
    }
  }

 private:
  void run_threads() {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      Thread& thread = threads_[last_first_ ? threads_.size() - 1 - i : i];
      if (thread.state() == State::running) {
        thread.run();
      }
    }
  }

  /// Lets go those whose whole mask waits at one instruction.
  bool finish_warp(unsigned first) {
    bool moved = false;
    const auto end = std::min<std::size_t>(first + kWarp, threads_.size());
    for (unsigned i = first; i < end; ++i) {
      if (threads_[i].state() != State::warp) {
        continue;
      }
      const Code& code = *threads_[i].waiting_at();
      const auto mask = threads_[i].get<std::uint32_t>(code.from[is_shuffle(code) ? 3 : 0]);
      if ((mask >> (i - first) & 1U) == 0) {
        throw PtxError(threads_[i].where(code) + ": the mask leaves out the thread itself");
      }
      bool all = true;
      for (unsigned k = 0; k < kWarp; ++k) {
        if ((mask >> k & 1U) != 0) {
          all = all && first + k < end && threads_[first + k].state() == State::warp &&
                threads_[first + k].waiting_at() == &code;
        }
      }
      if (all) {
        exchange(first, mask, code);
        moved = true;
      }
    }
    return moved;
  }

  void exchange(unsigned first, std::uint32_t mask, const Code& code) {
    std::array<std::uint32_t, kWarp> values{};
    const auto each = [&](auto body) {
      for (unsigned k = 0; k < kWarp; ++k) {
        if ((mask >> k & 1U) != 0) {
          body(threads_[first + k], k);
        }
      }
    };
    if (is_shuffle(code)) {
      each([&](Thread& t, unsigned k) { values.at(k) = t.get<std::uint32_t>(code.from[0]); });
      each([&](Thread& t, unsigned k) { shuffle(t, k, mask, code, values); });
    }
    each([](Thread& t, unsigned) { t.resume(); });
  }

  static void shuffle(Thread& t, unsigned lane, std::uint32_t mask, const Code& code,
                      const std::array<std::uint32_t, kWarp>& values) {
    const auto b = t.get<std::uint32_t>(code.from[1]);
    const auto c = t.get<std::uint32_t>(code.from[2]);
    const std::uint32_t clamp = c & 31U;
    const std::uint32_t segment = (c >> 8U) & 31U;
    const std::uint32_t most = (lane & segment) | (clamp & ~segment);
    std::uint32_t source =
        code.downwards ? lane + (b & 31U) : ((lane & segment) | (b & 31U & ~segment));
    const bool valid = source <= most;
    source = valid ? source : lane;
    if ((mask >> source & 1U) == 0) {
      throw PtxError(t.where(code) + ": the source is not in the mask");
    }
    t.set<std::uint32_t>(code.to[0], values.at(source));
    if (code.to[1] >= 0) {
      t.set<std::uint64_t>(code.to[1], valid ? 1 : 0);
    }
  }

  void finish_barrier() {
    const Code* code = nullptr;
    for (const Thread& thread : threads_) {
      if (thread.state() == State::warp) {
        throw PtxError(thread.where(*thread.waiting_at()) + ": not all threads of the mask come");
      }
      if (thread.state() == State::barrier) {
        code = code == nullptr ? thread.waiting_at() : code;
        if (thread.waiting_at() != code) {
          throw PtxError(thread.where(*code) + ": threads of a block wait at different barriers");
        }
      }
    }
    for (Thread& thread : threads_) {
      if (thread.state() == State::done) {
        throw PtxError(
            fmt::format("{}: thread {} has ended", threads_[0].where(*code), thread.number()));
      }
      thread.resume();
    }
  }

  ThreadBlock& block_;
  bool last_first_;
  std::vector<Thread> threads_;
};

}  // namespace

void run_kernel(Module& module, const std::string& name, const Launch& launch,
                DeviceMemory& memory) {
  const auto found = module.functions.find(name);
  if (found == module.functions.end() || !found->second->entry) {
    throw PtxError("no kernel " + name);
  }
  const Function& function = *found->second;
  ThreadBlock block;
  block.memory = &memory;
  block.module = &module;
  block.grid = launch.grid;
  block.threads = launch.threads;
  const unsigned count = launch.grid[0] * launch.grid[1] * launch.grid[2];
  for (unsigned i = 0; i < count; ++i) {
    const unsigned at = launch.last_first ? count - 1 - i : i;
    block.index = {at % launch.grid[0], at / launch.grid[0] % launch.grid[1],
                   at / launch.grid[0] / launch.grid[1]};
    BlockRun(block, function, launch).run();
  }
}

}  // namespace rondo::ptx
