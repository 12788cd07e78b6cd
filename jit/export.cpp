#include "jit/export.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/op/call.h"
#include "core/tensor/equal.h"
#include "core/tensor/transfer.h"
#include "jit/tensor_bytes.h"
#include "serialize/zip_writer.h"

namespace rondo::jit {
namespace {

std::vector<serialize::Dimension> dimensions(const std::vector<tracer::SizeText>& texts) {
  std::vector<serialize::Dimension> dims;
  for (const tracer::SizeText& text : texts) {
    dims.push_back(serialize::Dimension::parse(text));
  }
  return dims;
}

class ArchiveWriter {
 public:
  explicit ArchiveWriter(serialize::Sink& sink) : zip_(sink) {
    manifest_.runtime = std::string(serialize::runtime_version());
    manifest_.producer = "rondo " + manifest_.runtime;
    manifest_.devices = {{"main", "cpu"}};
  }

  void write(std::vector<ExportMethod> methods, const std::vector<ExportTensor>& tensors) {
    for (const ExportTensor& tensor : tensors) {
      add_tensor(tensor);
    }
    for (ExportMethod& method : methods) {
      add_constants(method.trace);
    }
    for (const ExportMethod& method : methods) {
      add_method(method, tensors);
    }
    const std::string text = serialize::print_manifest(manifest_);
    zip_.add(serialize::kManifestEntry, std::as_bytes(std::span(text)));
    zip_.finish();
  }

 private:
  serialize::StoredTensor store(const std::string& folder, const Tensor& tensor) {
    const Tensor plain = to_host(contiguous(materialize(tensor)));
    const std::string entry = fmt::format("{}/{:05}", folder, stored_++);
    const serialize::ZipEntry written = zip_.add(entry, bytes_of(plain));
    return {plain.dtype(), {plain.shape().begin(), plain.shape().end()}, entry, written.crc32};
  }

  void add_tensor(const ExportTensor& tensor) {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const Tensor& known = seen_[i];
      if (known.storage() == tensor.tensor.storage() && same_geometry(known, tensor.tensor)) {
        manifest_.tensors[i].aliases.push_back(tensor.name);
        return;
      }
    }
    serialize::TensorRecord record;
    record.name = tensor.name;
    record.role = tensor.role;
    record.requires_grad =
        tensor.role == serialize::TensorRole::parameter && tensor.tensor.requires_grad();
    record.device = "main";
    record.data = store("weights", tensor.tensor);
    manifest_.tensors.push_back(std::move(record));
    seen_.push_back(tensor.tensor);
  }

  /// Each trace counts its constants from 0: equal ones are stored once, others get new names.
  void add_constants(tracer::TraceResult& trace) {
    std::map<std::string, std::string> names;
    for (tracer::NamedTensor& constant : trace.constants) {
      const auto known = std::find_if(
          constants_.begin(), constants_.end(),
          [&](const ExportTensor& other) { return same_bits(other.tensor, constant.tensor); });
      if (known == constants_.end()) {
        constants_.push_back({free_name(), constant.tensor, serialize::TensorRole::constant});
        add_tensor(constants_.back());
        names[constant.name] = constants_.back().name;
      } else {
        names[constant.name] = known->name;
      }
      constant.name = names[constant.name];
    }
    for (GraphNode& node : trace.graph.nodes) {
      for (GraphOperand& operand : node.inputs) {
        const auto renamed = names.find(operand.name);
        if (operand.kind == GraphOperand::Kind::tensor && renamed != names.end()) {
          operand.name = renamed->second;
        }
      }
    }
  }

  std::string free_name() const {
    const auto taken = [this](const std::string& name) {
      return std::any_of(manifest_.tensors.begin(), manifest_.tensors.end(), [&](const auto& t) {
        return t.name == name ||
               std::find(t.aliases.begin(), t.aliases.end(), name) != t.aliases.end();
      });
    };
    std::size_t i = constants_.size();
    while (taken(fmt::format("constant.{}", i))) {
      ++i;
    }
    return fmt::format("constant.{}", i);
  }

  void add_method(const ExportMethod& exported, const std::vector<ExportTensor>& tensors) {
    const tracer::TraceResult& trace = exported.trace;
    serialize::Method method;
    method.name = trace.graph.name;
    for (std::size_t i = 0; i < exported.inputs.size(); ++i) {
      method.inputs.push_back({exported.input_names.at(i), exported.inputs[i].dtype(),
                               dimensions(trace.input_shapes[i]), "main"});
    }
    for (std::size_t o = 0; o < trace.outputs.size(); ++o) {
      method.outputs.push_back({exported.output_names.at(o), trace.output_dtypes[o],
                                dimensions(trace.output_shapes[o]), "main"});
    }
    add_state(method, exported.state);
    add_body(method, exported, tensors);
  }

