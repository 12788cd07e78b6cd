// Tests of the zip writer: the reader and other tools read what it writes, damage is noticed.
#include "serialize/zip_writer.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>

#include "core/base/error.h"
#include "serialize/zip_reader.h"
#include "tests/serialize/archive_bytes.h"
#include "tests/serialize/files.h"
#include "tests/serialize/sample_archive.h"
#include "tests/support/check_error.h"

namespace rondo::serialize {
namespace {

const Contents kContents = {{"manifest.json", "{\"format_version\": 1}\n"},
                            {"code/forward.rir", std::string(333, 'c')},
                            {"weights/0", std::string(4096, '\xFF')},
                            {"weights/empty", ""},
                            {"weights/\xD0\xBA", "not ASCII"},
                            {"golden/" + std::string(200, 'n'), std::string(1, '\0')}};

void write_to(Sink& sink, const Contents& contents) {
  ZipWriter writer(sink);
  for (const auto& [name, data] : contents) {
    writer.add(name, bytes_of(data));
  }
  writer.finish();
}

std::string file_of(const Contents& contents) {
  const std::vector<std::byte> bytes = archive_of(contents);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Contents contents_of(const ZipReader& zip) {
  Contents contents;
  for (const ZipEntry& entry : zip.entries()) {
    contents.emplace_back(entry.name, zip.read_verified(entry).text());
  }
  return contents;
}

bool has_tool(const std::string& command) {
  return ::system(("command -v " + command + " > /dev/null").c_str()) == 0;
}

TEST(ZipWriter, WritesWhatTheReaderReads) {
  const std::string file = file_of(kContents);
  const ZipReader zip(source_of(file));
  EXPECT_EQ(contents_of(zip), kContents);
  for (const ZipEntry& entry : zip.entries()) {
    EXPECT_EQ(entry.offset % 64, 0U) << entry.name;
  }
}

TEST(ZipWriter, GivesTheEntriesThatTheReaderFinds) {
  MemorySink sink;
  ZipWriter writer(sink);
  const ZipEntry entry = writer.add("weights/0", bytes_of("123456789"));
  writer.add("weights/1", bytes_of("1"));
  writer.finish();
  EXPECT_EQ(entry.crc32, 0xCBF43926U);
  const auto owner = std::make_shared<std::vector<std::byte>>(sink.bytes());
  const ZipReader zip(open_bytes({owner, *owner}, "test"));
  EXPECT_EQ(zip.entry("weights/0"), entry);
  EXPECT_TRUE(std::ranges::equal(zip.entries(), writer.entries()));
}

TEST(ZipWriter, WritesTheSameBytesForTheSameEntries) {
  EXPECT_EQ(file_of(kContents), file_of(kContents));
}

TEST(ZipWriter, WritesAnEmptyArchive) {
  EXPECT_TRUE(ZipReader(source_of(file_of({}))).entries().empty());
}

TEST(ZipWriter, RefusesBadAndRepeatedNames) {
  MemorySink sink;
  ZipWriter writer(sink);
  writer.add("a", {});
  check_error<ArgumentError>([&] { writer.add("a", {}); }, "zip: entry 'a': the name is taken");
  check_error<ArgumentError>([&] { writer.add("a/../b", {}); },
                             "zip: entry 'a/../b': the name has a part that is empty, '.' or '..'");
}

TEST(ZipWriter, WritesAsManyEntriesAsTheReaderTakes) {
  MemorySink sink;
  ZipWriter writer(sink);
  for (std::uint64_t i = 0; i < kMaxZipEntries; ++i) {
    writer.add("weights/" + std::to_string(i), {});
  }
  check_error<ArgumentError>([&] { writer.add("one/more", {}); },
                             "zip: too many entries: the limit is 65536");
  writer.finish();
  const auto owner = std::make_shared<std::vector<std::byte>>(sink.take());
  EXPECT_EQ(ZipReader(open_bytes({owner, *owner}, "test")).entries().size(), kMaxZipEntries);
}

TEST(ZipWriter, IsReadByUnzip) {
  if (!has_tool("unzip")) {
    GTEST_SKIP() << "unzip is not installed";
  }
  const TemporaryFolder folder;
  write_to(*replace_file(file_in(folder, "x.zip")), kContents);
  EXPECT_EQ(::system(("unzip -tqq " + file_in(folder, "x.zip")).c_str()), 0);
}

TEST(ZipWriter, RepackedByZipTheArchiveStillLoads) {
  if (!has_tool("unzip") || !has_tool("zip")) {
    GTEST_SKIP() << "zip and unzip are not installed";
  }
  const TemporaryFolder folder;
  const Contents contents = {{"code/forward.rir", "graph"}, {"manifest.json", "{}"}};
  write_to(*replace_file(file_in(folder, "x.zip")), contents);
  const std::string command = "cd " + folder.path().string() +
                              " && mkdir x && cd x && unzip -q ../x.zip && "
                              "zip -q0XD ../y.zip code/forward.rir manifest.json";
  ASSERT_EQ(::system(command.c_str()), 0);
  EXPECT_EQ(contents_of(ZipReader(open_file(file_in(folder, "y.zip")))), contents);
}

// Either refuses the file, or finds what was written: damage is never taken for content.
bool is_refused(const std::string& file, const Contents& contents) {
  try {
    EXPECT_EQ(contents_of(ZipReader(source_of(file))), contents);
    return false;
  } catch (const FormatError&) {
    return true;
  }
}

TEST(ZipWriter, ATruncatedArchiveIsRefusedAtEachKilobyte) {
  Contents contents = kContents;
  contents.emplace_back("weights/large", std::string(100'000, 'w'));
  const std::string file = file_of(contents);
  for (std::size_t size = 0; size < file.size(); size += 1024) {
    EXPECT_TRUE(is_refused(file.substr(0, size), contents)) << size;
  }
  for (std::size_t cut = 1; cut < 600; ++cut) {
    EXPECT_TRUE(is_refused(file.substr(0, file.size() - cut), contents)) << cut;
  }
}

TEST(ZipWriter, AFlippedBitIsRefusedOrHarmlessWhereverItIs) {
  const std::string file = file_of(kContents);
  std::size_t harmless = 0;
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::string changed = file;
    changed[i] = static_cast<char>(changed[i] ^ 1 << i % 8);
    harmless += is_refused(changed, kContents) ? 0 : 1;
  }
  // What may change: who made the entry, its attributes, the value that the padding aligns to.
  EXPECT_LT(harmless, kContents.size() * 14);
}

TEST(ZipWriter, AFileThatCannotBeWrittenLeavesNothing) {
  const TemporaryFolder folder;
  {
    const auto sink = replace_file(file_in(folder, "x.zip"));
    ZipWriter writer(*sink);
    writer.add("a", bytes_of("1"));
  }
  EXPECT_EQ(count_files(folder), 0);
}

}  // namespace
}  // namespace rondo::serialize
