// The process's kernels: each is interpreted at once, and compiled in the background when it is
// worth it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/interpreter/interpreter.h"
#include "codegen/kernel.h"

namespace rondo::jit {

/// A kernel in one variant. Lives as long as the process; its compiled form may come and go.
class KernelEntry {
 public:
  KernelEntry(const codegen::Kernel& kernel,
              std::shared_ptr<const codegen::InterpretedKernel> interpreted,
              codegen::Variant variant, std::string key)
      : kernel_(kernel),
        interpreted_(std::move(interpreted)),
        variant_(std::move(variant)),
        key_(std::move(key)) {}

  const codegen::Kernel& kernel() const { return kernel_; }
  const codegen::Variant& variant() const { return variant_; }
  const std::string& key() const { return key_; }

  /// The compiled form; null until it has been published.
  codegen::KernelFunction compiled() const { return compiled_.load(std::memory_order_acquire); }
  void publish(codegen::KernelFunction function) {
    compiled_.store(function, std::memory_order_release);
  }

  /// Runs by the interpreter.
  void interpret(const codegen::KernelArgs& args) const {
    interpreted_->run(args, variant_.schedule);
  }

  std::atomic<std::uint64_t> launches{0};
  std::atomic<int> shadow_left{2};     // runs that are still compared with the interpreter
  std::atomic<bool> requested{false};  // it is in the compile queue, or done, or given up
  std::atomic<bool> rejected{false};   // compiling failed or the comparison differed

 private:
  const codegen::Kernel& kernel_;
  std::shared_ptr<const codegen::InterpretedKernel> interpreted_;
  codegen::Variant variant_;
  std::string key_;
  std::atomic<codegen::KernelFunction> compiled_{nullptr};
};

/// Finds kernels by their text; equal kernels of different programs are one.
class KernelCache {
 public:
  static KernelCache& instance();

  KernelEntry& find(const codegen::Kernel& kernel, const codegen::Variant& variant);

  /// All entries, for explain and for tests.
  std::vector<KernelEntry*> entries();

 private:
  struct Family {
    codegen::Kernel kernel;
    std::shared_ptr<const codegen::InterpretedKernel> interpreted;
    std::unordered_map<std::string, std::unique_ptr<KernelEntry>> variants;
  };
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Family>> families_;
};

}  // namespace rondo::jit
