#include "bindings/serve/commands.h"

#include <fmt/format.h>

#include "bindings/serve/arguments.h"
#include "bindings/serve/npy.h"
#include "bindings/serve/protocol.h"
#include "core/base/error.h"
#include "core/op/call.h"
#include "jit/session.h"

namespace rondo::serve {
namespace {

void print_values(const char* what, const std::vector<serialize::ValueSpec>& specs) {
  for (const serialize::ValueSpec& spec : specs) {
    fmt::print("  {} {}: {}\n", what, spec.name, serialize::describe(spec));
  }
}

void print_body(const serialize::Body& body) {
  std::string modes;
  for (const serialize::Mode mode : body.modes) {
    modes += modes.empty() ? "" : " and ";
    modes += mode == serialize::Mode::eval ? "eval" : "train";
  }
  fmt::print("  {}: {}\n", modes, body.code);
  if (body.row_dependence.empty()) {
    fmt::print("    rows are independent: requests that arrive together run as one batch\n");
  } else {
    fmt::print("    rows are not known to be independent, so requests run alone: {}\n",
               body.row_dependence);
  }
  for (const serialize::Guard& guard : body.guards) {
    fmt::print("    guard {} ({}): {}\n", guard.condition, guard.source, guard.message);
  }
  if (!body.rng.empty()) {
    fmt::print("    draws random numbers: {}\n", body.rng);
  }
}

std::string_view role_name(serialize::TensorRole role) {
  switch (role) {
    case serialize::TensorRole::parameter:
      return "parameter";
    case serialize::TensorRole::buffer:
      return "buffer";
    case serialize::TensorRole::constant:
      return "constant";
  }
  return "";
}

void print_tensors(const serialize::Manifest& manifest) {
  std::int64_t all = 0;
  for (const serialize::TensorRecord& record : manifest.tensors) {
    const Shape shape{std::span<const std::int64_t>(record.data.shape)};
    const std::int64_t bytes = size_bytes(record.data.dtype, shape.numel());
    all += bytes;
    fmt::print("  {} {}: {} of {}, {} bytes\n", role_name(record.role), record.name, shape,
               dtype_name(record.data.dtype), bytes);
  }
  fmt::print("  {} bytes in all\n", all);
}

std::vector<Tensor> read_inputs(const serialize::Method& method, const Arguments& arguments) {
  std::vector<Tensor> inputs(method.inputs.size());
  for (const auto& [name, path] : arguments.pairs("--input")) {
    bool found = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (method.inputs[i].name == name) {
        inputs[i] = read_npy(path);
        found = true;
      }
    }
    check<ArgumentError>(found, "rondo run: method {} has no input '{}'", method.name, name);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check<ArgumentError>(inputs[i].defined(), "rondo run: give --input {}=file.npy, {}",
                         method.inputs[i].name, serialize::describe(method.inputs[i]));
  }
  return inputs;
}

}  // namespace

int inspect(std::span<const std::string> words) {
  const Arguments arguments("rondo inspect", words, {"--code"});
  const auto module = jit::Module::load_file(arguments.file());
  const serialize::Manifest& manifest = module->manifest();
  if (arguments.has("--code")) {
    fmt::print("{}", module->code(arguments.text("--code", "")));
    return 0;
  }
  fmt::print("{}: archive of format {}, for runtime {} or later, written by {}, numerics {}\n",
             arguments.file(), manifest.format_version, manifest.runtime, manifest.producer,
             manifest.numerics == serialize::Numerics::exact ? "exact" : "fast");
  for (const serialize::Method& method : manifest.methods) {
    fmt::print("method {}\n", method.name);
    print_values("input", method.inputs);
    print_values("output", method.outputs);
    for (const serialize::StateLink& link : method.state) {
      fmt::print("  state {} is the next {}\n", link.output, link.input);
    }
    for (const serialize::Body& body : method.bodies) {
      print_body(body);
    }
  }
  fmt::print("ops\n ");
  for (const serialize::OpVersion& op : manifest.ops) {
    fmt::print(" {}:{}", op.name, op.version);
  }
  fmt::print("\ntensors\n");
  print_tensors(manifest);
  fmt::print("golden cases: {}\n", manifest.golden.size());
  return 0;
}

int verify(std::span<const std::string> words) {
  const Arguments arguments("rondo verify", words, {});
  const auto module = jit::Module::load_file(arguments.file());
  const std::vector<std::string> differences = module->verify();
  for (const std::string& difference : differences) {
    fmt::print("{}\n", difference);
  }
  const std::size_t cases = module->manifest().golden.size();
  if (differences.empty()) {
    fmt::print("golden cases that give the stored bits: {}\n", cases);
  }
  return differences.empty() ? 0 : 1;
}

int run_once(std::span<const std::string> words) {
  const Arguments arguments("rondo run", words, {"--method", "--input", "--output"});
  const auto module = jit::Module::load_file(arguments.file());
  const serialize::Method* first = default_method(module->manifest());
  const serialize::Method& method =
      module->method(arguments.text("--method", first == nullptr ? "forward" : first->name));
  jit::Session session(module);
  const std::vector<Tensor> outputs = session.run(method.name, read_inputs(method, arguments));
  const auto paths = arguments.pairs("--output");
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const std::string& name = method.outputs[o].name;
    std::string path = name + ".npy";
    for (const auto& [output, file] : paths) {
      path = output == name ? file : path;
    }
    const Tensor output = contiguous(outputs[o]);
    write_npy(path, output);
    fmt::print("{}: {} of {} to {}\n", name, output.shape(), dtype_name(output.dtype()), path);
  }
  return 0;
}

}  // namespace rondo::serve
