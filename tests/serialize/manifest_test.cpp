// Tests of the manifest: its JSON, and every reason to refuse one, with its text.
#include "serialize/manifest.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/serialize/sample_archive.h"
#include "tests/support/check_error.h"

namespace rondo::serialize {
namespace {

// A place in a value: field names and list indices.
using Path = std::vector<std::variant<const char*, std::size_t>>;

Json& at(Json& json, const Path& path) {
  Json* place = &json;
  for (const auto& step : path) {
    if (const auto* name = std::get_if<const char*>(&step)) {
      place = place->find(*name);
    } else {
      place = &std::get<Json::List>(place->value()).at(std::get<std::size_t>(step));
    }
    if (place == nullptr) {
      throw std::out_of_range("no such field");
    }
  }
  return *place;
}

// The error for the sample with one value replaced.
void expect_refused(const Path& path, Json value, const std::string& fault) {
  Json json = parse_json(print_manifest(sample_manifest()), "sample", {.max_bytes = 100'000});
  at(json, path) = std::move(value);
  check_error<FormatError>([&] { parse_manifest(print_json(json, false)); }, "manifest: " + fault);
}

// The error for the sample after a change.
template <class Change>
void expect_unsavable(Change change, const std::string& fault) {
  Manifest manifest = sample_manifest();
  change(manifest);
  check_error<ArgumentError>([&] { print_manifest(manifest); }, "save: manifest: " + fault);
}

constexpr std::size_t kFirst = 0;
constexpr std::size_t kSecond = 1;

TEST(Manifest, ReadsWhatItPrints) {
  const Manifest manifest = sample_manifest();
  const std::string text = print_manifest(manifest);
  EXPECT_EQ(parse_manifest(text), manifest);
  EXPECT_EQ(print_manifest(parse_manifest(text)), text);
}

TEST(Manifest, IsReadableByPeople) {
  Manifest manifest;
  manifest.runtime = "0.1.0";
  manifest.producer = "test";
  manifest.devices = {{"main", "cpu"}};
  Method method;
  method.name = "forward";
  method.inputs = {{"x", Dtype::float32, {Dimension::symbol("batch"), 28}, "main"}};
  Body body;
  body.modes = {Mode::eval, Mode::train};
  body.code = "code/forward.rir";
  method.bodies = {body};
  manifest.methods = {method};
  EXPECT_EQ(print_manifest(manifest), R"({
 "format_version": 1,
 "runtime": "0.1.0",
 "producer": "test",
 "numerics": "exact",
 "ops": {},
 "devices": [
  {
   "name": "main",
   "kind": "cpu"
  }
 ],
 "methods": [
  {
   "name": "forward",
   "inputs": [
    {
     "name": "x",
     "dtype": "float32",
     "shape": ["batch", 28],
     "device": "main"
    }
   ],
   "outputs": [],
   "state": [],
   "bodies": [
    {
     "modes": ["eval", "train"],
     "code": "code/forward.rir",
     "guards": [],
     "row_independent": true,
     "mutable_buffers": []
    }
   ]
  }
 ],
 "tensors": [],
 "golden": []
}
)");
}

TEST(Manifest, NamesTheFieldThatIsWrong) {
  const Path input = {"methods", kFirst, "inputs", kSecond};
  const auto in_input = [&](const char* field) {
    Path path = input;
    path.emplace_back(field);
    return path;
  };
  expect_refused(in_input("shape"), "x", "methods[0].inputs[1].shape: expected a list, got 'x'");
  expect_refused(in_input("shape"), Json::List{"a+"},
                 "methods[0].inputs[1].shape[0]: dimension: cannot read 'a+' at character 3; "
                 "expected a number, a name or '('");
  expect_refused(in_input("shape"), Json::List{-1},
                 "methods[0].inputs[1].shape[0]: expected an integer from 0 to "
                 "9223372036854775807, got -1");
  expect_refused(in_input("shape"), Json::List{1, 1, 1, 1, 1, 1, 1, 1, 1},
                 "methods[0].inputs[1].shape: expected at most 8 dimensions, got 9");
  expect_refused(in_input("dtype"), "float33",
                 "methods[0].inputs[1].dtype: expected a dtype, got 'float33'");
  expect_refused(in_input("name"), "",
                 "methods[0].inputs[1].name: expected 1 to 512 bytes without control characters, "
                 "got ''");
  expect_refused(in_input("name"), "a\nb",
                 "methods[0].inputs[1].name: expected 1 to 512 bytes without control characters, "
                 "got 'a\\x0ab'");
  expect_refused(input, Json::Object{{"name", "x"}, {"hook", "y"}},
                 "methods[0].inputs[1]: the field 'hook' is unknown");
  expect_refused(input, Json::Object{{"name", "x"}},
                 "methods[0].inputs[1]: the field 'dtype' is missing");
  expect_refused({"numerics"}, "exakt", "numerics: expected one of exact, fast, got 'exakt'");
  expect_refused({"ops", "add"}, 0, "ops.add: expected an integer from 1 to 1000000, got 0");
  expect_refused({"devices", kFirst, "kind"}, "tpu",
                 "devices[0].kind: expected one of cpu, cuda, got 'tpu'");
  expect_refused({"golden", kFirst, "seed"}, 0.5, "golden[0].seed: expected an integer, got 0.5");
}

TEST(Manifest, RefusesWrongBodies) {
  const auto in_body = [](const char* field) {
    return Path{"methods", kFirst, "bodies", kFirst, field};
  };
  const std::string place = "methods[0].bodies[0].";
  expect_refused(in_body("code"), "weights/0",
                 place + "code: expected an entry below code/, got 'weights/0'");
  expect_refused(in_body("code"), "code/../x",
                 place + "code: the name has a part that is empty, '.' or '..': 'code/../x'");
  expect_refused(in_body("row_independent"), false,
                 place + "row_independent: expected true or the reason why not, got false");
  expect_refused(in_body("modes"), Json::List{"eval", "test"},
                 place + "modes[1]: expected one of eval, train, got 'test'");
  expect_refused(in_body("modes"), Json::List{}, "a body of method 'forward' is for no mode");
  expect_refused(in_body("modes"), Json::List{"train"},
                 "method 'forward' has two bodies for train");
  expect_refused(in_body("mutable_buffers"), Json::List{"embed.weight"},
                 "method 'forward' writes 'embed.weight', which is not a buffer");
  expect_refused({"methods", kFirst, "bodies", kSecond, "row_independent"}, true,
                 "method 'forward' is marked row-independent but draws random numbers or writes "
                 "buffers");
  expect_refused({"methods", kFirst, "bodies", kSecond, "rng"}, "mt19937",
                 "methods[0].bodies[1].rng: expected one of philox4x32-10, got 'mt19937'");
  expect_refused({"methods", kFirst, "bodies"}, Json::List{}, "method 'forward' has no body");
}

TEST(Manifest, RefusesWrongTensors) {
  const auto in_tensor = [](const char* field) { return Path{"tensors", kFirst, field}; };
  expect_refused(in_tensor("crc32"), "1234abcD",
                 "tensors[0].crc32: expected 8 hexadecimal digits, got '1234abcD'");
  expect_refused(in_tensor("shape"), Json::List{std::int64_t{1} << 62, 4},
                 "tensors[0].shape: a tensor must be smaller than 2^60 bytes");
  expect_refused(in_tensor("shape"), Json::List{-1},
                 "tensors[0].shape[0]: expected an integer from 0 to 9223372036854775807, got -1");
  expect_refused(in_tensor("entry"), "/etc/passwd",
                 "tensors[0].entry: the name is absolute: '/etc/passwd'");
  expect_refused(in_tensor("entry"), "weights/1", "the tensor entry 'weights/1' appears twice");
  expect_refused(in_tensor("device"), "gpu",
                 "the tensor 'embed.weight' is on device slot 'gpu', which is not declared");
  expect_refused(in_tensor("dtype"), "int32",
                 "the tensor 'embed.weight' requires a gradient but is not a floating-point "
                 "parameter");
  expect_refused(in_tensor("aliases"), Json::List{"norm.running_mean"},
                 "the tensor 'norm.running_mean' appears twice");
}

TEST(Manifest, RefusesPartsThatDoNotFitTogether) {
  expect_unsavable([](Manifest& m) { m.methods.push_back(m.methods[0]); },
                   "the method 'forward' appears twice");
  expect_unsavable([](Manifest& m) { m.ops.push_back(m.ops[0]); },
                   "the key 'add' appears twice in an object");
  expect_unsavable([](Manifest& m) { m.devices.push_back(m.devices[0]); },
                   "the device slot 'main' appears twice");
  expect_unsavable([](Manifest& m) { m.methods[0].inputs[1].name = "x"; },
                   "the input 'x' of method 'forward' appears twice");
  expect_unsavable([](Manifest& m) { m.methods[0].outputs[0].device = "gpu"; },
                   "the output 'y' of method 'forward' is on device slot 'gpu', which is not "
                   "declared");
  expect_unsavable([](Manifest& m) { m.methods[0].inputs[1].shape[1] = 5; },
                   "the symbol 'seq' of method 'forward' is never an input dimension by itself");
  expect_unsavable([](Manifest& m) { m.methods[0].state[0].output = "z"; },
                   "the state 'z' -> 'cache' of method 'forward' names no output and input");
  expect_unsavable([](Manifest& m) { m.methods[0].outputs[1].dtype = Dtype::float16; },
                   "the state 'new_cache' -> 'cache' of method 'forward' joins [batch, 4] of "
                   "float16 and [batch, 4] of float32");
  expect_unsavable([](Manifest& m) { m.methods[0].state.push_back(m.methods[0].state[0]); },
                   "the state input 'cache' of method 'forward' appears twice");
  expect_unsavable([](Manifest& m) { m.golden[0].method = "backward"; },
                   "golden[0] is for method 'backward', which does not exist");
  expect_unsavable(
      [](Manifest& m) {
        m.golden[0].mode = Mode::train;
        m.methods[0].bodies.pop_back();
      },
      "golden[0] is for train, for which method 'forward' has no body");
  expect_unsavable([](Manifest& m) { m.golden[0].inputs.pop_back(); },
                   "golden[0] has 2 inputs and 2 outputs; method 'forward' has 3 and 2");
}

TEST(Manifest, LimitsHowManyPartsThereAre) {
  expect_unsavable([](Manifest& m) { m.methods.resize(1025, m.methods[0]); },
                   "too many methods: 1025; the limit is 1024");
  expect_unsavable([](Manifest& m) { m.golden.resize(1025, m.golden[0]); },
                   "too many golden cases: 1025; the limit is 1024");
  expect_unsavable(
      [](Manifest& m) {
        for (int i = 0; i < 4095; ++i) {
          m.ops.push_back({"op" + std::to_string(i), 1});
        }
      },
      "too many ops: 4097; the limit is 4096");
  expect_unsavable([](Manifest& m) { m.methods[0].inputs.resize(1025, m.methods[0].inputs[0]); },
                   "too many inputs of method 'forward': 1025; the limit is 1024");
  expect_unsavable(
      [](Manifest& m) {
        for (int i = 0; i < 255; ++i) {
          m.methods[0].inputs.push_back(m.methods[0].inputs[0]);
          m.methods[0].inputs.back().shape = {Dimension::symbol("s" + std::to_string(i))};
        }
      },
      "too many symbols in the shapes of method 'forward': 257; the limit is 256");
}

TEST(Manifest, RefusesTextThatIsTooLongOrNoObject) {
  check_error<FormatError>([] { parse_manifest("[]"); },
                           "manifest: expected an object, got a list");
  check_error<FormatError>([] { parse_manifest(std::string((16U << 20) + 1, ' ')); },
                           "manifest: too long: 16777217 bytes; the limit is 16777216");
}

}  // namespace
}  // namespace rondo::serialize
