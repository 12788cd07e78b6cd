// Global settings that a test changes and puts back.
#pragma once

#include <vector>

#include "core/base/isa.h"
#include "core/base/thread_pool.h"
#include "jit/params.h"

namespace rondo {

/// Sets the number of threads for one scope.
class ThreadsSetting {
 public:
  explicit ThreadsSetting(int count) : before_(num_threads()) { set_num_threads(count); }
  ~ThreadsSetting() { set_num_threads(before_); }
  ThreadsSetting(const ThreadsSetting&) = delete;
  ThreadsSetting& operator=(const ThreadsSetting&) = delete;

 private:
  int before_;
};

/// Sets the vector level for one scope.
class IsaSetting {
 public:
  explicit IsaSetting(Isa isa) : before_(current_isa()) { set_isa(isa); }
  ~IsaSetting() { set_isa(before_); }
  IsaSetting(const IsaSetting&) = delete;
  IsaSetting& operator=(const IsaSetting&) = delete;

 private:
  Isa before_;
};

/// Sets what runs kernels for one scope.
class ModeSetting {
 public:
  explicit ModeSetting(jit::Mode mode) : before_(jit::params().mode) { jit::params().mode = mode; }
  ~ModeSetting() { jit::params().mode = before_; }
  ModeSetting(const ModeSetting&) = delete;
  ModeSetting& operator=(const ModeSetting&) = delete;

 private:
  jit::Mode before_;
};

/// The vector levels of this machine.
inline std::vector<Isa> available_isas() {
  std::vector<Isa> found;
  for (const Isa isa : {Isa::v3, Isa::v4}) {
    if (is_supported(isa)) {
      found.push_back(isa);
    }
  }
  return found;
}

}  // namespace rondo
