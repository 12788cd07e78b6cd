// Programs of segments: lowered in the background, run as plans.
#pragma once

#include "tracer/segment.h"

namespace rondo::jit {

class SegmentProgramMaker final : public tracer::ProgramMaker {
 public:
  std::unique_ptr<tracer::Program> make(const Flow& flow) override;
};

}  // namespace rondo::jit
