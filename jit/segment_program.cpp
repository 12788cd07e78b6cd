#include "jit/segment_program.h"

#include <atomic>

#include "jit/compile_queue.h"
#include "jit/params.h"
#include "jit/plan.h"

namespace rondo::jit {
namespace {

/// What the background thread hands over.
struct Lowering {
  std::atomic<bool> ready{false};
  std::shared_ptr<const codegen::Lowered> lowered;
};

class SegmentProgram final : public tracer::Program {
 public:
  explicit SegmentProgram(std::shared_ptr<Lowering> lowering) : lowering_(std::move(lowering)) {}

  bool ready() const override { return lowering_->ready.load(std::memory_order_acquire); }

  void run(std::span<const CallTensors> calls) override {
    if (!plan_) {
      plan_ = std::make_unique<Plan>(lowering_->lowered);
    }
    plan_->run(calls);
  }

 private:
  std::shared_ptr<Lowering> lowering_;
  std::unique_ptr<Plan> plan_;
};

}  // namespace

std::unique_ptr<tracer::Program> SegmentProgramMaker::make(const Flow& flow) {
  auto lowering = std::make_shared<Lowering>();
  const auto lower = [lowering, flow] {
    lowering->lowered = std::make_shared<const codegen::Lowered>(codegen::lower(flow));
    lowering->ready.store(true, std::memory_order_release);
  };
  if (params().mode == Mode::background) {
    submit(Priority::lowering, lower);
  } else {
    lower();
  }
  return std::make_unique<SegmentProgram>(std::move(lowering));
}

}  // namespace rondo::jit
