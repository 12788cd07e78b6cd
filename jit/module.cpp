#include "jit/module.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "core/op/call.h"
#include "jit/initialize.h"
#include "serialize/checksum.h"
#include "serialize/signature.h"
#include "serialize/zip_reader.h"

namespace rondo::jit {

/// Expressions parsed once; `releases[n]` are values that node n uses last.
struct Program {
  struct Node {
    std::vector<Attr> attrs;                                   // where no size is in them
    std::vector<std::vector<serialize::Dimension>> attr_dims;  // per attribute, empty: none
    std::vector<serialize::Dimension> input_sizes;             // of operands that are sizes
    std::vector<Tensor> fixed;  // operands that are tensors or numbers
    bool sized = false;
  };
  Graph graph;
  std::vector<Node> nodes;
  std::vector<std::vector<int>> releases;
};

namespace {

using serialize::Bindings;
using serialize::Dimension;

std::vector<serialize::OpVersion> known_ops() {
  std::vector<serialize::OpVersion> known;
  const OpTable& table = OpTable::instance();
  for (int i = 0; i < table.size(); ++i) {
    known.push_back({std::string(table.get(i).name), table.get(i).version});
  }
  return known;
}

Tensor stored_tensor(const serialize::ZipReader& reader, const serialize::StoredTensor& stored) {
  const serialize::ZipEntry& entry = reader.entry(stored.entry);
  const Shape shape{std::span<const std::int64_t>(stored.shape)};
  const std::int64_t bytes = size_bytes(stored.dtype, checked_numel(shape, "load"));
  check<FormatError>(static_cast<std::uint64_t>(bytes) == entry.size,
                     "load: {}: the entry has {} bytes; shape {} of {} needs {}", stored.entry,
                     entry.size, shape, dtype_name(stored.dtype), bytes);
  auto data = std::make_shared<serialize::Bytes>(reader.read_verified(entry));
  auto* address = const_cast<std::byte*>(data->data());  // NOLINT(*-const-cast): never written
  const auto storage = make_ref<Storage>(address, bytes, [data] {}, false);
  return Tensor::view_of(storage, shape, contiguous_strides(shape), 0, stored.dtype);
}

Program compile(Graph graph, const std::unordered_map<std::string, Tensor>& tensors,
                const std::string& entry) {
  Program program;
  std::vector<int> last(static_cast<std::size_t>(graph.values), -1);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphNode& node = graph.nodes[n];
    Program::Node compiled;
    for (const GraphAttr& attr : node.attrs) {
      compiled.attrs.push_back(attr.value);
      std::vector<Dimension> dims;
      for (const std::string& text : attr.dims) {
        dims.push_back(Dimension::parse(text));
      }
      compiled.sized = compiled.sized || !dims.empty();
      compiled.attr_dims.push_back(std::move(dims));
    }
    for (const GraphOperand& operand : node.inputs) {
      Tensor fixed;
      Dimension size;
      if (operand.kind == GraphOperand::Kind::tensor) {
        const auto found = tensors.find(operand.name);
        check<FormatError>(found != tensors.end(), "load: {}: no tensor is named '{}'", entry,
                           operand.name);
        fixed = found->second;
      } else if (operand.kind == GraphOperand::Kind::number) {
        fixed = Tensor::immediate(operand.number, operand.dtype, operand.weak);
      } else if (operand.kind == GraphOperand::Kind::size) {
        size = Dimension::parse(operand.name);
      } else if (operand.kind == GraphOperand::Kind::value) {
        last[static_cast<std::size_t>(operand.value)] = static_cast<int>(n);
      }
      compiled.fixed.push_back(fixed);
      compiled.input_sizes.push_back(size);
    }
    program.nodes.push_back(std::move(compiled));
  }
  for (const int output : graph.outputs) {
    last[static_cast<std::size_t>(output)] = -1;
  }
  program.releases.resize(graph.nodes.size());
  for (std::size_t v = 0; v < last.size(); ++v) {
    if (last[v] >= 0) {
      program.releases[static_cast<std::size_t>(last[v])].push_back(static_cast<int>(v));
    }
  }
  program.graph = std::move(graph);
  return program;
}

/// Fills in the attributes that depend on sizes.
std::vector<Attr> bound_attrs(const Program::Node& node, const Bindings& sizes) {
  std::vector<Attr> attrs = node.attrs;
  for (std::size_t a = 0; a < attrs.size(); ++a) {
    if (node.attr_dims[a].empty()) {
      continue;
    }
    Ints values;
    for (const Dimension& dim : node.attr_dims[a]) {
      values.push_back(dim.evaluate(sizes));
    }
    const bool list = std::holds_alternative<Ints>(attrs[a].value());
    attrs[a] = list ? Attr(values) : Attr(values[0]);
  }
  return attrs;
}

std::vector<Tensor> execute(const Program& program, const std::vector<Tensor>& inputs,
                            const Bindings& sizes) {
  std::vector<Tensor> values(static_cast<std::size_t>(program.graph.values));
  std::copy(inputs.begin(), inputs.end(), values.begin());
  std::vector<Tensor> operands;
  std::vector<Tensor> outputs;
  for (std::size_t n = 0; n < program.graph.nodes.size(); ++n) {
    const GraphNode& node = program.graph.nodes[n];
    const Program::Node& compiled = program.nodes[n];
    operands.assign(node.inputs.size(), {});
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const GraphOperand& operand = node.inputs[i];
      if (operand.kind == GraphOperand::Kind::value) {
        operands[i] = values[static_cast<std::size_t>(operand.value)];
      } else if (operand.kind == GraphOperand::Kind::size) {
        operands[i] =
            Tensor::number(Scalar(static_cast<long>(compiled.input_sizes[i].evaluate(sizes))));
      } else {
        operands[i] = compiled.fixed[i];
      }
    }
    outputs.assign(node.outputs.size(), {});
    if (compiled.sized) {
      call(*node.op, operands, bound_attrs(compiled, sizes), outputs);
    } else {
      call(*node.op, operands, compiled.attrs, outputs);
    }
    operands.clear();
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      values[static_cast<std::size_t>(node.outputs[o])] = std::move(outputs[o]);
    }
    for (const int v : program.releases[n]) {
      values[static_cast<std::size_t>(v)] = {};
    }
  }
  std::vector<Tensor> results;
  for (const int output : program.graph.outputs) {
    results.push_back(values[static_cast<std::size_t>(output)]);
  }
  return results;
}

