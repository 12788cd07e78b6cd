// Writing a session's module again, with the session's tensors.
#include <unordered_map>

#include "core/op/call.h"
#include "jit/session.h"
#include "jit/tensor_bytes.h"
#include "serialize/zip_writer.h"

namespace rondo::jit {
namespace {

/// Writes the entries in their order, but the manifest, with other contents for some of them; gives
/// their checksums.
std::unordered_map<std::string, std::uint32_t> write_entries(
    serialize::ZipWriter& zip, const serialize::ZipReader& reader,
    const std::unordered_map<std::string, Tensor>& changed) {
  std::unordered_map<std::string, std::uint32_t> checksums;
  for (const serialize::ZipEntry& entry : reader.entries()) {
    if (entry.name == serialize::kManifestEntry) {
      continue;
    }
    const auto found = changed.find(entry.name);
    const serialize::ZipEntry written =
        found != changed.end() ? zip.add(entry.name, bytes_of(found->second))
                               : zip.add(entry.name, reader.read_verified(entry).view());
    checksums.emplace(entry.name, written.crc32);
  }
  return checksums;
}

}  // namespace

/// The golden cases' outputs with the session's tensors, by entry. Buffers that a case writes are
/// copies.
void Session::add_golden_outputs(std::unordered_map<std::string, Tensor>& outputs) const {
  for (const serialize::GoldenCase& golden : module_->manifest().golden) {
    Session trial(module_);
    trial.set_seed(golden.seed);
    trial.tensors_ = tensors_;
    const std::vector<Tensor> results =
        trial.run(golden.method, module_->golden_inputs(golden), {.mode = golden.mode});
    for (std::size_t o = 0; o < results.size(); ++o) {
      outputs.emplace(golden.outputs[o].entry, contiguous(results[o]));
    }
  }
}

void Session::save(serialize::Sink& sink) const {
  const InUse reading(*this, "save");
  const GradMode no_grad(false);
  serialize::Manifest manifest = module_->manifest();
  std::unordered_map<std::string, Tensor> changed;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    serialize::TensorRecord& record = manifest.tensors[i];
    if (own_[i]) {
      changed.emplace(record.data.entry, contiguous(tensors_[i]));
    }
    if (trainable_ && record.requires_grad) {
      record.requires_grad = tensors_[i].requires_grad();
    }
  }
  add_golden_outputs(changed);
  serialize::ZipWriter zip(sink);
  const auto checksums = write_entries(zip, *module_->reader_, changed);
  for (serialize::TensorRecord& record : manifest.tensors) {
    record.data.crc32 = checksums.at(record.data.entry);
  }
  for (serialize::GoldenCase& golden : manifest.golden) {
    for (serialize::StoredTensor& output : golden.outputs) {
      output.crc32 = checksums.at(output.entry);
    }
  }
  const std::string text = serialize::print_manifest(manifest);
  zip.add(serialize::kManifestEntry, std::as_bytes(std::span(text)));
  zip.finish();
}

}  // namespace rondo::jit
