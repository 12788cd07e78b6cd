#include "tests/support/ptx/body_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tests/support/ptx/instructions.h"

namespace rondo::ptx {

void BodyParser::parse(std::string_view body) {
  std::string text;
  int depth = 0;
  for (const char c : body) {
    const bool empty = trimmed(text).empty();
    if (empty && (c == '{' || c == '}')) {
      continue;  // a scope
    }
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (c == ';' && depth == 0) {
      statement(trimmed(text));
      text.clear();
    } else if (c == ':' && trimmed(text).starts_with("$")) {
      labels_[trimmed(text)] = static_cast<int>(function_.code.size());
      text.clear();
    } else {
      text += c;
    }
  }
  for (const auto& [at, label] : branches_) {
    const auto found = labels_.find(label);
    if (found == labels_.end()) {
      throw PtxError(fmt::format("{}: no label {}", function_.name, label));
    }
    function_.code[at].target = found->second;
  }
  function_.slots = static_cast<int>(slots_.size());
}

void BodyParser::statement(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  if (text[0] == '.') {
    directive(text);
  } else {
    instruction(text);
  }
}

void BodyParser::directive(const std::string& text) {
  if (text.starts_with(".local")) {
    const Declared declared = parse_declaration(text.substr(6));
    function_.local_bytes = align_up(function_.local_bytes, std::max(declared.align, 1));
    symbols_[declared.name] = static_cast<std::uint64_t>(function_.local_bytes);
    function_.local_bytes += declared.bytes;
  } else if (text.starts_with(".shared")) {
    const Declared declared = parse_declaration(text.substr(7));
    const int begin = align_up(static_cast<int>(module_.shared_bytes), std::max(declared.align, 1));
    module_.shared[declared.name] = static_cast<std::uint64_t>(begin);
    module_.shared_bytes = static_cast<std::size_t>(begin + declared.bytes);
  } else if (text.starts_with(".param")) {
    place(parse_declaration(text.substr(6)));
  } else if (!text.starts_with(".reg") && !text.starts_with(".pragma") &&
             !text.starts_with(".loc")) {
    throw PtxError(fmt::format("{}: unknown directive: {}", function_.name, text));
  }
}

std::uint64_t BodyParser::constant(const std::string& text, bool& known) {
  known = true;
  if (text.starts_with("0f") || text.starts_with("0d")) {
    return std::stoull(text.substr(2), nullptr, 16);
  }
  if (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-') {
    return static_cast<std::uint64_t>(to_number(text));
  }
  if (const auto own = symbols_.find(text); own != symbols_.end()) {
    return own->second;
  }
  if (const auto shared = module_.shared.find(text); shared != module_.shared.end()) {
    return shared->second;
  }
  if (const auto global = module_.globals.find(text); global != module_.globals.end()) {
    return global->second;
  }
  known = false;
  return 0;
}

/// Registers, constants and symbols all have slots.
int BodyParser::slot(const std::string& text) {
  bool known = text[0] == '%' || text == "_";
  std::uint64_t bits = 0;
  std::string key = text;
  if (!known) {
    bits = constant(text, known);
    key = fmt::format("#{:x}", bits);
  }
  if (!known) {
    throw PtxError(fmt::format("{}: unknown operand {}", function_.name, text));
  }
  const auto [at, added] = slots_.emplace(key, static_cast<int>(slots_.size()));
  if (!added) {
    return at->second;
  }
  if (key[0] == '#') {
    function_.constants.push_back({at->second, bits});
  }
  constexpr std::pair<const char*, Special> kSpecials[] = {{"%tid.", Special::tid},
                                                           {"%ntid.", Special::ntid},
                                                           {"%ctaid.", Special::ctaid},
                                                           {"%nctaid.", Special::nctaid}};
  for (const auto& [prefix, kind] : kSpecials) {
    if (text.starts_with(prefix)) {
      function_.specials.push_back({at->second, kind, text.back() - 'x'});
    }
  }
  if (text == "%laneid") {
    function_.specials.push_back({at->second, Special::laneid, 0});
  }
  return at->second;
}

/// One operand, or those of a vector "{a, b}" or of a pair "a|p".
std::vector<int> BodyParser::slots(const std::string& text) {
  std::vector<int> found;
  if (text[0] == '{') {
    for (const std::string& part : split(text.substr(1, text.size() - 2), ',')) {
      found.push_back(slot(part));
    }
  } else {
    for (const std::string& part : split(text, '|')) {
      found.push_back(slot(part));
    }
  }
  return found;
}

void BodyParser::memory_operand(Code& code, const std::string& text) {
  std::string inner = trimmed(text.substr(1, text.size() - 2));
  const std::size_t plus = inner.find('+');
  if (plus != std::string::npos) {
    code.offset = to_number(inner.substr(plus + 1));
    inner = trimmed(inner.substr(0, plus));
  }
  code.base = slot(inner);
}

void BodyParser::parse_call(Code& code, const Words& parts) {
  const auto offsets = [&](const std::string& list, std::vector<int>& into) {
    for (const std::string& name : split(list.substr(1, list.size() - 2), ',')) {
      into.push_back(static_cast<int>(symbols_.at(name)));
    }
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i][0] != '(') {
      const auto callee = module_.functions.find(parts[i]);
      if (callee == module_.functions.end()) {
        throw PtxError(
            fmt::format("{}: a call of {}, which is not there", function_.name, parts[i]));
      }
      code.callee = callee->second.get();
    } else {
      offsets(parts[i], code.callee == nullptr ? code.results : code.arguments);
    }
  }
}

