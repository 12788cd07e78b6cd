#include "tests/serialize/sample_manifest.h"

namespace rondo::serialize {
namespace {

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
                       {Dtype::float32, {2, 3}, "weights/0", 0x1234ABCD},
                       TensorRole::parameter,
                       true,
                       "main",
                       {"head.weight"}},
                      {"norm.running_mean",
                       {Dtype::float32, {3}, "weights/1", 7},
                       TensorRole::buffer,
                       false,
                       "main",
                       {}}};
  manifest.golden = {{"forward",
                      Mode::eval,
                      42,
                      {{Dtype::float32, {1, 5}, "golden/0/in0", 1},
                       {Dtype::boolean, {1, 2}, "golden/0/in1", 2},
                       {Dtype::float32, {1, 4}, "golden/0/in2", 3}},
                      {{Dtype::float32, {1, 3}, "golden/0/out0", 4},
                       {Dtype::float32, {1, 4}, "golden/0/out1", 5}}}};
  return manifest;
}

}  // namespace rondo::serialize
