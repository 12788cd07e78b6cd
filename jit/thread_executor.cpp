#include "jit/thread_executor.h"

#include "jit/eager_executor.h"
#include "jit/segment_program.h"

namespace rondo::jit {

tracer::Recorder& thread_recorder() {
  struct Parts {
    EagerExecutor eager;
    SegmentProgramMaker maker;
    tracer::Recorder recorder{eager, maker};
  };
  thread_local Parts parts;
  return parts.recorder;
}

}  // namespace rondo::jit
