// Parsing of graphs: the text comes from files, so nothing in it is trusted.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/graph/graph.h"

namespace rondo {
namespace {

constexpr std::size_t kMaxName = 4096;
constexpr std::size_t kMaxList = 1024;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Graph run() {
    Graph graph;
    expect("method ");
    graph.name = std::string(identifier());
    expect(" ");
    graph.inputs = static_cast<int>(integer(0, 65536));
    graph.values = graph.inputs;
    end_line();
    while (!accept("return ")) {
      check<FormatError>(graph.nodes.size() < kMaxGraphNodes, "graph: line {}: more than {} nodes",
                         line_, kMaxGraphNodes);
      graph.nodes.push_back(node(graph));
    }
    do {
      graph.outputs.push_back(value_number(graph.values));
    } while (accept(", "));
    end_line();
    require(at_ == text_.size(), "nothing after return");
    return graph;
  }

 private:
  [[noreturn]] void wrong(std::string_view expected) const {
    fail<FormatError>("graph: line {}: expected {} at '{}'", line_, expected,
                      text_.substr(at_, std::min<std::size_t>(20, text_.size() - at_)));
  }
  void require(bool condition, std::string_view expected) const {
    if (!condition) {
      wrong(expected);
    }
  }
  bool accept(std::string_view token) {
    if (text_.substr(at_).starts_with(token)) {
      at_ += token.size();
      return true;
    }
    return false;
  }
  void expect(std::string_view token) { require(accept(token), token); }
  void end_line() {
    if (accept("  # ")) {
      const std::size_t end = text_.find('\n', at_);
      require(end != std::string_view::npos && end - at_ <= kMaxName, "a short comment");
      source_ = std::string(text_.substr(at_, end - at_));
      at_ = end;
    }
    expect("\n");
    ++line_;
  }

  std::string_view identifier() {
    std::size_t end = at_;
    while (end < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_')) {
      ++end;
    }
    require(end > at_ && end - at_ <= kMaxName, "a name");
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end;
    return name;
  }

