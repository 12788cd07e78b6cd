#include "tests/support/small_archive.h"

#include <cstring>

#include "core/ops/all.h"
#include "jit/export.h"
#include "jit/module.h"
#include "tests/support/tensors.h"

namespace rondo::test {
namespace {

std::vector<std::byte> exported(const tracer::TraceRequest& request, const char* input,
                                const std::vector<jit::ExportTensor>& tensors) {
  const jit::ExportMethod method{tracer::trace(request), request.inputs, {input}, {"y"}};
  serialize::MemorySink sink;
  jit::write_archive(sink, {method}, tensors);
  return sink.take();
}

}  // namespace

std::shared_ptr<const jit::Module> load_module(const std::vector<std::byte>& bytes) {
  const auto owner = std::make_shared<std::vector<std::byte>>(bytes);
  return jit::Module::load(serialize::open_bytes(serialize::Bytes(owner, *owner), "memory"));
}

std::vector<std::byte> small_archive() {
  const Tensor w = floats({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor b = floats({2}, {0.5F, -0.5F});
  tracer::TraceRequest request;
  request.function = [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{relu(matmul(in[0], w) + b)};
  };
  request.inputs = {floats({2, 3}, {1, 0, -1, 0.5F, 0.25F, 0})};
  request.dynamic = {{0, 0, "batch"}};
  request.tensors = {{"w", w}, {"b", b}};
  return exported(request, "x", {{"w", w}, {"b", b}});
}

std::shared_ptr<const jit::Module> small_module() {
  return load_module(small_archive());
}

std::vector<std::byte> slow_archive() {
  const Tensor w = floats({kSlowWidth, kSlowWidth},
                          std::vector<float>(kSlowWidth * kSlowWidth, 1.0F / kSlowWidth));
  tracer::TraceRequest request;
  request.function = [&](const std::vector<Tensor>& in) {
    Tensor x = in[0];
    for (int i = 0; i < kSlowSteps; ++i) {
      x = matmul(x, w);
    }
    return std::vector<Tensor>{x};
  };
  request.inputs = {floats({2, kSlowWidth}, std::vector<float>(2 * kSlowWidth, 1.0F))};
  request.dynamic = {{0, 0, "batch"}};
  request.tensors = {{"w", w}};
  return exported(request, "x", {{"w", w}});
}

std::shared_ptr<const jit::Module> doubling_module() {
  tracer::TraceRequest request;
  request.function = [](const std::vector<Tensor>& in) { return std::vector<Tensor>{in[0] * 2}; };
  request.inputs = {floats({2, 3}, {1, 2, 3, 4, 5, 6})};
  request.dynamic = {{0, 0, "batch"}, {0, 1, "n"}};
  return load_module(exported(request, "x", {}));
}

std::shared_ptr<const jit::Module> random_module() {
  const Tensor w = floats({8, 8}, [] {
    std::vector<float> elements;
    for (int i = 0; i < 64; ++i) {
      elements.push_back(static_cast<float>(i * 37 % 23 - 11) / 16);
    }
    return elements;
  }());
  tracer::TraceRequest request;
  request.function = [&](const std::vector<Tensor>& in) {
    const Tensor h = dropout(tanh(matmul(in[0], w) + 0.5), 0.25);
    return std::vector<Tensor>{softmax(matmul(h, w) * h, 1)};
  };
  request.inputs = {floats({2, 8}, std::vector<float>(16, 0.5F))};
  request.dynamic = {{0, 0, "batch"}};
  request.tensors = {{"w", w}};
  return load_module(exported(request, "x", {{"w", w}}));
}

std::vector<std::byte> mixing_archive() {
  tracer::TraceRequest request;
  request.function = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[0] / sum(in[0], 0)};
  };
  request.inputs = {floats({2, 3}, {1, 2, 3, 4, 5, 6})};
  request.dynamic = {{0, 0, "batch"}};
  return exported(request, "x", {});
}

std::shared_ptr<const jit::Module> mixing_module() {
  return load_module(mixing_archive());
}

std::shared_ptr<const jit::Module> table_module() {
  const Tensor table = floats({4, 2}, {0, 1, 10, 11, 20, 21, 30, 31});
  const Tensor indices = Tensor::empty({2}, Dtype::int64);
  std::memset(indices.data(), 0, 16);
  tracer::TraceRequest request;
  request.function = [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{index_select(table, 0, in[0])};
  };
  request.inputs = {indices};
  request.dynamic = {{0, 0, "batch"}};
  request.tensors = {{"table", table}};
  return load_module(exported(request, "i", {{"table", table}}));
}

}  // namespace rondo::test
