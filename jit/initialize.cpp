#include "jit/initialize.h"

#include <mutex>

#include "core/autograd/tape.h"
#include "core/op/executor.h"
#include "core/ops/all.h"
#include "jit/eager_executor.h"

namespace rondo::jit {
namespace {

Executor& thread_eager() {
  thread_local EagerExecutor executor;
  return executor;
}

}  // namespace

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_builtin_ops();
    register_autograd();
    set_default_executor(thread_eager);
  });
}

}  // namespace rondo::jit
