// The checks between the parts of a manifest.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "serialize/condition.h"
#include "serialize/manifest_fields.h"
#include "serialize/text.h"

namespace rondo::serialize {
namespace {

template <class... Args>
void require(bool condition, fmt::format_string<Args...> format, const Args&... args) {
  if (!condition) [[unlikely]] {
    fail<FormatError>("manifest: {}", fmt::vformat(format, fmt::make_format_args(args...)));
  }
}

// Limits that no model comes near: they keep the checks and every later call cheap.
constexpr std::size_t kMaxOps = 4096;
constexpr std::size_t kMaxMethods = 1024;
constexpr std::size_t kMaxValues = 1024;
constexpr std::size_t kMaxSymbols = 256;
constexpr std::size_t kMaxGoldenCases = 1024;

void require_at_most(std::size_t limit, std::size_t count, std::string_view what) {
  require(count <= limit, "too many {}: {}; the limit is {}", what, count, limit);
}

// Names of one kind, each of which may be given once.
class Names {
 public:
  explicit Names(std::string_view kind, std::string where = "")
      : kind_(kind), where_(std::move(where)) {}

  void add(const std::string& name) {
    require(names_.insert(name).second, "the {} {}{} appears twice", kind_, in_quotes(name),
            where_);
  }
  bool has(const std::string& name) const { return names_.contains(name); }

 private:
  std::string_view kind_;
  std::string where_;
  std::set<std::string, std::less<>> names_;
};

const ValueSpec* find_spec(const std::vector<ValueSpec>& specs, std::string_view name) {
  const auto found = std::ranges::find(specs, name, &ValueSpec::name);
  return found != specs.end() ? &*found : nullptr;
}

class Checker {
 public:
  explicit Checker(const Manifest& manifest) : manifest_(manifest) {}

  void run() {
    require_at_most(kMaxOps, manifest_.ops.size(), "ops");
    require_at_most(kMaxMethods, manifest_.methods.size(), "methods");
    require_at_most(kMaxGoldenCases, manifest_.golden.size(), "golden cases");
    Names ops("op");
    for (const OpVersion& op : manifest_.ops) {
      ops.add(op.name);
    }
    for (const DeviceSlot& slot : manifest_.devices) {
      devices_.add(slot.name);
    }
    for (const TensorRecord& tensor : manifest_.tensors) {
      check_tensor(tensor);
    }
    Names methods("method");
    for (const Method& method : manifest_.methods) {
      methods.add(method.name);
      check_method(method);
    }
    for (std::size_t i = 0; i < manifest_.golden.size(); ++i) {
      check_golden(manifest_.golden[i], i);
    }
  }

 private:
  void check_device(const std::string& device, std::string_view what) const {
    require(devices_.has(device), "the {} is on device slot {}, which is not declared", what,
            in_quotes(device));
  }

  void check_tensor(const TensorRecord& tensor) {
    tensors_.add(tensor.name);
    for (const std::string& alias : tensor.aliases) {
      tensors_.add(alias);
    }
    entries_.add(tensor.data.entry);
    check_device(tensor.device, "tensor " + in_quotes(tensor.name));
    require(!tensor.requires_grad ||
                (tensor.role == TensorRole::parameter && is_floating(tensor.data.dtype)),
            "the tensor {} requires a gradient but is not a floating-point parameter",
            in_quotes(tensor.name));
    if (tensor.role == TensorRole::buffer) {
      buffers_.add(tensor.name);
    }
  }

  void check_method(const Method& method) {
    const std::string name = in_quotes(method.name);
    require_at_most(kMaxValues, method.inputs.size(), "inputs of method " + name);
    require_at_most(kMaxValues, method.outputs.size(), "outputs of method " + name);
    check_symbols(method);
    check_specs(method.inputs, "input", name);
    check_specs(method.outputs, "output", name);
    check_state(method);
    check_bodies(method);
  }

  void check_specs(const std::vector<ValueSpec>& specs, std::string_view kind,
                   const std::string& method) const {
    Names names(kind, " of method " + method);
    for (const ValueSpec& spec : specs) {
      names.add(spec.name);
      check_device(spec.device,
                   fmt::format("{} {} of method {}", kind, in_quotes(spec.name), method));
    }
  }

