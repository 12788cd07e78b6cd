// Work in the background: one thread of low priority that lowers segments and compiles kernels.
#pragma once

#include <functional>
#include <string>

#include "jit/kernel_cache.h"

namespace rondo::jit {

enum class Priority { lowering, compiling };

/// Queues a job; what it throws is dropped. False if it will never run: after a fork, at exit, or
/// with a full queue.
bool submit(Priority priority, std::function<void()> job);

/// Compiles a kernel (or takes it from the disk cache) and publishes it; on failure notes why and
/// gives it up.
void compile_now(KernelEntry& entry);

/// Asks for it in the background, once.
void request_compile(KernelEntry& entry);

/// Waits until the queue is empty and idle; in a forked child, where nothing is compiled, not at
/// all.
void wait_for_compiles();

struct CompileStats {
  std::uint64_t compiled = 0;
  std::uint64_t from_disk = 0;
  std::uint64_t failed = 0;
  std::uint64_t withdrawn = 0;  // differed from the interpreter
  double milliseconds = 0;      // in the compiler, all together
};
CompileStats compile_stats();

/// Says on stderr why kernels are interpreted: the first text of a process, and no other.
void log_once(const std::string& text);

/// Counts a kernel whose compiled form differed from the interpreter.
void note_rejected(KernelEntry& entry, const std::string& why);

}  // namespace rondo::jit
