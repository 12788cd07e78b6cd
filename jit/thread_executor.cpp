#include "jit/thread_executor.h"

#include <thread>

#include "jit/compile_queue.h"
#include "jit/eager_executor.h"
#include "jit/params.h"
#include "jit/segment_program.h"

namespace rondo::jit {

tracer::Recorder& thread_recorder() {
  struct Parts {
    EagerExecutor eager;
    SegmentProgramMaker maker;
    tracer::Recorder recorder{eager, maker};

    Parts() {
      if (!params().trace) {
        recorder.set_enabled(false);
        log_once("RONDO_JIT=0: nothing is traced or compiled; kernels are interpreted");
      }
    }

    // The scratch memory of a thread that ends is gone by now: what it left runs on another one.
    ~Parts() {
      if (!recorder.idle()) {
        std::thread([this] { recorder.end(); }).join();
      }
    }
  };
  thread_local Parts parts;
  return parts.recorder;
}

}  // namespace rondo::jit
