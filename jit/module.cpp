#include "jit/module.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/op/call.h"
#include "core/tensor/equal.h"
#include "jit/initialize.h"
#include "jit/program.h"
#include "jit/session.h"
#include "serialize/archive_entries.h"
#include "serialize/zip_reader.h"

namespace rondo::jit {

namespace {

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
  // As many as the entry has; of an empty tensor the other sizes must fit too.
  const std::int64_t bytes = size_bytes(stored.dtype, checked_numel(shape, "load"));
  auto data = std::make_shared<serialize::Bytes>(reader.read_verified(entry));
  auto* address = const_cast<std::byte*>(data->data());  // NOLINT(*-const-cast): never written
  const auto storage = make_ref<Storage>(address, bytes, [data] {}, false);
  return Tensor::view_of(storage, shape, contiguous_strides(shape), 0, stored.dtype);
}

}  // namespace

Module::~Module() = default;

std::shared_ptr<const Module> Module::load_file(const std::string& path,
                                                serialize::FileAccess access) {
  return load(serialize::open_file(path, access));
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
  serialize::check_entries(reader, module->manifest_);
  serialize::check_op_versions(module->manifest_, known_ops());
  module->read_tensors(reader);
  module->read_programs(reader);
  return module;
}

void Module::read_tensors(const serialize::ZipReader& reader) {
  for (const serialize::TensorRecord& record : manifest_.tensors) {
    const int number = static_cast<int>(tensors_.size());
    tensors_.push_back(stored_tensor(reader, record.data));
    numbers_.emplace(record.name, number);
    for (const std::string& alias : record.aliases) {
      numbers_.emplace(alias, number);
    }
  }
}

void Module::read_programs(const serialize::ZipReader& reader) {
  ProgramContext context;
  context.find = [this](const std::string& name) { return number(name); };
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
      context.entry = body.code;
      context.writable.assign(tensors_.size(), false);
      for (const std::string& buffer : body.mutable_buffers) {
        context.writable[static_cast<std::size_t>(number(buffer))] = true;
      }
      auto program = std::make_unique<Program>(compile(std::move(graph), context));
      for (const serialize::Guard& guard : body.guards) {
        program->guards.push_back(serialize::Condition::parse(guard.condition));
      }
      programs_.emplace(body.code, std::move(program));
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

const serialize::Body& Module::body(std::string_view name, serialize::Mode mode) const {
  for (const serialize::Body& body : method(name).bodies) {
    if (std::find(body.modes.begin(), body.modes.end(), mode) != body.modes.end()) {
      return body;
    }
  }
  fail<ArgumentError>("run: method '{}' was not exported for {} mode; trace it with mode=\"both\"",
                      name, mode == serialize::Mode::train ? "train" : "eval");
}

serialize::Bindings Module::check_call(std::string_view name, serialize::Mode mode,
                                       std::span<const Tensor> inputs) const {
  std::vector<serialize::ActualValue> actual;
  actual.reserve(inputs.size());
  for (const Tensor& t : inputs) {
    actual.push_back({t.dtype(), t.shape().span()});
  }
  serialize::Bindings sizes = serialize::check_inputs(name, method(name).inputs, actual);
  const serialize::Body& called = body(name, mode);
  const Program& program = *programs_.at(called.code);
  for (std::size_t i = 0; i < program.guards.size(); ++i) {
    serialize::check_guard(name, called.guards[i], program.guards[i], sizes);
  }
  return sizes;
}

std::string Module::code(std::string_view name) const {
  return print(programs_.at(method(name).bodies.front().code)->graph);
}

int Module::number(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? -1 : found->second;
}

Tensor Module::tensor(const std::string& name) const {
  const int found = number(name);
  return found < 0 ? Tensor() : tensors_[static_cast<std::size_t>(found)];
}

std::vector<Tensor> Module::golden_inputs(const serialize::GoldenCase& golden) const {
  std::vector<Tensor> inputs;
  for (const serialize::StoredTensor& stored : golden.inputs) {
    inputs.push_back(stored_tensor(*reader_, stored));
  }
  return inputs;
}

std::vector<std::string> Module::verify() const {
  std::vector<std::string> differences;
  const GradMode no_grad(false);
  for (std::size_t c = 0; c < manifest_.golden.size(); ++c) {
    const serialize::GoldenCase& golden = manifest_.golden[c];
    Session session(shared_from_this());
    session.set_seed(golden.seed);
    const std::vector<Tensor> outputs =
        session.run(golden.method, golden_inputs(golden), {.mode = golden.mode});
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      if (!same_bits(outputs[o], stored_tensor(*reader_, golden.outputs.at(o)))) {
        differences.push_back(fmt::format("golden case {} of {}: output '{}' differs", c,
                                          golden.method, method(golden.method).outputs[o].name));
      }
    }
  }
  return differences;
}

}  // namespace rondo::jit
