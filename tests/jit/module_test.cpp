#include "jit/session.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/base/error.h"
#include "core/ops/all.h"
#include "jit/export.h"
#include "jit/program.h"
#include "serialize/zip_writer.h"
#include "tests/support/check_error.h"
#include "tests/support/small_archive.h"
#include "tests/support/tensors.h"

namespace rondo::jit {
namespace {

using test::floats;
using test::load_module;
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
  ExportMethod method{tracer::trace(request), request.inputs, {"x"}, {"y"}};
  if (dependence != nullptr) {
    *dependence = row_dependence(method.trace, method.inputs, {{"w", w}, {"b", b}});
  }
  serialize::MemorySink sink;
  write_archive(sink, {method}, {{"w", w}, {"b", b}});
  return sink.take();
}

TEST(Module, RunsWhatWasExportedWithAnotherBatch) {
  const auto module = load_module(exported_network());
  Session session(module);
  const Tensor x = floats({4, 3}, {1, 0, -1, 0.5F, 0.25F, 0, 1, 1, 1, -1, 0, 2});
  const std::vector<Tensor> all = session.run("forward", {x});
  EXPECT_EQ(all[0].shape(), (Shape{4, 2, 1}));
  const std::vector<Tensor> alone = session.run("forward", {slice(x, 0, 1, 2, 1)});
  EXPECT_EQ(values(alone[0]), values(slice(all[0], 0, 1, 2, 1)));
  EXPECT_TRUE(module->verify().empty());
}

/// Why the rows of one function of x, [batch, 4], are not independent, with an example of `rows`.
std::string dependence_of(const std::function<Tensor(const Tensor&)>& function,
                          std::int64_t rows = 2) {
  initialize();
  tracer::TraceRequest request;
  request.function = [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{function(in[0])};
  };
  request.inputs = {reshape(arange(0, rows * 4, 1, Dtype::float32), Shape{rows, 4})};
  request.dynamic = {{0, 0, "batch"}};
  return row_dependence(tracer::trace(request), request.inputs, {});
}

TEST(Module, KnowsThatPartsOfRowsAreOfTheirRow) {
  EXPECT_EQ(dependence_of([](const Tensor& x) { return select(x, 1, 3) + slice(x, 1, 1, 2, 1); }),
            "add may mix rows");  // [batch] and [batch, 1] broadcast against each other
  EXPECT_EQ(dependence_of([](const Tensor& x) { return select(x, 1, 1) * select(x, 1, 3); }), "");
  EXPECT_EQ(dependence_of([](const Tensor& x) { return slice(x, 1, 2, 4, 1) * 2; }), "");
  EXPECT_EQ(dependence_of([](const Tensor& x) { return slice(slice(x, 1, 1, 4, 2), 1, 1, 2, 1); }),
            "");
}

TEST(Module, KnowsThatTensorsMadeOnTheWayAreNoOtherRows) {
  EXPECT_EQ(dependence_of([](const Tensor& x) { return x + ones(Shape{4}, Dtype::float32); }), "");
  EXPECT_EQ(dependence_of(
                [](const Tensor& x) { return matmul(x, full(Shape{4, 2}, 0.5, Dtype::float32)); }),
            "");
}

TEST(Module, KnowsThatRowsMixWhateverTheSizeOfTheExample) {
  const auto whole_sum = [](const Tensor& x) {
    return x + sum(reshape(x, Shape{1, -1}), Ints{1}, true);
  };
  const auto over_halves = [](const Tensor& x) {
    return reshape(softmax(reshape(x, Shape{2, -1}), 1), Shape{-1, 4});
  };
  const auto own_sum = [](const Tensor& x) { return x + sum(x, Ints{1}, true); };
  for (const std::int64_t rows : {1, 2, 3, 4}) {
    EXPECT_EQ(dependence_of(whole_sum, rows), "reshape may mix rows") << rows;
    EXPECT_EQ(dependence_of(own_sum, rows), "") << rows;
  }
  EXPECT_EQ(dependence_of(over_halves, 2), "reshape may mix rows");
  EXPECT_EQ(dependence_of(over_halves, 4), "reshape may mix rows");
}

TEST(Module, KnowsThatRowsDoNotMix) {
  std::string dependence = "unset";
  exported_network(&dependence);
  EXPECT_EQ(dependence, "");
}

TEST(Module, NamesTheInputThatIsWrong) {
  Session session(load_module(exported_network()));
  check_error<ShapeError>(
      [&] { session.run("forward", {floats({2, 4}, {0, 0, 0, 0, 0, 0, 0, 0})}); },
      "forward: input 'x' is invalid: expected [batch, 3] of float32, got [2, 4] of float32");
}

TEST(Graph, InPlaceCallsAndCallsWithoutGradientsPrintAndParse) {
  initialize();
  const std::string text =
      "method step 1\n"
      "%1 = no_grad lerp_(@\"mean\", %0, 0.1)\n"
      "%2 = no_grad clone(%0)\n"
      "%3 = add(%2, @\"mean\")\n"
      "return %3\n";
  const Graph graph = parse_graph(text);
  EXPECT_TRUE(graph.nodes[0].in_place && graph.nodes[0].no_grad);
  EXPECT_FALSE(graph.nodes[2].in_place || graph.nodes[2].no_grad);
  EXPECT_EQ(print(graph), text);
  check_error<FormatError>(
      [] { parse_graph("method f 1\n%1 = matmul_(%0, %0)\nreturn %1\n"); },
      "graph: line 2: expected an op with an in-place form at '(%0, %0)\nreturn %1\n'");
}

TEST(Graph, CondWhileLoopAndScanAreReserved) {
  initialize();
  for (const std::string name : {"cond", "while_loop", "scan"}) {
    check_error<FormatError>(
        [&] { parse_graph("method f 1\n%1 = " + name + "(%0)\nreturn %1\n"); },
        "graph: line 2: unknown op '" + name + "'; a newer runtime may have it");
    OpInfo info;
    info.name = name;
    check_error<ArgumentError>(
        [&] { OpTable::instance().add(info); },
        "register op: the name '" + name + "' is reserved for nodes with regions; use another one");
  }
}

TEST(Program, WritesNothingThatIsNotDeclaredToBeWritten) {
  initialize();
  const auto compiled = [](const std::string& call) {
    ProgramContext context{
        "code/f.rir", [](const std::string& name) { return name == "b" ? 0 : 1; }, {true, false}};
    compile(parse_graph("method f 1\n%1 = " + call + "\nreturn %1\n"), context);
  };
  compiled("add_(@\"b\", %0)");
  compiled("sgd_step(@\"b\", %0, 0.1, 0.0; False)");
  const std::string fault = " writes its operand 0, which is not among mutable_buffers";
  check_error<FormatError>([&] { compiled("add_(%0, @\"b\")"); }, "load: code/f.rir: add" + fault);
  check_error<FormatError>([&] { compiled("add_(@\"w\", %0)"); }, "load: code/f.rir: add" + fault);
  check_error<FormatError>([&] { compiled("sgd_step(%0, %0, 0.1, 0.0; False)"); },
                           "load: code/f.rir: sgd_step" + fault);
}

TEST(Session, HasBuffersOfItsOwnAndASeedOfItsOwn) {
  const Tensor mean = floats({2}, {0, 0});
  tracer::TraceRequest request;
  request.function = [&](const std::vector<Tensor>& in) {
    lerp.in_place(mean, in[0], 0.5);
    return std::vector<Tensor>{dropout(in[0], 0.5) + mean};
  };
  request.inputs = {floats({2}, {2, 4})};
  request.tensors = {{"mean", mean, true}};
  ExportMethod method{tracer::trace(request), request.inputs, {"x"}, {"y"}};
  EXPECT_EQ(values(mean), (std::vector<double>{0, 0}));
  serialize::MemorySink sink;
  write_archive(sink, {method}, {{"mean", mean, serialize::TensorRole::buffer}});
  const auto module = load_module(sink.take());
  EXPECT_TRUE(module->verify().empty());
  EXPECT_EQ(module->body("forward", serialize::Mode::eval).row_dependence,
            "it writes the buffer 'mean'");
  Session first(module);
  Session second(module);
  const std::vector<double> y = values(first.run("forward", request.inputs)[0]);
  EXPECT_EQ(values(first.tensor("mean")), (std::vector<double>{1, 2}));
  EXPECT_EQ(values(second.tensor("mean")), (std::vector<double>{0, 0}));
  default_generator().seed(7);
  first.run("forward", request.inputs);
  EXPECT_EQ(values(second.run("forward", request.inputs)[0]), y);
  EXPECT_EQ(default_generator().state().offset, 0);
}

TEST(Session, EndsARunThatIsCancelledLateOrAbandoned) {
  Session session(load_module(exported_network()));
  const std::vector<Tensor> inputs{floats({1, 3}, {1, 2, 3})};
  RunOptions options;
  options.finish = true;
  options.abandoned = [&] {
    session.cancel();
    return false;
  };
  check_error<CancelledError>([&] { session.run("forward", inputs, options); },
                              "run: 'forward' was cancelled");
  options.abandoned = [] { return true; };
  check_error<CancelledError>([&] { session.run("forward", inputs, options); },
                              "run: 'forward' was ended: nobody waits for its results");
  options.abandoned = nullptr;
  options.deadline = std::chrono::steady_clock::now();
  check_error<DeadlineError>([&] { session.run("forward", inputs, options); },
                             "run: 'forward' was ended: its deadline has passed");
  options.deadline = *options.deadline + std::chrono::minutes(1);
  EXPECT_EQ(values(session.run("forward", inputs, options)[0]),
            values(session.run("forward", inputs)[0]));
}

TEST(Module, RefusesAnArchiveWithEntriesThatItsManifestDoesNotName) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(exported_network());
  const serialize::ZipReader reader(
      serialize::open_bytes(serialize::Bytes(bytes, *bytes), "memory"));
  serialize::MemorySink sink;
  serialize::ZipWriter zip(sink);
  for (const serialize::ZipEntry& entry : reader.entries()) {
    zip.add(entry.name, reader.read_verified(entry).view());
  }
  zip.add("weights/hidden", {});
  zip.finish();
  check_error<FormatError>(
      [&] { load_module(sink.bytes()); },
      "archive 'memory': entry 'weights/hidden': the manifest does not name it");
}

TEST(Module, PrintsAGraphThatParses) {
  const auto module = load_module(exported_network());
  const std::string text = module->code("forward");
  EXPECT_EQ(print(parse_graph(text)), text);
  EXPECT_NE(text.find("${batch}"), std::string::npos);
}

}  // namespace
}  // namespace rondo::jit
