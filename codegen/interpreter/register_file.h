// Gives the values of a program their registers in the arena, by liveness.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/interpreter/program.h"

namespace rondo::codegen::interpreter {

/// Values are defined and used at rising positions; `next` goes on to the next one.
class RegisterFile {
 public:
  /// A value that lives from here. If `shares`, it may lie where an operand of the same size ends.
  int define(std::int64_t bytes, bool shares = false);

  /// A value without a register: it lies in scratch.
  int define_elsewhere();

  void use(int value);

  /// Also needed whenever the coming loop goes round.
  void use_in_loop(int value);

  /// Lives to the end of the call.
  void keep(int value);

  void next() { ++position_; }
  int position() const { return position_; }

  /// Around the steps of a loop. What is used in it and comes from before lives through it.
  void begin_loop();
  void end_loop();

  void need_staging() { staging_ = true; }

  int last_use(int value) const { return lives_[static_cast<std::size_t>(value)].last; }
  bool has_register(int value) const { return lives_[static_cast<std::size_t>(value)].bytes != 0; }

  /// Sets places, register_bytes, staging and block of the body.
  void assign(Body& body) const;

 private:
  struct Life {
    int first;
    int last;
    std::int64_t bytes;
    bool shares;
  };

  std::vector<int> registers(int& count) const;

  std::vector<Life> lives_;
  std::vector<int> looped_;
  int position_ = 0;
  int loop_begin_ = -1;
  bool staging_ = false;
};

}  // namespace rondo::codegen::interpreter
