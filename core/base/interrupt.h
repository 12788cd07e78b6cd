// Ending work from outside: what runs for long asks between its parts whether to go on.
#pragma once

namespace rondo {

/// Decides about the work of one thread.
class Interrupt {
 public:
  /// Throws if the work is to end.
  virtual void check() = 0;

 protected:
  ~Interrupt() = default;
};

/// Puts this thread's work under an interrupt for a scope. Only for work whose results nobody sees
/// when it is ended: kernels that have not run leave memory unwritten.
class InterruptScope {
 public:
  explicit InterruptScope(Interrupt* interrupt);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  Interrupt* previous_;
};

/// Asks the thread's interrupt, if there is one.
void check_interrupt();

}  // namespace rondo
