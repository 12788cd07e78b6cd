// Tests of safetensors files: round trips, a file of the reference library, every refusal.
#include "serialize/safetensors.h"

#include <gtest/gtest.h>

#include <tuple>

#include "core/base/error.h"
#include "tests/serialize/archive_bytes.h"
#include "tests/serialize/files.h"
#include "tests/serialize/raw_zip.h"
#include "tests/support/check_error.h"

namespace rondo::serialize {
namespace {

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string file_of(std::span<const TensorView> tensors, const Metadata& metadata) {
  MemorySink sink;
  write_safetensors(sink, tensors, metadata);
  return text_of(sink.bytes());
}

// A file with this header and this data.
std::string raw_file(const std::string& header, const std::string& data) {
  return u64(header.size()) + header + data;
}

void expect_refused(const std::string& header, const std::string& data, const std::string& fault) {
  check_error<FormatError>([&] { read_safetensors(*source_of(raw_file(header, data))); },
                           "safetensors 'test': " + fault);
}

TEST(Safetensors, ReadsWhatItWrites) {
  const std::string data = "0123456789abcdef0123456789abcdef";
  const std::vector<TensorView> tensors = {
      {"b.flag", Dtype::boolean, {}, bytes_of("\1")},
      {"a.weight", Dtype::float32, {2, 3}, bytes_of(std::string_view(data).substr(0, 24))},
      {"a.ids", Dtype::int64, {4}, bytes_of(data)},
      {"a.half", Dtype::bfloat16, {1, 1}, bytes_of("xy")},
      {"empty", Dtype::float16, {0, 3}, {}}};
  const Metadata metadata = {{"format", "rondo"}, {"note", "\"quoted\"\n"}};
  const std::string file = file_of(tensors, metadata);
  const SafetensorsFile read = read_safetensors(*source_of(file));
  EXPECT_EQ(read.metadata, metadata);
  ASSERT_EQ(read.tensors.size(), tensors.size());
  const int order[] = {2, 1, 3, 4, 0};
  std::size_t place = 0;
  for (const int i : order) {
    const TensorView& found = read.tensors[place++];
    const TensorView& written = tensors[static_cast<std::size_t>(i)];
    EXPECT_EQ(found.name, written.name);
    EXPECT_EQ(found.dtype, written.dtype);
    EXPECT_EQ(found.shape, written.shape);
    EXPECT_EQ(text_of(found.data), text_of(written.data));
  }
}

TEST(Safetensors, AlignsEachTensorToItsElements) {
  const TemporaryFolder folder;
  const std::vector<TensorView> tensors = {{"a", Dtype::uint8, {3}, bytes_of("abc")},
                                           {"b", Dtype::float64, {1}, bytes_of("12345678")},
                                           {"c", Dtype::float32, {1}, bytes_of("1234")},
                                           {"d", Dtype::float64, {1}, bytes_of("12345678")}};
  write_safetensors(*replace_file(file_in(folder, "x")), tensors, {});
  const auto source = open_file(file_in(folder, "x"));
  const SafetensorsFile file = read_safetensors(*source);
  EXPECT_EQ((file.bytes.data() - source->read(0, 1).data()) % 64, 0);
  for (const TensorView& tensor : file.tensors) {
    const auto address = reinterpret_cast<std::uintptr_t>(tensor.data.data());
    EXPECT_EQ(address % static_cast<std::size_t>(dtype_bits(tensor.dtype) / 8), 0U) << tensor.name;
  }
}

TEST(Safetensors, WritesTheSameBytesWhateverTheOrderOfTheTensors) {
  const TensorView a{"a", Dtype::uint8, {1}, bytes_of("a")};
  const TensorView b{"b", Dtype::uint8, {1}, bytes_of("b")};
  EXPECT_EQ(file_of(std::vector{a, b}, {}), file_of(std::vector{b, a}, {}));
}

TEST(Safetensors, AFlippedBitIsRefusedOrHarmlessWhereverItIs) {
  const std::vector<TensorView> tensors = {
      {"weight", Dtype::float32, {2, 3}, bytes_of("0123456789abcdef01234567")},
      {"flag", Dtype::boolean, {1}, bytes_of("\1")}};
  const Metadata metadata = {{"step", "12"}};
  const std::string file = file_of(tensors, metadata);
  int refused = 0;
  for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string flipped = file;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    try {
      const SafetensorsFile read = read_safetensors(*source_of(flipped));
      ASSERT_EQ(read.tensors.size(), 2U);
      ASSERT_FALSE(read.metadata.empty());
      EXPECT_EQ(read.metadata[0], metadata[0]) << bit;
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(read.tensors[i].name, tensors[i].name) << bit;
        EXPECT_EQ(read.tensors[i].shape, tensors[i].shape) << bit;
        EXPECT_EQ(text_of(read.tensors[i].data), text_of(tensors[i].data)) << bit;
      }
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, static_cast<int>(file.size() * 7));
}

TEST(Safetensors, ReadsAFileOfTheReferenceLibrary) {
  const std::string header =
      R"({"__metadata__":{"format":"np"},"ids":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},)"
      R"("weight":{"dtype":"F32","shape":[2,3],"data_offsets":[16,40]},)"
      R"("none":{"dtype":"F16","shape":[0,3],"data_offsets":[40,40]},)"
      R"("flag":{"dtype":"BOOL","shape":[],"data_offsets":[40,41]}}    )";
  const std::string data = u64(1) + u64(~std::uint64_t{1}) + u32(0) + u32(0x3F800000) +
                           u32(0x40000000) + u32(0x40400000) + u32(0x40800000) + u32(0x40A00000) +
                           "\1";
  const SafetensorsFile file = read_safetensors(*source_of(raw_file(header, data)));
  ASSERT_EQ(file.tensors.size(), 4U);
  EXPECT_EQ(file.metadata, (Metadata{{"format", "np"}}));
  EXPECT_EQ(file.tensors[1].name, "weight");
  EXPECT_EQ(file.tensors[1].dtype, Dtype::float32);
  EXPECT_EQ(text_of(file.tensors[1].data), data.substr(16, 24));
  EXPECT_EQ(file.tensors[2].data.size(), 0U);
}

TEST(Safetensors, ReadsEveryDtype) {
  for (const auto& [name, dtype, size] :
       {std::tuple("BOOL", Dtype::boolean, 1), std::tuple("U8", Dtype::uint8, 1),
        std::tuple("I8", Dtype::int8, 1), std::tuple("I16", Dtype::int16, 2),
        std::tuple("I32", Dtype::int32, 4), std::tuple("I64", Dtype::int64, 8),
        std::tuple("F16", Dtype::float16, 2), std::tuple("BF16", Dtype::bfloat16, 2),
        std::tuple("F32", Dtype::float32, 4), std::tuple("F64", Dtype::float64, 8)}) {
    const std::string data(static_cast<std::size_t>(size), 'x');
    const std::string header = R"({"t":{"dtype":")" + std::string(name) +
                               R"(","shape":[1],"data_offsets":[0,)" + std::to_string(size) + "]}}";
    EXPECT_EQ(read_safetensors(*source_of(raw_file(header, data))).tensors[0].dtype, dtype);
  }
  const std::string header = R"({"t":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}})";
  check_error<UnsupportedError>(
      [&] { read_safetensors(*source_of(raw_file(header, "x"))); },
      "safetensors 'test': t.dtype: the dtype 'F8_E4M3' is not supported; expected one of BOOL, "
      "U8, I8, I16, I32, I64, F16, BF16, F32, F64");
}

