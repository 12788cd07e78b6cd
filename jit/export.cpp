#include "jit/export.h"

#include <set>

#include "core/base/error.h"
#include "core/op/call.h"
#include "serialize/zip_writer.h"

namespace rondo::jit {
namespace {

std::span<const std::byte> bytes_of(const Tensor& tensor) {
  return {tensor.data(), static_cast<std::size_t>(size_bytes(tensor.dtype(), tensor.numel()))};
}

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

  void write(const std::vector<ExportMethod>& methods, const std::vector<ExportTensor>& tensors) {
    for (const ExportTensor& tensor : tensors) {
      add_tensor(tensor);
    }
    for (const ExportMethod& method : methods) {
      for (const tracer::NamedTensor& constant : method.trace.constants) {
        add_tensor({constant.name, constant.tensor, serialize::TensorRole::constant});
      }
    }
    for (const ExportMethod& method : methods) {
      add_method(method, tensors);
    }
    const std::string text = serialize::print_manifest(manifest_);
    zip_.add(serialize::kManifestEntry,
             {reinterpret_cast<const std::byte*>(text.data()), text.size()});
    zip_.finish();
  }

 private:
  serialize::StoredTensor store(const std::string& folder, const Tensor& tensor) {
    const Tensor plain = contiguous(materialize(tensor));
    const std::string entry = fmt::format("{}/{:05}", folder, stored_++);
    const serialize::ZipEntry written = zip_.add(entry, bytes_of(plain));
    return {plain.dtype(), {plain.shape().begin(), plain.shape().end()}, entry, written.crc32};
  }

  void add_tensor(const ExportTensor& tensor) {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const Tensor& known = seen_[i];
      if (known.storage() == tensor.tensor.storage() && known.offset() == tensor.tensor.offset() &&
          known.shape() == tensor.tensor.shape() && known.strides() == tensor.tensor.strides()) {
        manifest_.tensors[i].aliases.push_back(tensor.name);
        return;
      }
    }
    serialize::TensorRecord record;
    record.name = tensor.name;
    record.role = tensor.role;
    record.requires_grad = tensor.tensor.requires_grad();
    record.device = "main";
    record.data = store("weights", tensor.tensor);
    manifest_.tensors.push_back(std::move(record));
    seen_.push_back(tensor.tensor);
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
    serialize::Body body;
    const bool train = exported.mode == serialize::Mode::train;
    body.modes = {exported.mode};
    body.code = fmt::format("code/{}{}.rir", method.name, train ? ".train" : "");
    body.row_dependence = row_dependence(trace, exported.inputs, tensors);
    body.rng = trace.random ? "philox4x32-10" : "";
    const std::string text = print(trace.graph);
    zip_.add(body.code, {reinterpret_cast<const std::byte*>(text.data()), text.size()});
    note_ops(trace.graph);
    add_body(method, std::move(body));
    if (!trace.random) {
      add_golden(exported, method.name);
    }
  }

  /// A method traced in both modes has two bodies.
  void add_body(serialize::Method& method, serialize::Body body) {
    for (serialize::Method& known : manifest_.methods) {
      if (known.name == method.name) {
        known.bodies.push_back(std::move(body));
        return;
      }
    }
    method.bodies.push_back(std::move(body));
    manifest_.methods.push_back(method);
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
    golden.mode = exported.mode;
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
  std::set<std::string> ops_;
  int stored_ = 0;
};

}  // namespace

void write_archive(serialize::Sink& sink, const std::vector<ExportMethod>& methods,
                   const std::vector<ExportTensor>& tensors) {
  ArchiveWriter(sink).write(methods, tensors);
}

}  // namespace rondo::jit
