// The executor of each thread: a recorder over eager execution.
#pragma once

#include "tracer/recorder.h"

namespace rondo::jit {

/// This thread's recorder, made at first use.
tracer::Recorder& thread_recorder();

}  // namespace rondo::jit
