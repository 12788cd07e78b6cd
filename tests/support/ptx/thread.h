// One thread of a kernel on the stand-in: its registers, and what its instructions may touch.
#pragma once

#include <cstring>
#include <vector>

#include "tests/support/ptx/memory.h"
#include "tests/support/ptx/program.h"

namespace rondo::ptx {

/// Generic addresses of shared and local memory lie here; all others are global.
inline constexpr std::uint64_t kSharedWindow = std::uint64_t{1} << 60;
inline constexpr std::uint64_t kLocalWindow = std::uint64_t{2} << 60;
inline constexpr std::uint64_t kWindowMask = std::uint64_t{15} << 60;

/// What the threads of a block share.
struct ThreadBlock {
  DeviceMemory* memory = nullptr;
  Module* module = nullptr;
  std::array<unsigned, 3> index{}, grid{}, threads{};
  std::vector<std::byte> shared;
  std::vector<char> shared_written;
};

struct Frame {
  const Function* function = nullptr;
  int pc = 0;
  std::vector<std::uint64_t> slots;
  std::vector<std::byte> parameters, local;
};

enum class State : std::uint8_t { running, barrier, warp, done };

class Thread {
 public:
  Thread(ThreadBlock& block, unsigned number) : block_(block), number_(number) {}

  void start(const Function& function, const std::byte* parameters, std::size_t bytes);
  /// Runs until it must wait or is done.
  void run();

  template <class T>
  T get(int slot) const {
    T value;
    std::memcpy(&value, &slots_[slot], sizeof(T));
    return value;
  }
  template <class T>
  void set(int slot, T value) {
    slots_[slot] = 0;
    std::memcpy(&slots_[slot], &value, sizeof(T));
  }
  bool predicate(int slot) const { return (slots_[slot] & 1U) != 0; }

  /// The memory of `bytes` at the address of `code`. Errors: PtxError.
  std::byte* address(const Code& code, std::size_t bytes, bool write);

  void jump(int target) { frame_->pc = target; }
  void call(const Code& code);
  void leave();
  void wait(State state, const Code& code) {
    state_ = state;
    waiting_ = &code;
  }
  void resume() { state_ = State::running; }
  void finish() { state_ = State::done; }

  State state() const { return state_; }
  const Code* waiting_at() const { return waiting_; }
  const ThreadBlock& block() const { return block_; }
  unsigned number() const { return number_; }
  std::string where(const Code& code) const;
  std::uint64_t instructions() const { return instructions_; }

  unsigned carry = 0;

 private:
  void enter(const Function& function);

  ThreadBlock& block_;
  unsigned number_;
  std::vector<std::unique_ptr<Frame>> frames_;
  Frame* frame_ = nullptr;
  std::uint64_t* slots_ = nullptr;
  State state_ = State::running;
  const Code* waiting_ = nullptr;
  std::uint64_t instructions_ = 0;
};

}  // namespace rondo::ptx