TEST(Safetensors, RefusesHeadersThatAreTooLongOrMalformed) {
  const auto refuse = [](const std::string& file, const std::string& fault) {
    check_error<FormatError>([&] { read_safetensors(*source_of(file)); },
                             "safetensors 'test': " + fault);
  };
  refuse("1234567", "too short: 7 bytes; expected at least 8");
  refuse(u64(100'000'001), "the header is too long: 100000001 bytes; the limit is 100000000");
  refuse(u64(std::uint64_t{1} << 62),
         "the header is too long: 4611686018427387904 bytes; the limit is 100000000");
  refuse(u64(3) + "{}", "the header passes the end of the file: 3 bytes of 10");
  refuse(u64(3) + " {}", "the header does not begin with '{'");
  refuse(u64(0), "the header does not begin with '{'");
  expect_refused(R"({"a":{},"a":{}})", "", "the key 'a' appears twice in an object");
  expect_refused(R"({"__metadata__":{"a":1}})", "", "__metadata__.a: expected text, got 1");
  expect_refused(R"({"a":{"dtype":"U8","shape":[],"data_offsets":[0,1],"x":0}})", "x",
                 "a: the field 'x' is unknown");
  expect_refused(R"({"a":{"dtype":"U8","shape":[]}})", "x",
                 "a: the field 'data_offsets' is missing");
  expect_refused(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", "x",
                 "a.shape[0]: expected an integer from 0 to 9223372036854775807, got -1");
}

