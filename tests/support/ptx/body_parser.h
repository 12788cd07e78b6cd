// Reads the body of one function.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "tests/support/ptx/program.h"
#include "tests/support/ptx/text.h"

namespace rondo::ptx {

/// The body of one function.
class BodyParser {
 public:
  BodyParser(Module& module, Function& function) : module_(module), function_(function) {}

  void add_parameter(const std::string& text, bool result) {
    const Declared declared = parse_declaration(text);
    (result ? function_.results : function_.parameters)
        .push_back({declared.name, place(declared), declared.bytes});
  }

  void parse(std::string_view body);

 private:
  int place(const Declared& declared) {
    function_.parameter_bytes = align_up(function_.parameter_bytes, std::max(declared.align, 8));
    const int offset = function_.parameter_bytes;
    function_.parameter_bytes += declared.bytes;
    symbols_[declared.name] = static_cast<std::uint64_t>(offset);
    return offset;
  }
  void statement(std::string text);
  void directive(const std::string& text);
  void instruction(const std::string& text);
  void operands(Code& code, const std::string& name, const Words& parts);
  void parse_call(Code& code, const Words& parts);
  void memory_operand(Code& code, const std::string& text);
  int slot(const std::string& text);
  std::vector<int> slots(const std::string& text);
  std::uint64_t constant(const std::string& text, bool& known);

  Module& module_;
  Function& function_;
  std::unordered_map<std::string, std::uint64_t> symbols_;  // of parameters and local memory
  std::unordered_map<std::string, int> slots_;
  std::unordered_map<std::string, int> labels_;
  std::vector<std::pair<std::size_t, std::string>> branches_;
};

}  // namespace rondo::ptx
