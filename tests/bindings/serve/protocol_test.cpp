#include "bindings/serve/protocol.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "jit/module.h"
#include "tests/support/check_error.h"
#include "tests/support/small_archive.h"
#include "tests/support/tensors.h"

namespace rondo::serve {
namespace {

const serialize::Manifest& manifest() {
  static const auto module = test::small_module();
  return module->manifest();
}

InferRequest parse(const std::string& body) {
  return parse_infer(manifest(), body, std::nullopt);
}

/// A request for `x` with these fields behind its name.
std::string with_input(const std::string& fields) {
  return R"({"inputs":[{"name":"x",)" + fields + "}]}";
}

void check_input_error(const std::string& fields, const std::string& text) {
  check_error<FormatError>([&] { parse(with_input(fields)); }, text);
}

TEST(Protocol, ReadsFlatAndNestedLists) {
  for (const char* data : {"[1,2,3,4,5,6.5]", "[[1,2,3],[4,5,6.5]]"}) {
    const InferRequest request =
        parse(with_input(R"("shape":[2,3],"datatype":"FP32","data":)" + std::string(data)));
    EXPECT_EQ(request.method, "forward");
    EXPECT_EQ(request.inputs[0].shape(), (Shape{2, 3}));
    EXPECT_EQ(test::values(request.inputs[0]), (std::vector<double>{1, 2, 3, 4, 5, 6.5}));
    ASSERT_EQ(request.outputs.size(), 1U);
    EXPECT_FALSE(request.outputs[0].binary);
  }
}

TEST(Protocol, ReadsEmptyBatches) {
  const InferRequest request = parse(with_input(R"("shape":[0,3],"datatype":"FP32","data":[])"));
  EXPECT_EQ(request.inputs[0].shape(), (Shape{0, 3}));
}

TEST(Protocol, ReadsBinaryData) {
  const std::string json =
      with_input(R"("shape":[1,3],"datatype":"FP32","parameters":{"binary_data_size":12})");
  const float values[] = {1, -2, std::numeric_limits<float>::infinity()};
  std::string body = json;
  body.append(reinterpret_cast<const char*>(values), 12);
  const InferRequest request = parse_infer(manifest(), body, json.size());
  EXPECT_EQ(std::memcmp(request.inputs[0].data(), values, 12), 0);
  check_error<FormatError>([&] { parse_infer(manifest(), body + "x", json.size()); },
                           "request: 1 bytes follow the binary data that the inputs name");
  check_error<FormatError>(
      [&] { parse_infer(manifest(), json + "1234", json.size()); },
      "request: inputs[0].parameters.binary_data_size: it is 12; 4 bytes of binary data are left "
      "behind the JSON, whose length the header Inference-Header-Content-Length tells");
  check_error<FormatError>([&] { parse_infer(manifest(), json, 1000); },
                           "request: Inference-Header-Content-Length is 1000; the body has " +
                               std::to_string(json.size()) + " bytes");
}

TEST(Protocol, NamesTheFieldOfAWrongCount) {
  check_input_error(R"("shape":[2,3],"datatype":"FP32","data":[1,2,3,4,5])",
                    "request: inputs[0].data: it has 5 elements; shape [2, 3] needs 6");
  check_input_error(
      R"("shape":[2,3],"datatype":"FP32","data":[[1,2,3],[4,5]])",
      "request: inputs[0].data: a list along axis 1 has 2 elements; shape [2, 3] needs 3");
  check_input_error(
      R"("shape":[1,3],"datatype":"FP32","parameters":{"binary_data_size":8})",
      "request: inputs[0].parameters.binary_data_size: it is 8; shape [1, 3] of FP32 needs 12");
}

TEST(Protocol, NamesTheElementOutOfRange) {
  check_input_error(R"("shape":[2],"datatype":"UINT8","data":[1,300])",
                    "request: inputs[0].data: element 1 is 300; UINT8 takes a whole number from 0 "
                    "to 255");
  check_input_error(R"("shape":[1],"datatype":"INT32","data":[1.5])",
                    "request: inputs[0].data: element 0 is 1.5; INT32 takes a whole number from "
                    "-2147483648 to 2147483647");
  check_input_error(
      R"("shape":[1],"datatype":"FP32","data":[1e39])",
      "request: inputs[0].data: element 0 is 1e+39; FP32 takes a number in its range");
  check_input_error(R"("shape":[1],"datatype":"BOOL","data":[2])",
                    "request: inputs[0].data: element 0 is 2; BOOL takes true, false, 0 or 1");
  check_input_error(R"("shape":[1],"datatype":"FP32","data":["a"])",
                    "request: inputs[0].data: element 0 is \"a\"; FP32 takes a number");
  check_input_error(R"("shape":[2],"datatype":"FP64","data":[0,1e400])",
                    "request: inputs[0].data[1]: number overflow parsing '1e400'");
}

TEST(Protocol, NamesTheFieldOfAWrongShapeOrDatatype) {
  check_input_error(R"("shape":[1],"datatype":"FP16","data":[1])",
                    "request: inputs[0].data: FP16 has no JSON form; send it as binary data, with "
                    "binary_data_size");
  check_input_error(R"("shape":[1],"datatype":"FP33","data":[1])",
                    "request: inputs[0].datatype: expected one of BOOL, UINT8, INT8, INT16, INT32, "
                    "INT64, FP16, BF16, FP32, FP64, got FP33");
  check_input_error(R"("shape":[1,1,1,1,1,1,1,1,1],"datatype":"FP32","data":[1])",
                    "request: inputs[0].shape: it has 9 axes; at most 8");
  check_input_error(
      R"("shape":[-1],"datatype":"FP32","data":[1])",
      "request: inputs[0].shape[0]: expected an integer from 0 to 9223372036854775807, got -1");
  check_error<ShapeError>(
      [&] {
        parse(with_input(
            R"("shape":[4294967296,4294967296,4294967296],"datatype":"FP32","data":[1])"));
      },
      "request: inputs[0].shape: too many elements: [4294967296, 4294967296, 4294967296]; the "
      "count "
      "must stay below 2^59");
  check_input_error(R"("shape":[1,1000000000000],"datatype":"FP32","data":[[1]])",
                    "request: inputs[0].data: it has 1 elements; shape [1, 1000000000000] needs "
                    "1000000000000");
}

TEST(Protocol, NamesInputsAndOutputsThatAreUnknownMissingOrTwice) {
  const std::string x = R"({"name":"x","shape":[1],"datatype":"FP32","data":[1]})";
  check_error<FormatError>([&] { parse(R"({"inputs":[]})"); },
                           "request: inputs: input 'x' is missing");
  check_error<FormatError>([&] { parse(R"({"inputs":[)" + x + "," + x + "]}"); },
                           "request: inputs[1].name: 'x' appears twice");
  check_error<FormatError>(
      [&] { parse(R"({"inputs":[{"name":"z","shape":[1],"datatype":"FP32","data":[1]}]})"); },
      "request: inputs[0].name: there is no 'z'; expected x");
  check_error<FormatError>([&] { parse(R"({"inputs":[)" + x + R"(],"outputs":[{"name":"q"}]})"); },
                           "request: outputs[0].name: there is no 'q'; expected y");
  check_error<FormatError>(
      [&] { parse(R"({"parameters":{"method":"f"},"inputs":[]})"); },
      "request: parameters.method: there is no method 'f'; the archive has forward");
}

TEST(Protocol, PrintsElementsThatParseToTheSameBits) {
  InferRequest request;
  request.id = "seven";
  request.method = "forward";
  request.outputs = {{0, false}};
  const InferResponse response =
      print_infer("m", manifest(), request, {test::floats({1, 4}, {0.1F, -0.0F, 1e30F, 3})});
  EXPECT_EQ(response.json_bytes, 0U);
  EXPECT_EQ(response.body,
            R"({"model_name":"m","model_version":"1","id":"seven","outputs":[{"name":"y",)"
            R"("datatype":"FP32","shape":[1,4],"data":[0.1,-0.0,1e+30,3]}]})");
}

TEST(Protocol, RecommendsBinaryDataForWhatIsNotFinite) {
  InferRequest request;
  request.method = "forward";
  request.outputs = {{0, false}};
  const Tensor nan = test::floats({2}, {0, std::numeric_limits<float>::quiet_NaN()});
  check_error<ArgumentError>([&] { print_infer("m", manifest(), request, {nan}); },
                             "infer: output 'y': element 1 is nan, which JSON cannot hold; ask for "
                             "it with binary_data");
  request.outputs = {{0, true}};
  const InferResponse response = print_infer("m", manifest(), request, {nan});
  EXPECT_EQ(response.body.substr(0, response.json_bytes),
            R"({"model_name":"m","model_version":"1","outputs":[{"name":"y","datatype":"FP32",)"
            R"("shape":[2],"parameters":{"binary_data_size":8}}]})");
  EXPECT_EQ(std::memcmp(response.body.data() + response.json_bytes, nan.data(), 8), 0);
}

TEST(Protocol, TellsReadinessAsJsonWhateverTheModelIsCalled) {
  EXPECT_EQ(print_readiness("m", false), R"({"name":"m","ready":false})");
  EXPECT_EQ(print_readiness(R"(a"b\c)", true), R"({"name":"a\"b\\c","ready":true})");
}

TEST(Protocol, DescribesTheModel) {
  EXPECT_EQ(print_model_metadata("m", manifest()),
            R"({"name":"m","versions":["1"],"platform":"rondo",)"
            R"("inputs":[{"name":"x","datatype":"FP32","shape":[-1,3]}],)"
            R"("outputs":[{"name":"y","datatype":"FP32","shape":[-1,2]}],)"
            R"("methods":[{"name":"forward",)"
            R"("inputs":[{"name":"x","datatype":"FP32","shape":[-1,3]}],)"
            R"("outputs":[{"name":"y","datatype":"FP32","shape":[-1,2]}]}]})");
}

}  // namespace
}  // namespace rondo::serve