  std::int64_t integer(std::int64_t least, std::int64_t most) {
    std::int64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    require(error == std::errc{} && value >= least && value <= most, "an integer in range");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  int value_number(int known) {
    expect("%");
    const auto v = static_cast<int>(integer(0, std::int64_t{1} << 30));
    require(v < known, "a value that has been made");
    return v;
  }

  std::string quoted() {
    expect("\"");
    const std::size_t end = text_.find('"', at_);
    require(end != std::string_view::npos && end - at_ <= kMaxName, "a closing quote");
    const std::string name(text_.substr(at_, end - at_));
    require(name.find('\n') == std::string::npos, "a closing quote");
    at_ = end + 1;
    return name;
  }

  /// The expression in ${...}, after the opening.
  std::string expression() {
    const std::size_t end = text_.find('}', at_);
    require(end != std::string_view::npos && end - at_ <= kMaxName, "a closing brace");
    const std::string text(text_.substr(at_, end - at_));
    at_ = end + 1;
    return text;
  }

  Scalar number() {
    if (accept("True")) {
      return Scalar(true);
    }
    if (accept("False")) {
      return Scalar(false);
    }
    for (const auto& [name, v] :
         {std::pair{"nan", std::nan("")}, {"inf", INFINITY}, {"-inf", -INFINITY}}) {
      if (accept(name)) {
        return Scalar(v);
      }
    }
    std::size_t end = at_;
    while (end < text_.size() &&
           std::string_view("+-.0123456789e").find(text_[end]) != std::string_view::npos) {
      ++end;
    }
    const std::string_view token = text_.substr(at_, end - at_);
    if (token.find_first_of(".e") == std::string_view::npos) {
      return Scalar(static_cast<long>(integer(INT64_MIN, INT64_MAX)));
    }
    double value = 0;
    const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    require(error == std::errc{} && stop == token.data() + token.size(), "a number");
    at_ = end;
    return Scalar(value);
  }

  GraphOperand operand(const Graph& graph, bool may_be_absent) {
    GraphOperand result;
    require(may_be_absent || !text_.substr(at_).starts_with("None"), "an operand");
    if (accept("None")) {
      return result;
    }
    if (text_.substr(at_).starts_with("%")) {
      result.kind = GraphOperand::Kind::value;
      result.value = value_number(graph.values);
    } else if (accept("@")) {
      result.kind = GraphOperand::Kind::tensor;
      result.name = quoted();
    } else if (accept("${")) {
      result.kind = GraphOperand::Kind::size;
      result.name = expression();
    } else {
      result.kind = GraphOperand::Kind::number;
      result.number = number();
      result.dtype = result.number.kind();
      result.weak = !accept(":");
      if (!result.weak) {
        result.dtype = named_dtype();
      }
    }
    return result;
  }

  Dtype named_dtype() {
    const std::string_view name = identifier();
    try {
      return dtype_from_name(name);
    } catch (const DtypeError&) {
      wrong("a dtype");
    }
  }

  GraphAttr attr(const SchemaArg& arg) {
    GraphAttr result;
    if (arg.optional && accept("None")) {
      return result;
    }
    switch (arg.type) {
      case ArgType::boolean:
        result.value = Attr(accept("True"));
        if (!result.value.as_bool()) {
          expect("False");
        }
        return result;
      case ArgType::dtype:
        result.value = Attr(named_dtype());
        return result;
      case ArgType::string:
        result.value = Attr(quoted());
        return result;
      case ArgType::integer:
        if (accept("${")) {
          result.value = Attr(std::int64_t{0});
          result.dims.push_back(expression());
        } else {
          result.value = Attr(integer(INT64_MIN, INT64_MAX));
        }
        return result;
      default:
        return ints();
    }
  }

  GraphAttr ints() {
    GraphAttr result;
    Ints values;
    std::vector<std::string> dims;
    bool symbolic = false;
    expect("[");
    while (!accept("]")) {
      require(values.size() < kMaxList, "a shorter list");
      if (!values.empty()) {
        expect(", ");
      }
      if (accept("${")) {
        dims.push_back(expression());
        values.push_back(0);
        symbolic = true;
      } else {
        values.push_back(integer(INT64_MIN, INT64_MAX));
        dims.push_back(std::to_string(values.back()));
      }
    }
    result.value = Attr(values);
    if (symbolic) {
      result.dims = std::move(dims);
    }
    return result;
  }

  GraphNode node(Graph& graph) {
    GraphNode result;
    int made = graph.values;
    do {
      expect("%");
      require(integer(0, std::int64_t{1} << 30) == made, "the next value number");
      result.outputs.push_back(made++);
    } while (accept(", "));
    expect(" = ");
    result.no_grad = accept("no_grad ");
    const std::string_view name = identifier();
    result.op = OpTable::instance().find(name);
    if (result.op == nullptr && name.ends_with('_')) {
      result.op = OpTable::instance().find(name.substr(0, name.size() - 1));
      result.in_place = true;
      require(result.op == nullptr || result.op->has_in_place, "an op with an in-place form");
    }
    check<FormatError>(result.op != nullptr,
                       "graph: line {}: unknown op '{}'; a newer runtime may have it", line_, name);
    expect("(");
    operands(graph, result);
    attributes(result);
    expect(")");
    source_.clear();
    end_line();
    result.source = source_;
    require(static_cast<int>(result.outputs.size()) == result.op->schema.outputs,
            "as many results as the op has");
    graph.values = made;
    return result;
  }

  void operands(const Graph& graph, GraphNode& node) {
    const ParsedSchema& schema = node.op->schema;
    const auto end = schema.args.end();
    const auto is_operand = [](const SchemaArg& arg) { return arg.is_operand(); };
    auto arg = std::find_if(schema.args.begin(), end, is_operand);
    while (!text_.substr(at_).starts_with(";") && !text_.substr(at_).starts_with(")")) {
      if (!node.inputs.empty()) {
        expect(", ");
      }
      require(node.inputs.size() < kMaxList, "fewer operands");
      require(arg != end, "as many operands as the op takes");
      const bool in_list = arg->type == ArgType::tensor_list;
      node.inputs.push_back(operand(graph, arg->optional || in_list));
      arg = in_list ? arg : std::find_if(arg + 1, end, is_operand);  // a list takes all that follow
    }
    const auto count = static_cast<int>(node.inputs.size());
    require(schema.takes_list ? count >= schema.operands - 1 : count == schema.operands,
            "as many operands as the op takes");
  }

  void attributes(GraphNode& node) {
    bool first = true;
    for (const SchemaArg& arg : node.op->schema.args) {
      if (!arg.is_operand()) {
        expect(first ? "; " : ", ");
        first = false;
        node.attrs.push_back(attr(arg));
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::string source_;
};

}  // namespace

Graph parse_graph(std::string_view text) {
  return Parser(text).run();
}

void verify(const Graph& graph) {
  int made = graph.inputs;
  for (const GraphNode& node : graph.nodes) {
    for (const GraphOperand& operand : node.inputs) {
      check<FormatError>(
          operand.kind != GraphOperand::Kind::value || (operand.value >= 0 && operand.value < made),
          "graph: {} uses value {} before it is made", node.op->name, operand.value);
    }
    for (const int v : node.outputs) {
      check<FormatError>(v == made, "graph: {} makes value {}; expected {}", node.op->name, v,
                         made);
      ++made;
    }
  }
  for (const int v : graph.outputs) {
    check<FormatError>(v >= 0 && v < made, "graph: returns value {}; there are {}", v, made);
  }
}

}  // namespace rondo
