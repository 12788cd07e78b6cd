// Tests of the check of a call against a signature, with every text that users see.
#include "serialize/signature.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/check_error.h"

namespace rondo::serialize {
namespace {

using Shape = std::vector<std::int64_t>;

ValueSpec spec(std::string name, std::initializer_list<const char*> shape,
               Dtype dtype = Dtype::float32) {
  ValueSpec result;
  result.name = std::move(name);
  result.dtype = dtype;
  for (const char* size : shape) {
    result.shape.push_back(Dimension::parse(size));
  }
  return result;
}

// Calls "forward" with float32 values of these shapes.
Bindings call(const std::vector<ValueSpec>& specs, const std::vector<Shape>& shapes) {
  std::vector<ActualValue> values;
  for (const Shape& shape : shapes) {
    values.push_back({Dtype::float32, shape});
  }
  return check_inputs("forward", specs, values);
}

const std::vector<ValueSpec> kImage = {spec("x", {"batch", "1", "28", "28"})};
const std::vector<ValueSpec> kPair = {spec("x", {"batch", "2*seq+1"}),
                                      spec("mask", {"batch", "seq"})};

TEST(CheckInputs, BindsSymbolsAtFirstSight) {
  const Bindings bindings = call(kPair, {{4, 7}, {4, 3}});
  EXPECT_EQ(bindings.find("batch"), 4);
  EXPECT_EQ(bindings.find("seq"), 3);
  EXPECT_EQ(call(kImage, {{0, 1, 28, 28}}).find("batch"), 0);
  EXPECT_TRUE(call({}, {}).all().empty());
  EXPECT_TRUE(call({spec("scalar", {})}, {{}}).all().empty());
}

TEST(CheckInputs, NamesTheInputWhatWasExpectedAndWhatWasGiven) {
  check_error<ShapeError>([] { call(kImage, {{3, 28, 28}}); },
                          "forward: input 'x' is invalid: expected [batch, 1, 28, 28] of float32, "
                          "got [3, 28, 28] of float32");
  check_error<ShapeError>([] { call(kImage, {{3, 1, 28, 27}}); },
                          "forward: input 'x' is invalid: expected [batch, 1, 28, 28] of float32, "
                          "got [3, 1, 28, 27] of float32");
  check_error<ShapeError>([] { call(kImage, {{-3, 1, 28, 28}}); },
                          "forward: input 'x' is invalid: expected [batch, 1, 28, 28] of float32, "
                          "got [-3, 1, 28, 28] of float32");
}

TEST(CheckInputs, NamesTheDtypes) {
  const Shape shape = {3, 1, 28, 28};
  const ActualValue value{Dtype::float64, shape};
  check_error<DtypeError>([&] { check_inputs("forward", kImage, {&value, 1}); },
                          "forward: input 'x' is invalid: expected [batch, 1, 28, 28] of float32, "
                          "got [3, 1, 28, 28] of float64");
}

TEST(CheckInputs, SaysWhereTheSizeOfASymbolComesFrom) {
  check_error<ShapeError>([] { call(kPair, {{4, 8}, {4, 3}}); },
                          "forward: input 'x' is invalid: expected [batch, 2*seq+1] of float32, "
                          "got [4, 8] of float32; seq is 3 (from 'mask')");
  check_error<ShapeError>([] { call(kPair, {{4, 7}, {5, 3}}); },
                          "forward: input 'mask' is invalid: expected [batch, seq] of float32, got "
                          "[5, 3] of float32; batch is 4 (from 'x')");
  check_error<ShapeError>([] { call({spec("x", {"n", "n"})}, {{4, 5}}); },
                          "forward: input 'x' is invalid: expected [n, n] of float32, got [4, 5] "
                          "of float32");
}

TEST(CheckInputs, SaysThatASizeCannotBeComputed) {
  check_error<ShapeError>([] { call({spec("x", {"n", "6//n"})}, {{0, 5}}); },
                          "forward: input 'x' is invalid: expected [n, 6//n] of float32, got "
                          "[0, 5] of float32; dimension '6//n': 6 // 0 divides by zero");
}

TEST(CheckInputs, NamesTheInputsWhenTheirNumberIsWrong) {
  check_error<ArgumentError>([] { call(kPair, {{4, 7}}); },
                             "forward: wrong number of inputs: expected 2 ('x', 'mask'), got 1");
  check_error<ArgumentError>([] { call({}, {{1}}); },
                             "forward: wrong number of inputs: expected 0 (), got 1");
}

TEST(UnboundSymbols, AreThoseThatNeverStandAlone) {
  EXPECT_TRUE(unbound_symbols(kPair).empty());
  const ValueSpec specs[] = {spec("x", {"2*a", "b"}), spec("y", {"b+c"})};
  EXPECT_EQ(unbound_symbols(specs), (std::vector<std::string_view>{"a", "c"}));
}

}  // namespace
}  // namespace rondo::serialize