/// Equal bits, or both NaN.
bool same_tensor(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) {
    return false;
  }
  const Tensor x = contiguous(a);
  const Tensor y = contiguous(b);
  const std::int64_t element = size_bytes(x.dtype(), 1);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const std::byte* p = x.data() + i * element;
    const std::byte* q = y.data() + i * element;
    const bool equal =
        std::memcmp(p, q, static_cast<std::size_t>(element)) == 0 ||
        (is_floating(x.dtype()) && std::isnan(read_element(p, x.dtype()).to_double()) &&
         std::isnan(read_element(q, x.dtype()).to_double()));
    if (!equal) {
      return false;
    }
  }
  return true;
}

}  // namespace

Module::~Module() = default;

std::shared_ptr<const Module> Module::load_file(const std::string& path) {
  return load(serialize::open_file(path));
}

std::shared_ptr<const Module> Module::load(std::shared_ptr<const serialize::Source> source) {
  initialize();
  std::shared_ptr<Module> module(new Module);
  module->reader_ = std::make_shared<const serialize::ZipReader>(std::move(source));
  const serialize::ZipReader& reader = *module->reader_;
  const serialize::ZipEntry& entry = reader.entry(serialize::kManifestEntry);
  check<FormatError>(entry.size <= serialize::kMaxManifestBytes,
                     "load: the manifest has {} bytes; at most {}", entry.size,
                     serialize::kMaxManifestBytes);
  module->manifest_ = serialize::parse_manifest(reader.read_verified(entry).text());
  serialize::check_op_versions(module->manifest_, known_ops());
  module->read_tensors(reader);
  module->read_programs(reader);
  return module;
}

