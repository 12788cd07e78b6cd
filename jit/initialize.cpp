#include "jit/initialize.h"

#include <mutex>

#include "codegen/device_target.h"
#include "core/autograd/tape.h"
#include "core/op/executor.h"
#include "core/ops/all.h"
#include "jit/thread_executor.h"

namespace rondo::jit {
namespace {

Executor& thread_executor() {
  return thread_recorder();
}

}  // namespace

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_builtin_ops();
    register_autograd();
    codegen::register_devices();
    set_default_executor(thread_executor);
  });
}

}  // namespace rondo::jit
