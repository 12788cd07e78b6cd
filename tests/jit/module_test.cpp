#include "jit/module.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/ops/all.h"
#include "jit/export.h"
#include "tests/support/check_error.h"
#include "tests/support/tensors.h"

namespace rondo::jit {
namespace {

using test::floats;
using test::values;

/// A small network with weights w and b, exported with a symbolic batch.
std::vector<std::byte> exported_network(std::string* dependence = nullptr) {
  const Tensor w = floats({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor b = floats({2}, {0.5F, -0.5F});
  tracer::TraceRequest request;
  request.function = [&](const std::vector<Tensor>& in) {
    const Tensor h = relu(matmul(in[0], w) + b);
    return std::vector<Tensor>{reshape(softmax(h, 1), Shape{in[0].size(0), 2, 1})};
  };
  request.inputs = {floats({2, 3}, {1, 0, -1, 0.5F, 0.25F, 0})};
  request.dynamic = {{0, 0, "batch"}};
  request.tensors = {{"w", w}, {"b", b}};
  ExportMethod method{tracer::trace(request), request.inputs, {"x"}, {"y"}, serialize::Mode::eval};
  if (dependence != nullptr) {
    *dependence = row_dependence(method.trace, method.inputs, {{"w", w}, {"b", b}});
  }
  serialize::MemorySink sink;
  write_archive(sink, {method}, {{"w", w}, {"b", b}});
  return sink.take();
}

std::shared_ptr<const Module> load_bytes(const std::vector<std::byte>& bytes) {
  const auto owner = std::make_shared<std::vector<std::byte>>(bytes);
  return Module::load(serialize::open_bytes(serialize::Bytes(owner, *owner), "memory"));
}

TEST(Module, RunsWhatWasExportedWithAnotherBatch) {
  const auto module = load_bytes(exported_network());
  Session session(module);
  const Tensor x = floats({4, 3}, {1, 0, -1, 0.5F, 0.25F, 0, 1, 1, 1, -1, 0, 2});
  const std::vector<Tensor> all = session.run("forward", {x});
  EXPECT_EQ(all[0].shape(), (Shape{4, 2, 1}));
  const std::vector<Tensor> alone = session.run("forward", {slice(x, 0, 1, 2, 1)});
  EXPECT_EQ(values(alone[0]), values(slice(all[0], 0, 1, 2, 1)));
  EXPECT_TRUE(module->verify().empty());
}

TEST(Module, KnowsThatRowsDoNotMix) {
  std::string dependence = "unset";
  exported_network(&dependence);
  EXPECT_EQ(dependence, "");
}

TEST(Module, NamesTheInputThatIsWrong) {
  Session session(load_bytes(exported_network()));
  check_error<ShapeError>(
      [&] { session.run("forward", {floats({2, 4}, {0, 0, 0, 0, 0, 0, 0, 0})}); },
      "forward: input 'x' is invalid: expected [batch, 3] of float32, got [2, 4] of float32");
}

TEST(Module, PrintsAGraphThatParses) {
  const auto module = load_bytes(exported_network());
  const std::string text = module->code("forward");
  EXPECT_EQ(print(parse_graph(text)), text);
  EXPECT_NE(text.find("${batch}"), std::string::npos);
}

}  // namespace
}  // namespace rondo::jit
