// Reads PTX as NVRTC writes it.
#include <algorithm>
#include <cstring>

#include "tests/support/ptx/body_parser.h"

namespace rondo::ptx {
namespace {

/// A whole module: variables first, then bodies, for calls may go forward.
class ModuleParser {
 public:
  std::unique_ptr<Module> parse(std::string_view text);

 private:
  void variable(const std::string& text, bool shared);
  void head(const std::string& text, std::string_view body, bool has_body);

  struct Body {
    std::unique_ptr<BodyParser> parser;
    std::string text;
  };
  struct Initial {
    std::string name;
    std::size_t offset;
    int item;
    Words values;
  };
  std::unique_ptr<Module> module_ = std::make_unique<Module>();
  std::vector<Body> bodies_;
  std::vector<Initial> initial_;
};

void ModuleParser::variable(const std::string& text, bool shared) {
  const std::size_t equals = text.find('=');
  const std::string head = text.substr(text.find(' '), equals - text.find(' '));
  const Declared declared = parse_declaration(head);
  if (shared) {
    const auto begin = static_cast<std::size_t>(
        align_up(static_cast<int>(module_->shared_bytes), std::max(declared.align, 1)));
    module_->shared[declared.name] = begin;
    module_->shared_bytes = begin + static_cast<std::size_t>(declared.bytes);
    return;
  }
  const std::size_t offset = (module_->memory.size() + 15) / 16 * 16;
  module_->memory.resize(offset + static_cast<std::size_t>(declared.bytes));
  Initial initial{declared.name, offset, 1, {}};
  if (equals != std::string::npos) {
    std::string values = trimmed(text.substr(equals + 1));
    if (values[0] == '{') {
      values = values.substr(1, values.size() - 2);
    }
    initial.values = split(values, ',');
    initial.item = declared.bytes / static_cast<int>(initial.values.size());
    const bool bytes =
        head.find(".b8") != std::string::npos || head.find(".u8") != std::string::npos;
    initial.item = bytes ? 1 : initial.item;
  }
  initial_.push_back(std::move(initial));
}

void ModuleParser::head(const std::string& text, std::string_view body, bool has_body) {
  const bool entry = text.find(".entry") != std::string::npos;
  std::string rest = trimmed(text.substr(text.find(entry ? ".entry" : ".func") + (entry ? 6 : 5)));
  std::string results;
  if (rest[0] == '(') {
    results = rest.substr(1, rest.find(')') - 1);
    rest = trimmed(rest.substr(rest.find(')') + 1));
  }
  const std::size_t open = rest.find('(');
  const std::string name = trimmed(rest.substr(0, std::min(open, rest.find_first_of(" \n("))));
  std::unique_ptr<Function>& function = module_->functions[name];
  if (function == nullptr) {
    function = std::make_unique<Function>();
  }
  if (!has_body) {
    return;
  }
  function->name = name;
  function->entry = entry;
  auto parser = std::make_unique<BodyParser>(*module_, *function);
  if (open != std::string::npos) {
    for (const std::string& part : split(rest.substr(open + 1, rest.find(')') - open - 1), ',')) {
      parser->add_parameter(part, false);
    }
  }
  for (const std::string& part : split(results, ',')) {
    parser->add_parameter(part, true);
  }
  bodies_.push_back({std::move(parser), std::string(body)});
}

std::unique_ptr<Module> ModuleParser::parse(std::string_view source) {
  const std::string text = without_comments(source);
  std::string pending;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string now = trimmed(pending);
    const bool function =
        now.find(".entry") != std::string::npos || now.find(".func") != std::string::npos;
    if (function && (text[i] == '{' || text[i] == ';')) {
      std::size_t end = i;
      for (int depth = 0; text[i] == '{' && end < text.size(); ++end) {
        depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
        if (depth == 0) {
          break;
        }
      }
      head(now, std::string_view(text).substr(i + 1, end - i - 1), text[i] == '{');
      i = end;
      pending.clear();
    } else if (text[i] == ';') {
      const std::size_t shared = now.find(".shared");
      const std::size_t global = std::min(now.find(".global"), now.find(".const"));
      if (shared == std::string::npos && global == std::string::npos) {
        throw PtxError("unknown directive: " + now);
      }
      variable(now.substr(std::min(shared, global)), shared != std::string::npos);
      pending.clear();
    } else if (text[i] == '\n' && (now.starts_with(".version") || now.starts_with(".target") ||
                                   now.starts_with(".address_size"))) {
      pending.clear();
    } else {
      pending += text[i];
    }
  }
  for (const Initial& initial : initial_) {
    std::byte* at = module_->memory.data() + initial.offset;
    module_->globals[initial.name] = reinterpret_cast<std::uint64_t>(at);
    for (std::size_t i = 0; i < initial.values.size(); ++i) {
      const std::int64_t value = to_number(initial.values[i]);
      const auto item = static_cast<std::size_t>(initial.item);
      std::memcpy(at + i * item, &value, item);
    }
  }
  for (Body& body : bodies_) {
    body.parser->parse(body.text);
  }
  return std::move(module_);
}

}  // namespace

std::unique_ptr<Module> parse_ptx(std::string_view text) {
  return ModuleParser().parse(text);
}

}  // namespace rondo::ptx