  static void check_symbols(const Method& method) {
    std::set<std::string_view> symbols;
    for (const auto* specs : {&method.inputs, &method.outputs}) {
      for (const ValueSpec& spec : *specs) {
        for (const Dimension& dimension : spec.shape) {
          for (const std::string& symbol : dimension.symbols()) {
            symbols.insert(symbol);
          }
        }
      }
    }
    const std::string name = in_quotes(method.name);
    require_at_most(kMaxSymbols, symbols.size(), "symbols in the shapes of method " + name);
    const auto unbound = unbound_symbols(method.inputs);
    require(unbound.empty(), "the symbol {} of method {} is never an input dimension by itself",
            unbound.empty() ? "" : in_quotes(unbound[0]), name);
  }

  static void check_state(const Method& method) {
    const std::string where = " of method " + in_quotes(method.name);
    Names inputs("state input", where);
    Names outputs("state output", where);
    for (const StateLink& link : method.state) {
      const ValueSpec* input = find_spec(method.inputs, link.input);
      const ValueSpec* output = find_spec(method.outputs, link.output);
      require(input != nullptr && output != nullptr,
              "the state {} -> {} of method {} names no output and input", in_quotes(link.output),
              in_quotes(link.input), in_quotes(method.name));
      require(input->dtype == output->dtype && input->shape.size() == output->shape.size() &&
                  input->device == output->device,
              "the state {} -> {} of method {} joins {} and {}", in_quotes(link.output),
              in_quotes(link.input), in_quotes(method.name), describe(*output), describe(*input));
      inputs.add(link.input);
      outputs.add(link.output);
    }
  }

  static void check_guard_symbols(const Method& method, const Guard& guard) {
    const Condition condition = Condition::parse(guard.condition);
    for (const Dimension* side : {&condition.left, &condition.right}) {
      for (const std::string& symbol : side->symbols()) {
        const bool known = std::ranges::any_of(method.inputs, [&](const ValueSpec& spec) {
          return std::ranges::any_of(spec.shape, [&](const Dimension& dimension) {
            return dimension.is_symbol() && dimension.symbol_name() == symbol;
          });
        });
        require(known, "the guard {} of method {} has the symbol {}, which no input gives",
                in_quotes(guard.condition), in_quotes(method.name), in_quotes(symbol));
      }
    }
  }

  void check_bodies(const Method& method) {
    const std::string name = in_quotes(method.name);
    require(!method.bodies.empty(), "method {} has no body", name);
    std::vector<Mode> seen;
    for (const Body& body : method.bodies) {
      require(!body.modes.empty(), "a body of method {} is for no mode", name);
      for (const Mode mode : body.modes) {
        require(std::ranges::find(seen, mode) == seen.end(), "method {} has two bodies for {}",
                name, kModeNames[static_cast<std::size_t>(mode)]);
        seen.push_back(mode);
      }
      for (const Guard& guard : body.guards) {
        check_guard_symbols(method, guard);
      }
      for (const std::string& buffer : body.mutable_buffers) {
        require(buffers_.has(buffer), "method {} writes {}, which is not a buffer", name,
                in_quotes(buffer));
      }
      // The server batches on this promise.
      require(!body.row_dependence.empty() || (body.rng.empty() && body.mutable_buffers.empty()),
              "method {} is marked row-independent but draws random numbers or writes buffers",
              name);
    }
  }

  void check_golden(const GoldenCase& golden, std::size_t index) {
    const auto method = std::ranges::find(manifest_.methods, golden.method, &Method::name);
    require(method != manifest_.methods.end(), "golden[{}] is for method {}, which does not exist",
            index, in_quotes(golden.method));
    const auto serves = [&](const Body& body) {
      return std::ranges::find(body.modes, golden.mode) != body.modes.end();
    };
    require(std::ranges::any_of(method->bodies, serves),
            "golden[{}] is for {}, for which method {} has no body", index,
            kModeNames[static_cast<std::size_t>(golden.mode)], in_quotes(golden.method));
    require(golden.inputs.size() == method->inputs.size() &&
                golden.outputs.size() == method->outputs.size(),
            "golden[{}] has {} inputs and {} outputs; method {} has {} and {}", index,
            golden.inputs.size(), golden.outputs.size(), in_quotes(golden.method),
            method->inputs.size(), method->outputs.size());
    for (const auto* list : {&golden.inputs, &golden.outputs}) {
      for (const StoredTensor& tensor : *list) {
        entries_.add(tensor.entry);
      }
    }
  }

  const Manifest& manifest_;
  Names devices_{"device slot"};
  Names tensors_{"tensor"};
  Names buffers_{"buffer"};
  Names entries_{"tensor entry"};
};

}  // namespace

void check_manifest(const Manifest& manifest) {
  Checker(manifest).run();
}

}  // namespace rondo::serialize