void BodyParser::operands(Code& code, const std::string& name, const Words& parts) {
  const auto fill = [&](std::array<int, 4>& list, const std::vector<int>& found, std::size_t from) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      list.at(from + i) = found[i];
    }
  };
  if (name == "bra") {
    branches_.emplace_back(function_.code.size(), parts.at(0));
  } else if (name == "call") {
    parse_call(code, parts);
  } else if (name == "ld") {
    fill(code.to, slots(parts.at(0)), 0);
    memory_operand(code, parts.at(1));
  } else if (name == "st") {
    memory_operand(code, parts.at(0));
    fill(code.from, slots(parts.at(1)), 0);
  } else if (name.starts_with("bar")) {
    fill(code.from, slots(parts.at(0)), 0);
  } else {
    std::size_t next = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::vector<int> found = slots(parts[i]);
      fill(i == 0 ? code.to : code.from, found, i == 0 ? 0 : next);
      next += i == 0 ? 0 : found.size();
    }
  }
}

void BodyParser::instruction(const std::string& text) {
  Code code;
  code.line = static_cast<int>(function_.lines.size());
  function_.lines.push_back(text);
  std::string rest = text;
  if (rest[0] == '@') {
    const std::size_t space = rest.find(' ');
    code.guard_inverted = rest[1] == '!';
    code.guard =
        slot(rest.substr(code.guard_inverted ? 2 : 1, space - (code.guard_inverted ? 2 : 1)));
    rest = trimmed(rest.substr(space));
  }
  const std::size_t space = std::min(rest.find(' '), rest.size());
  const Words words = split(rest.substr(0, space), '.');
  code.run = find_handler(words, code);
  if (code.run != nullptr) {
    operands(code, words[0] == "bar" || words[0] == "barrier" ? "bar" : words[0],
             split(rest.substr(space), ','));
    // What an instruction is may depend on its operands: moves of halves.
    code.run = words[0] == "mov" ? find_handler(words, code) : code.run;
  }
  if (code.run == nullptr) {
    throw PtxError(fmt::format("{}: unknown instruction: {}", function_.name, text));
  }
  function_.code.push_back(std::move(code));
}

}  // namespace rondo::ptx
