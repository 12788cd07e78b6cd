// Tests of the sources of bytes: each kind, its limits and its errors.
#include "serialize/bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/error.h"
#include "tests/serialize/archive_bytes.h"
#include "tests/serialize/files.h"
#include "tests/support/check_error.h"

namespace rondo::serialize {
namespace {

constexpr std::string_view kText = "0123456789abcdef";

ReadFunction reader_of(std::string_view text) {
  return [text](std::uint64_t offset, std::span<std::byte> out) {
    const std::string_view rest = text.substr(std::min<std::size_t>(offset, text.size()));
    const std::size_t count = std::min(rest.size(), out.size());
    std::memcpy(out.data(), rest.data(), count);
    return count;
  };
}

void expect_reads(const Source& source) {
  EXPECT_EQ(source.size(), kText.size());
  EXPECT_EQ(source.read(0, 16).text(), kText);
  EXPECT_EQ(source.read(3, 4).text(), "3456");
  EXPECT_EQ(source.read(16, 0).text(), "");
  std::array<std::byte, 2> out{};
  source.read_into(14, out);
  EXPECT_EQ(std::memcmp(out.data(), "ef", 2), 0);
}

TEST(Source, GivesTheSameBytesFromAFileFromMemoryAndThroughACallback) {
  const TemporaryFolder folder;
  write_text(file_in(folder, "x"), kText);
  expect_reads(*open_file(file_in(folder, "x")));
  expect_reads(*open_file(file_in(folder, "x"), FileAccess::copy));
  expect_reads(*open_reader(reader_of(kText), kText.size(), "test"));
  expect_reads(*source_of(kText));
}

TEST(Source, UsesMappedFilesAndMemoryInPlace) {
  const TemporaryFolder folder;
  write_text(file_in(folder, "x"), kText);
  for (const auto& source : {open_file(file_in(folder, "x")), source_of(kText)}) {
    const Bytes all = source->read(0, 16);
    EXPECT_EQ(source->read(3, 4).data(), all.data() + 3);
  }
}

TEST(Source, CopiesIntoAlignedMemory) {
  const Bytes bytes = open_reader(reader_of(kText), kText.size(), "test")->read(1, 5);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64, 0U);
}

TEST(Source, BytesOutliveTheSourceAndTheFile) {
  const TemporaryFolder folder;
  write_text(file_in(folder, "x"), kText);
  auto source = open_file(file_in(folder, "x"));
  const Bytes bytes = source->read(2, 3);
  source.reset();
  std::filesystem::remove(file_in(folder, "x"));
  EXPECT_EQ(bytes.text(), "234");
}

TEST(Source, AReplacedFileLeavesTheMappedOneAsItWas) {
  const TemporaryFolder folder;
  write_text(file_in(folder, "x"), kText);
  const auto source = open_file(file_in(folder, "x"));
  write_text(file_in(folder, "y"), "short");
  std::filesystem::rename(file_in(folder, "y"), file_in(folder, "x"));
  EXPECT_EQ(source->read(0, 16).text(), kText);
}

TEST(Source, RefusesRangesPastTheEnd) {
  const auto source = source_of(kText);
  check_error<FormatError>([&] { source->read(10, 7); },
                           "read: 'test' is too short: it has 16 bytes; expected 7 at offset 10");
  check_error<FormatError>([&] { source->read(17, 0); },
                           "read: 'test' is too short: it has 16 bytes; expected 0 at offset 17");
  check_error<FormatError>([&] { source->read(8, ~std::uint64_t{0} - 4); },
                           "read: 'test' is too short: it has 16 bytes; expected "
                           "18446744073709551611 at offset 8");
  std::array<std::byte, 3> out{};
  check_error<FormatError>([&] { source->read_into(14, out); },
                           "read: 'test' is too short: it has 16 bytes; expected 3 at offset 14");
}

TEST(Source, SaysThatAReaderEndedEarly) {
  const auto source = open_reader(reader_of(kText), 100, "s3://bucket/key");
  check_error<IoError>([&] { source->read(10, 50); },
                       "read: 's3://bucket/key' ended early: 6 bytes at offset 10; expected 50");
}

TEST(Source, SaysThatThereIsNoMemory) {
  const auto source = open_reader(reader_of(kText), std::uint64_t{1} << 62, "test");
  check_error<OutOfMemoryError>([&] { source->read(0, std::uint64_t{1} << 62); },
                                "read: no memory for 4611686018427387904 bytes");
}

TEST(Source, LetsTheErrorsOfAReaderThrough) {
  const auto source = open_reader(
      [](std::uint64_t, std::span<std::byte>) -> std::size_t {
        throw IoError("fetch: connection lost");
      },
      16, "test");
  check_error<IoError>([&] { source->read(0, 1); }, "fetch: connection lost");
}

TEST(OpenFile, NamesThePathAndTheReason) {
  const TemporaryFolder folder;
  const std::string missing = file_in(folder, "missing");
  check_error<IoError>([&] { open_file(missing); },
                       "open: opening failed: '" + missing + "': No such file or directory");
  check_error<IoError>([&] { open_file(folder.path().string()); },
                       "open: not a regular file: '" + folder.path().string() + "'");
}

TEST(OpenFile, TakesAnEmptyFile) {
  const TemporaryFolder folder;
  write_text(file_in(folder, "x"), "");
  EXPECT_EQ(open_file(file_in(folder, "x"))->size(), 0U);
  EXPECT_EQ(open_file(file_in(folder, "x"), FileAccess::copy)->read(0, 0).size(), 0U);
}

TEST(OpenFile, NoticesACopiedFileThatWasCutOff) {
  const TemporaryFolder folder;
  const std::string path = file_in(folder, "x");
  write_text(path, kText);
  const auto source = open_file(path, FileAccess::copy);
  write_text(path, "0123");
  check_error<IoError>([&] { source->read(2, 8); },
                       "read: '" + path + "' ended early: 2 bytes at offset 2; expected 8");
}

}  // namespace
}  // namespace rondo::serialize
