#include "core/base/interrupt.h"

#include <utility>

namespace rondo {
namespace {

thread_local Interrupt* current = nullptr;

}  // namespace

InterruptScope::InterruptScope(Interrupt* interrupt)
    : previous_(std::exchange(current, interrupt)) {}

InterruptScope::~InterruptScope() {
  current = previous_;
}

void check_interrupt() {
  if (current != nullptr) [[unlikely]] {
    current->check();
  }
}

}  // namespace rondo