TEST(Safetensors, RefusesOffsetsThatDoNotFit) {
  const auto tensor = [](const std::string& name, const std::string& shape, int begin, int end) {
    return "\"" + name + R"(":{"dtype":"U8","shape":)" + shape + R"(,"data_offsets":[)" +
           std::to_string(begin) + "," + std::to_string(end) + "]}";
  };
  expect_refused("{" + tensor("a", "[3]", 0, 2) + "}", "xx",
                 "a.data_offsets: 2 bytes; dtype and shape need 3");
  expect_refused("{" + tensor("a", "[4611686018427387904,4]", 0, 2) + "}", "xx",
                 "a.data_offsets: 2 bytes; dtype and shape need an impossible number");
  expect_refused("{" + tensor("a", "[2]", 2, 0) + "}", "xx",
                 "a.data_offsets: expected a begin and an end");
  expect_refused("{" + tensor("a", "[2]", 0, 2) + "," + tensor("b", "[2]", 1, 3) + "}", "xxx",
                 "tensor 'b': it overlaps the tensor before it: bytes 1 to 3 of 3");
  expect_refused("{" + tensor("a", "[2]", 0, 2) + "," + tensor("b", "[1]", 3, 4) + "}", "xxxx",
                 "tensor 'b': unused bytes stand before it: bytes 3 to 4 of 4");
  expect_refused("{" + tensor("a", "[2]", 1, 3) + "}", "xxx",
                 "tensor 'a': unused bytes stand before it: bytes 1 to 3 of 3");
  expect_refused("{" + tensor("a", "[2]", 0, 2) + "}", "x",
                 "tensor 'a': it passes the end of the file: bytes 0 to 2 of 1");
  expect_refused("{" + tensor("a", "[2]", 0, 2) + "}", "xxx", "1 bytes follow the last tensor");
}

TEST(Safetensors, RefusesToWriteWhatCouldNotBeRead) {
  const TensorView good{"a", Dtype::uint8, {1}, bytes_of("a")};
  const auto refuse = [](const std::vector<TensorView>& tensors, const Metadata& metadata,
                         const std::string& fault) {
    check_error<ArgumentError>([&] { file_of(tensors, metadata); }, fault);
  };
  refuse({good, good}, {}, "safetensors: the tensor 'a' appears twice");
  refuse({good}, {{"k", "1"}, {"k", "2"}}, "safetensors: the metadata key 'k' appears twice");
  refuse({{"__metadata__", Dtype::uint8, {1}, bytes_of("a")}}, {},
         "safetensors: tensor '__metadata__': the name is reserved");
  refuse({{"a", Dtype::int16, {1}, bytes_of("a")}}, {},
         "safetensors: tensor 'a': 1 bytes are given; dtype and shape need 2");
  refuse({{"a", Dtype::int16, {-1}, {}}}, {},
         "safetensors: tensor 'a': 0 bytes are given; dtype and shape need an impossible number");
  refuse({{"\xFF", Dtype::uint8, {1}, bytes_of("a")}}, {}, "json: not UTF-8: '\\xff'");
}

TEST(Safetensors, ATruncatedOrChangedHeaderIsRefusedOrHarmless) {
  const std::string file =
      file_of(std::vector<TensorView>{{"weight", Dtype::float32, {1}, bytes_of("1234")},
                                      {"bias", Dtype::float32, {2}, bytes_of("12345678")}},
              {{"k", "v"}});
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_THROW(read_safetensors(*source_of(file.substr(0, size))), FormatError) << size;
  }
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = file;
      changed[i] = static_cast<char>(changed[i] ^ 1 << bit);
      try {
        EXPECT_EQ(read_safetensors(*source_of(changed)).tensors.size(), 2U);
      } catch (const Error& error) {
        EXPECT_TRUE(error.kind() == ErrorKind::format || error.kind() == ErrorKind::unsupported);
      }
    }
  }
}

}  // namespace
}  // namespace rondo::serialize
