// The floating-point environment that kernels run in.
#pragma once

#if !defined(__x86_64__)
#error "Rondo's CPU kernels are written for x86-64"
#endif

namespace rondo {

/// Sets round-to-nearest with subnormals kept and no traps, and puts back what was there before.
/// A library built with -ffast-math turns subnormals off in the threads that load it; kernels must
/// not notice.
class FloatEnvironment {
 public:
  FloatEnvironment() : saved_(__builtin_ia32_stmxcsr()) {
    if ((saved_ & ~kStatus) != kDefault) [[unlikely]] {
      __builtin_ia32_ldmxcsr(kDefault);
    }
  }
  ~FloatEnvironment() {
    if ((saved_ & ~kStatus) != kDefault) [[unlikely]] {
      __builtin_ia32_ldmxcsr(saved_);
    }
  }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  static constexpr unsigned kStatus = 0x3F;
  static constexpr unsigned kDefault = 0x1F80;
  unsigned saved_;
};

}  // namespace rondo