  static void add_state(serialize::Method& method, const std::vector<serialize::StateLink>& state) {
    const auto find = [](const std::vector<serialize::ValueSpec>& specs, const std::string& name) {
      const auto found = std::find_if(specs.begin(), specs.end(),
                                      [&](const auto& spec) { return spec.name == name; });
      return found == specs.end() ? nullptr : &*found;
    };
    for (const serialize::StateLink& link : state) {
      const serialize::ValueSpec* input = find(method.inputs, link.input);
      const serialize::ValueSpec* output = find(method.outputs, link.output);
      check<ArgumentError>(
          input != nullptr && output != nullptr,
          "trace: state names '{}' and '{}'; expected an output and an input of {}", link.output,
          link.input, method.name);
      check<ArgumentError>(
          input->dtype == output->dtype && input->shape.size() == output->shape.size(),
          "trace: state joins '{}', {}, and '{}', {}; expected equal dtypes and ranks", link.output,
          serialize::describe(*output), link.input, serialize::describe(*input));
    }
    method.state = state;
  }

  /// A method traced in both modes has two bodies, or one if they are the same.
  void add_body(const serialize::Method& method, const ExportMethod& exported,
                const std::vector<ExportTensor>& tensors) {
    const tracer::TraceResult& trace = exported.trace;
    const auto known = std::find_if(manifest_.methods.begin(), manifest_.methods.end(),
                                    [&](const auto& other) { return other.name == method.name; });
    const std::string text = print(trace.graph);
    if (known != manifest_.methods.end()) {
      check<ArgumentError>(
          known->inputs == method.inputs && known->outputs == method.outputs,
          "trace: {} takes or gives other values in train than in eval mode; names, dtypes and "
          "shapes must be the same in both",
          method.name);
      if (texts_.at(known->bodies.front().code) == text &&
          known->bodies.front().guards == guards_of(trace)) {
        std::vector<serialize::Mode>& modes = known->bodies.front().modes;
        modes.insert(modes.end(), exported.modes.begin(), exported.modes.end());
        return;
      }
    }
    serialize::Body body;
    body.modes = exported.modes;
    body.code =
        fmt::format("code/{}{}.rir", method.name, known == manifest_.methods.end() ? "" : ".train");
    body.row_dependence = why_rows_depend(exported, tensors);
    body.mutable_buffers = trace.written;
    body.guards = guards_of(trace);
    body.rng = trace.random ? "philox4x32-10" : "";
    zip_.add(body.code, std::as_bytes(std::span(text)));
    texts_.emplace(body.code, text);
    note_ops(trace.graph);
    if (known == manifest_.methods.end()) {
      manifest_.methods.push_back(method);
      manifest_.methods.back().bodies.push_back(std::move(body));
    } else {
      known->bodies.push_back(std::move(body));
    }
    add_golden(exported, method.name);
  }

  static std::vector<serialize::Guard> guards_of(const tracer::TraceResult& trace) {
    std::vector<serialize::Guard> guards;
    for (const tracer::TraceGuard& guard : trace.guards) {
      guards.push_back({guard.condition, guard.source, guard.message});
    }
    return guards;
  }

  static std::string why_rows_depend(const ExportMethod& exported,
                                     const std::vector<ExportTensor>& tensors) {
    const tracer::TraceResult& trace = exported.trace;
    if (!trace.written.empty()) {
      return fmt::format("it writes the buffer '{}'", trace.written.front());
    }
    const std::string reason = row_dependence(trace, exported.inputs, tensors);
    return reason.empty() && trace.random ? "it draws random numbers" : reason;
  }

  void note_ops(const Graph& graph) {
    for (const GraphNode& node : graph.nodes) {
      if (ops_.insert(std::string(node.op->name)).second) {
        manifest_.ops.push_back({std::string(node.op->name), node.op->version});
      }
    }
  }

  void add_golden(const ExportMethod& exported, const std::string& name) {
    serialize::GoldenCase golden;
    golden.method = name;
    golden.mode = exported.modes.front();
    for (const Tensor& input : exported.inputs) {
      golden.inputs.push_back(store("golden", input));
    }
    for (const Tensor& output : exported.trace.outputs) {
      golden.outputs.push_back(store("golden", output));
    }
    manifest_.golden.push_back(std::move(golden));
  }

  serialize::ZipWriter zip_;
  serialize::Manifest manifest_;
  std::vector<Tensor> seen_;
  std::vector<ExportTensor> constants_;
  std::set<std::string> ops_;
  std::map<std::string, std::string> texts_;  // of graphs, by entry
  int stored_ = 0;
};

}  // namespace

void write_archive(serialize::Sink& sink, const std::vector<ExportMethod>& methods,
                   const std::vector<ExportTensor>& tensors) {
  ArchiveWriter(sink).write(methods, tensors);
}

}  // namespace rondo::jit
