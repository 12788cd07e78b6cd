#include "tests/support/ptx/thread.h"

#include <fmt/format.h>

namespace rondo::ptx {
namespace {

/// A kernel that runs longer than this on one thread is taken to hang.
constexpr std::uint64_t kMostInstructions = std::uint64_t{2} << 30;

}  // namespace

void Thread::start(const Function& function, const std::byte* parameters, std::size_t bytes) {
  frames_.clear();
  enter(function);
  std::memcpy(frame_->parameters.data(), parameters, bytes);
  state_ = State::running;
}

void Thread::enter(const Function& function) {
  frames_.push_back(std::make_unique<Frame>());
  frame_ = frames_.back().get();
  frame_->function = &function;
  frame_->slots.assign(static_cast<std::size_t>(function.slots), 0);
  frame_->parameters.resize(static_cast<std::size_t>(function.parameter_bytes));
  frame_->local.resize(static_cast<std::size_t>(function.local_bytes));
  slots_ = frame_->slots.data();
  for (const Constant& constant : function.constants) {
    slots_[constant.slot] = constant.bits;
  }
  const std::array<unsigned, 3>& size = block_.threads;
  const unsigned place[] = {number_ % size[0], number_ / size[0] % size[1],
                            number_ / size[0] / size[1]};
  for (const SpecialRegister& special : function.specials) {
    const auto axis = static_cast<std::size_t>(special.axis);
    const unsigned values[] = {place[axis], size[axis], block_.index[axis], block_.grid[axis],
                               number_ % 32};
    slots_[special.slot] = values[static_cast<int>(special.kind)];
  }
}

void Thread::call(const Code& code) {
  Frame& caller = *frame_;
  const Function& callee = *code.callee;
  enter(callee);
  for (std::size_t i = 0; i < callee.parameters.size(); ++i) {
    std::memcpy(frame_->parameters.data() + callee.parameters[i].offset,
                caller.parameters.data() + code.arguments[i],
                static_cast<std::size_t>(callee.parameters[i].bytes));
  }
}

void Thread::leave() {
  if (frames_.size() == 1) {
    finish();
    return;
  }
  const std::unique_ptr<Frame> left = std::move(frames_.back());
  frames_.pop_back();
  frame_ = frames_.back().get();
  slots_ = frame_->slots.data();
  const Code& call = frame_->function->code[static_cast<std::size_t>(frame_->pc) - 1];
  for (std::size_t i = 0; i < left->function->results.size(); ++i) {
    std::memcpy(frame_->parameters.data() + call.results[i],
                left->parameters.data() + left->function->results[i].offset,
                static_cast<std::size_t>(left->function->results[i].bytes));
  }
}

void Thread::run() {
  while (state_ == State::running) {
    const std::vector<Code>& code = frame_->function->code;
    if (frame_->pc >= static_cast<int>(code.size())) {
      leave();
      continue;
    }
    const Code& next = code[static_cast<std::size_t>(frame_->pc++)];
    if (++instructions_ > kMostInstructions) {
      throw PtxError(where(next) + ": a thread does not end");
    }
    if (next.guard < 0 || predicate(next.guard) != next.guard_inverted) {
      next.run(*this, next);
    }
  }
}

std::string Thread::where(const Code& code) const {
  const auto line = static_cast<std::size_t>(code.line);
  const Function& function = *frame_->function;
  return fmt::format("{}: block {}, thread {}: {}", function.name, block_.index[0], number_,
                     line < function.lines.size() ? function.lines[line] : "?");
}

std::byte* Thread::address(const Code& code, std::size_t bytes, bool write) {
  std::uint64_t address = slots_[code.base] + static_cast<std::uint64_t>(code.offset);
  Space space = code.space;
  if (space == Space::generic) {
    const std::uint64_t window = address & kWindowMask;
    space = window == kSharedWindow  ? Space::shared
            : window == kLocalWindow ? Space::local
                                     : Space::global;
    address -= window;
  }
  if (address % bytes != 0) {
    throw PtxError(fmt::format("{}: an address is no multiple of {}", where(code), bytes));
  }
  std::string fault;
  if (space == Space::global) {
    std::vector<std::byte>& own = block_.module->memory;
    const auto begin = reinterpret_cast<std::uint64_t>(own.data());
    if (address >= begin && address + bytes <= begin + own.size()) {
      return own.data() + (address - begin);
    }
    std::byte* found = block_.memory->access(address, bytes, write, fault);
    if (found == nullptr) {
      throw PtxError(where(code) + ": " + fault);
    }
    return found;
  }
  std::vector<std::byte>& memory = space == Space::shared  ? block_.shared
                                   : space == Space::local ? frame_->local
                                                           : frame_->parameters;
  if (address + bytes > memory.size()) {
    throw PtxError(fmt::format("{}: byte {} of {}", where(code), address, memory.size()));
  }
  if (space == Space::shared) {
    char* written = block_.shared_written.data() + address;
    if (write) {
      std::memset(written, 1, bytes);
    } else if (std::memchr(written, 0, bytes) != nullptr) {
      throw PtxError(where(code) + ": shared memory that nothing has written");
    }
  }
  return memory.data() + address;
}

}  // namespace rondo::ptx
