#include "tests/serialize/sample_archive.h"

#include <algorithm>
#include <string_view>

#include "serialize/checksum.h"
#include "serialize/tensor_size.h"
#include "serialize/zip_writer.h"
#include "tests/serialize/archive_bytes.h"

namespace rondo::serialize {
namespace {

// The data of a tensor: its bytes are made from the name of its entry.
std::string data_of(Dtype dtype, const std::vector<std::int64_t>& shape, std::string_view entry) {
  return std::string(static_cast<std::size_t>(tensor_size_bytes(dtype, shape).value_or(0)),
                     entry.back());
}

StoredTensor stored(Dtype dtype, std::vector<std::int64_t> shape, std::string entry) {
  const std::uint32_t crc = crc32(bytes_of(data_of(dtype, shape, entry)));
  return {dtype, std::move(shape), std::move(entry), crc};
}

ValueSpec spec(std::string name, Dtype dtype, std::vector<Dimension> shape) {
  return {std::move(name), dtype, std::move(shape), "main"};
}

Method forward() {
  const Dimension batch = Dimension::symbol("batch");
  const Dimension seq = Dimension::symbol("seq");
  Method method;
  method.name = "forward";
  method.inputs = {spec("x", Dtype::float32, {batch, 2 * seq + 1}),
                   spec("mask", Dtype::boolean, {batch, seq}),
                   spec("cache", Dtype::float32, {batch, 4})};
  method.outputs = {spec("y", Dtype::float32, {batch, 3}),
                    spec("new_cache", Dtype::float32, {batch, 4})};
  method.state = {{"cache", "new_cache"}};
  Body eval;
  eval.modes = {Mode::eval};
  eval.code = "code/forward.rir";
  eval.guards = {{"seq <= 512", "model.py:12", "positions beyond 512 were not learned"}};
  Body train;
  train.modes = {Mode::train};
  train.code = "code/forward.train.rir";
  train.row_dependence = "batch_norm uses the whole batch";
  train.mutable_buffers = {"norm.running_mean"};
  train.rng = "philox4x32-10";
  method.bodies = {eval, train};
  return method;
}

}  // namespace

Manifest sample_manifest() {
  Manifest manifest;
  manifest.runtime = "0.1.0";
  manifest.producer = "rondo 0.1.0";
  manifest.ops = {{"add", 1}, {"matmul", 2}};
  manifest.devices = {{"main", "cpu"}};
  manifest.methods = {forward()};
  manifest.tensors = {{"embed.weight",
                       stored(Dtype::float32, {2, 3}, "weights/0"),
                       TensorRole::parameter,
                       true,
                       "main",
                       {"head.weight"}},
                      {"norm.running_mean",
                       stored(Dtype::float32, {3}, "weights/1"),
                       TensorRole::buffer,
                       false,
                       "main",
                       {}}};
  manifest.golden = {{"forward",
                      Mode::eval,
                      42,
                      {stored(Dtype::float32, {1, 5}, "golden/0/in0"),
                       stored(Dtype::boolean, {1, 2}, "golden/0/in1"),
                       stored(Dtype::float32, {1, 4}, "golden/0/in2")},
                      {stored(Dtype::float32, {1, 3}, "golden/0/out0"),
                       stored(Dtype::float32, {1, 4}, "golden/0/out1")}}};
  return manifest;
}

Contents sample_contents() {
  const Manifest manifest = sample_manifest();
  Contents contents = {{"manifest.json", print_manifest(manifest)},
                       {"code/forward.rir", "graph"},
                       {"code/forward.train.rir", "graph"}};
  const auto add = [&](const StoredTensor& tensor) {
    contents.emplace_back(tensor.entry, data_of(tensor.dtype, tensor.shape, tensor.entry));
  };
  for (const TensorRecord& tensor : manifest.tensors) {
    add(tensor.data);
  }
  for (const GoldenCase& golden : manifest.golden) {
    std::ranges::for_each(golden.inputs, add);
    std::ranges::for_each(golden.outputs, add);
  }
  contents.emplace_back("extra/labels.txt", "zero\none\n");
  return contents;
}

std::vector<std::byte> archive_of(const Contents& contents) {
  MemorySink sink;
  ZipWriter writer(sink);
  for (const auto& [name, data] : contents) {
    writer.add(name, bytes_of(data));
  }
  writer.finish();
  return sink.take();
}

}  // namespace rondo::serialize