void Module::read_tensors(const serialize::ZipReader& reader) {
  for (const serialize::TensorRecord& record : manifest_.tensors) {
    const Tensor tensor = stored_tensor(reader, record.data);
    tensors_.emplace(record.name, tensor);
    for (const std::string& alias : record.aliases) {
      tensors_.emplace(alias, tensor);
    }
  }
}

void Module::read_programs(const serialize::ZipReader& reader) {
  for (const serialize::Method& method : manifest_.methods) {
    for (const serialize::Body& body : method.bodies) {
      Graph graph = parse_graph(reader.read_verified(reader.entry(body.code)).text());
      rondo::verify(graph);
      check<FormatError>(
          graph.inputs == static_cast<int>(method.inputs.size()) &&
              graph.outputs.size() == method.outputs.size(),
          "load: {}: the graph takes {} and gives {} values; the signature of {} says {} and {}",
          body.code, graph.inputs, graph.outputs.size(), method.name, method.inputs.size(),
          method.outputs.size());
      programs_.emplace(body.code, std::make_unique<const Program>(
                                       compile(std::move(graph), tensors_, body.code)));
    }
  }
}

const serialize::Method& Module::method(std::string_view name) const {
  std::string names;
  for (const serialize::Method& method : manifest_.methods) {
    if (method.name == name) {
      return method;
    }
    names += (names.empty() ? "" : ", ") + method.name;
  }
  fail<ArgumentError>("run: there is no method '{}'; the archive has {}", name, names);
}

const Program& Module::program(std::string_view name, serialize::Mode mode) const {
  for (const serialize::Body& body : method(name).bodies) {
    if (std::find(body.modes.begin(), body.modes.end(), mode) != body.modes.end()) {
      return *programs_.at(body.code);
    }
  }
  fail<ArgumentError>("run: method '{}' was not exported for {} mode", name,
                      mode == serialize::Mode::train ? "train" : "eval");
}

std::string Module::code(std::string_view name) const {
  return print(program(name, method(name).bodies.front().modes.front()).graph);
}

Tensor Module::tensor(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? Tensor() : found->second;
}

std::vector<std::string> Module::verify() const {
  std::vector<std::string> differences;
  for (std::size_t c = 0; c < manifest_.golden.size(); ++c) {
    const serialize::GoldenCase& golden = manifest_.golden[c];
    std::vector<Tensor> inputs;
    for (const serialize::StoredTensor& stored : golden.inputs) {
      inputs.push_back(stored_tensor(*reader_, stored));
    }
    std::vector<serialize::ActualValue> actual;
    for (const Tensor& t : inputs) {
      actual.push_back({t.dtype(), t.shape().span()});
    }
    const Bindings sizes =
        serialize::check_inputs(golden.method, method(golden.method).inputs, actual);
    const GradMode no_grad(false);
    const std::vector<Tensor> outputs = execute(program(golden.method, golden.mode), inputs, sizes);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      if (!same_tensor(outputs[o], stored_tensor(*reader_, golden.outputs.at(o)))) {
        differences.push_back(fmt::format("golden case {} of {}: output '{}' differs", c,
                                          golden.method, method(golden.method).outputs[o].name));
      }
    }
  }
  return differences;
}

std::vector<Tensor> Session::run(std::string_view method, const std::vector<Tensor>& inputs,
                                 serialize::Mode mode) {
  check<ArgumentError>(
      !in_use_.test_and_set(),
      "run: the session is running in another thread; give each thread a session of its own");
  struct Release {
    std::atomic_flag& flag;
    ~Release() { flag.clear(); }
  } release{in_use_};
  const serialize::Method& signature = module_->method(method);
  std::vector<serialize::ActualValue> actual;
  actual.reserve(inputs.size());
  for (const Tensor& t : inputs) {
    actual.push_back({t.dtype(), t.shape().span()});
  }
  const Bindings sizes = serialize::check_inputs(method, signature.inputs, actual);
  const GradMode no_grad(false);
  return execute(module_->program(method, mode), inputs, sizes);
}

}  // namespace rondo::jit
