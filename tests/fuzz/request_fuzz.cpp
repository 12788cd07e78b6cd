// libFuzzer on requests of the server. The first four bytes of an input are the length of the JSON,
// or all ones where nothing follows it.
#include <cstring>
#include <string>

#include "bindings/serve/protocol.h"
#include "core/base/error.h"
#include "core/tensor/allocator.h"
#include "jit/initialize.h"
#include "serialize/signature.h"
#include "tests/fuzz/fuzzer.h"

namespace rondo::fuzz {
namespace {

using serialize::Dimension;
using serialize::ValueSpec;

constexpr std::uint32_t kNoLength = 0xFFFFFFFF;

const serialize::Manifest& manifest() {
  static const serialize::Manifest instance = [] {
    serialize::Manifest made;
    serialize::Method method;
    method.name = "forward";
    const auto value = [](const char* name, Dtype dtype) {
      return ValueSpec{name, dtype, {Dimension::parse("batch"), Dimension(3)}, "cpu"};
    };
    method.inputs = {value("x", Dtype::float32), value("half", Dtype::bfloat16),
                     value("place", Dtype::int64), value("flag", Dtype::boolean)};
    method.outputs = method.inputs;  // answers are made of what was asked
    made.methods = {method, method};
    made.methods[1].name = "other";
    return made;
  }();
  return instance;
}

ByteVector request(const std::string& json, const std::string& binary, bool has_length) {
  const std::uint32_t length = has_length ? static_cast<std::uint32_t>(json.size()) : kNoLength;
  ByteVector bytes(4);
  std::memcpy(bytes.data(), &length, 4);
  const std::string body = json + binary;
  const auto rest = std::as_bytes(std::span(body));
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  return bytes;
}

}  // namespace

std::vector<ByteVector> seeds() {
  const std::string plain = R"({"id":"7","inputs":[
{"name":"x","shape":[1,3],"datatype":"FP32","data":[1,-2.5,1e-3]},
{"name":"half","shape":[1,3],"datatype":"BF16","data":[[1,2,3]]},
{"name":"place","shape":[1,3],"datatype":"INT64","data":[0,-1,9007199254740993]},
{"name":"flag","shape":[1,3],"datatype":"BOOL","data":[true,false,true]}],
"outputs":[{"name":"x","parameters":{"binary_data":true}},{"name":"place"}]})";
  const std::string binary =
      R"({"parameters":{"method":"other","binary_data_output":true},"inputs":[
{"name":"x","shape":[2,3],"datatype":"FP32","parameters":{"binary_data_size":24}},
{"name":"half","shape":[2,3],"datatype":"BF16","parameters":{"binary_data_size":12}},
{"name":"place","shape":[0,3],"datatype":"INT64","data":[]},
{"name":"flag","shape":[2,3],"datatype":"BOOL","parameters":{"binary_data_size":6}}]})";
  return {request(plain, "", false), request(binary, std::string(42, 'b'), true)};
}

void run_one(std::span<const std::byte> bytes) {
  jit::initialize();
  set_memory_limit(std::int64_t{256} << 20);
  if (bytes.size() < 4) {
    return;
  }
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data(), 4);
  const std::string_view body(reinterpret_cast<const char*>(bytes.data()) + 4, bytes.size() - 4);
  is_read([&] {
    const serve::InferRequest request = serve::parse_infer(
        manifest(), body, length == kNoLength ? std::nullopt : std::optional<std::size_t>(length));
    invariant(request.inputs.size() == 4, "a request lacks an input");
    std::vector<serialize::ActualValue> values;
    for (const Tensor& t : request.inputs) {
      values.push_back({t.dtype(), t.shape().span()});
    }
    const serve::InferResponse answer =
        serve::print_infer("fuzz", manifest(), request, request.inputs);
    invariant(answer.json_bytes <= answer.body.size(), "an answer is shorter than its JSON");
    serialize::check_inputs("forward", manifest().methods[0].inputs, values);
  });
}

/// Of the JSON, whose length is made right, or of all bytes.
void mutate_one(ByteVector& bytes, const MutateBytes& mutate, std::mt19937_64& random) {
  std::uint32_t length = 0;
  if (bytes.size() >= 4) {
    std::memcpy(&length, bytes.data(), 4);
  }
  const std::size_t json = length == kNoLength ? bytes.size() - 4 : length;
  if (random() % 4 == 0 || bytes.size() < 4 || json > bytes.size() - 4) {
    mutate(bytes);
    return;
  }
  const auto begin = bytes.begin() + 4;
  const auto end = begin + static_cast<std::ptrdiff_t>(json);
  ByteVector text(begin, end);
  mutate(text);
  const std::string changed(reinterpret_cast<const char*>(text.data()), text.size());
  const std::string rest(reinterpret_cast<const char*>(&*begin) + json, bytes.size() - 4 - json);
  bytes = request(changed, rest, length != kNoLength);
}

}  // namespace rondo::fuzz
