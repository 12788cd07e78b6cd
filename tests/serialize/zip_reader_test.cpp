// Tests of the zip reader: what it takes, and every reason to refuse a file, with its text.
#include "serialize/zip_reader.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/serialize/archive_bytes.h"
#include "tests/serialize/raw_zip.h"
#include "tests/support/check_error.h"

namespace rondo::serialize {
namespace {

constexpr std::uint32_t kAllOnes = 0xFFFFFFFF;

RawZip two_entries() {
  RawZip zip;
  zip.entries = {RawEntry("manifest.json", "{}"), RawEntry("weights/0", "12345678")};
  return zip;
}

// The error for `zip`, expected to begin with "zip 'test': ".
void expect_refused(const RawZip& zip, const std::string& fault) {
  check_error<FormatError>([&] { ZipReader(source_of(zip.bytes())); }, "zip 'test': " + fault);
}

// The same for a file whose second entry was changed.
template <class Change>
void expect_entry_refused(Change change, const std::string& fault) {
  RawZip zip = two_entries();
  change(zip.entries[1]);
  expect_refused(zip, "entry 'weights/0': " + fault);
}

TEST(ZipReader, ReadsAPlainStoredZip) {
  const std::string file = two_entries().bytes();
  const ZipReader zip(source_of(file));
  ASSERT_EQ(zip.entries().size(), 2U);
  const ZipEntry& weights = zip.entry("weights/0");
  EXPECT_EQ(weights.size, 8U);
  EXPECT_EQ(weights.offset, file.find("12345678"));
  EXPECT_EQ(zip.read_verified(weights).text(), "12345678");
  EXPECT_EQ(zip.find("manifest.json"), &zip.entries()[0]);
  EXPECT_EQ(zip.find("weights"), nullptr);
}

TEST(ZipReader, TakesAnEmptyArchive) {
  EXPECT_TRUE(ZipReader(source_of(RawZip().bytes())).entries().empty());
}

TEST(ZipReader, NamesAMissingEntry) {
  const ZipReader zip(source_of(two_entries().bytes()));
  check_error<FormatError>([&] { zip.entry("code/forward.rir"); },
                           "zip 'test': entry 'code/forward.rir' is missing");
}

TEST(ZipReader, ChecksTheDataOnDemand) {
  RawZip raw = two_entries();
  raw.entries[1].data[3] ^= 1;
  const ZipReader zip(source_of(raw.bytes()));
  EXPECT_EQ(zip.read(zip.entry("weights/0")).text(), "12355678");
  check_error<FormatError>([&] { zip.read_verified(zip.entry("weights/0")); },
                           "zip 'test': entry 'weights/0': the checksum is wrong: the data has "
                           "a780f31f, the directory says 9ae0daaf; the file is damaged");
}

TEST(ZipReader, RefusesNamesThatLeaveTheArchive) {
  const auto expect_name_refused = [](const std::string& name, const std::string& fault) {
    RawZip zip;
    zip.entries = {RawEntry(name, "x")};
    expect_refused(zip, fault);
  };
  const std::string part = "the name has a part that is empty, '.' or '..'";
  expect_name_refused("../x", "entry '../x': " + part);
  expect_name_refused("a/../../x", "entry 'a/../../x': " + part);
  expect_name_refused("a/./x", "entry 'a/./x': " + part);
  expect_name_refused("a//x", "entry 'a//x': " + part);
  expect_name_refused("folder/", "entry 'folder/': " + part);
  expect_name_refused("..", "entry '..': " + part);
  expect_name_refused("/etc/passwd", "entry '/etc/passwd': the name is absolute");
  const std::string forbidden = "the name holds a control character, '\\' or ':'";
  expect_name_refused("C:x", "entry 'C:x': " + forbidden);
  expect_name_refused("..\\x", "entry '..\\x': " + forbidden);
  expect_name_refused(std::string("a\0b", 3), "entry 'a\\x00b': " + forbidden);
  expect_name_refused("", "entry '': the name is empty");
  expect_name_refused("\xC0\xAE\xC0\xAE/x",
                      "entry '\\xc0\\xae\\xc0\\xae/x': the name is not UTF-8");
  expect_name_refused("\xD0\xBA", "entry '\xD0\xBA': its name is not marked as UTF-8");
  expect_name_refused(std::string(1025, 'a'), "entry '" + std::string(80, 'a') +
                                                  "...': the name is longer than 1024 bytes");
}

TEST(ZipReader, RefusesARepeatedName) {
  RawZip zip = two_entries();
  zip.entries[1].name = zip.entries[1].local_name = "manifest.json";
  expect_refused(zip, "entry 'manifest.json': the name appears twice");
}

TEST(ZipReader, RefusesWhatIsNotStoredPlainly) {
  expect_entry_refused([](RawEntry& e) { e.method = 8; }, "it is compressed; it must be stored");
  expect_entry_refused([](RawEntry& e) { e.flags = 1; }, "it is encrypted");
  expect_entry_refused([](RawEntry& e) { e.flags = 8; }, "its sizes follow its data");
  expect_entry_refused([](RawEntry& e) { e.flags = 1 << 6; }, "it has unknown flags");
  expect_entry_refused([](RawEntry& e) { e.version = 51; }, "it needs a newer zip version");
  expect_entry_refused([](RawEntry& e) { e.comment = "hi"; }, "it has a comment");
  expect_entry_refused([](RawEntry& e) { e.disk = 1; }, "it is on another disk");
  expect_entry_refused([](RawEntry& e) { e.size = 9; }, "its two sizes differ; it must be stored");
  expect_entry_refused(
      [](RawEntry& e) {
        e.made_by = 3 << 8;
        e.attributes = 0120777U << 16;
      },
      "it is not a regular file");
}

TEST(ZipReader, RefusesEntriesThatOverlapOrLeaveGaps) {
  RawZip twice = two_entries();
  twice.entries[0].name = twice.entries[0].local_name = "weights/0";
  twice.entries[0] = twice.entries[1];
  twice.entries[1].header = 0;
  expect_refused(twice, "entry 'weights/0': it overlaps another entry");
  RawZip gap = two_entries();
  gap.entries[1].before = "hidden";
  expect_refused(gap, "entry 'weights/0': unused bytes stand before it");
  RawZip prefix = two_entries();
  prefix.entries[0].before = "#!/bin/sh";
  expect_refused(prefix, "entry 'manifest.json': unused bytes stand before it");
  RawZip tail = two_entries();
  tail.before_directory = "hidden";
  expect_refused(tail, "6 unused bytes stand before the directory");
}

TEST(ZipReader, RefusesLocalHeadersThatDiffer) {
  const std::string fault = "its local header differs from the directory";
  expect_entry_refused([](RawEntry& e) { e.local_name = "weights/1"; }, fault);
  const std::string file = two_entries().bytes();
  const std::size_t header = file.find("PK\3\4", 1);
  for (std::size_t i = 4; i < 28; ++i) {  // version to length of the name
    std::string changed = file;
    changed[header + i] ^= 0x10;
    check_error<FormatError>([&] { ZipReader{source_of(changed)}; },
                             "zip 'test': entry 'weights/0': " + fault);
  }
}

TEST(ZipReader, RefusesHeadersAndDataOutsideTheFile) {
  expect_entry_refused([](RawEntry& e) { e.header = 5000; },
                       "its local header lies outside the archive");
  expect_entry_refused([](RawEntry& e) { e.header = 3; }, "its local header is missing");
  expect_entry_refused([](RawEntry& e) { e.size = e.packed = 1U << 30; },
                       "its data lies outside the archive");
  RawZip long_extra = two_entries();
  std::string file = long_extra.bytes();
  file[file.find("PK\3\4", 1) + 29] = 0x7F;
  check_error<FormatError>(
      [&] { ZipReader{source_of(file)}; },
      "zip 'test': entry 'weights/0': its local header lies outside the archive");
}

TEST(ZipReader, RefusesSizesThatWouldOverflow) {
  const std::uint64_t huge = std::uint64_t{1} << 62;
  for (const std::uint64_t size : {huge, ~std::uint64_t{0}, ~std::uint64_t{0} - 300}) {
    expect_entry_refused(
        [&](RawEntry& e) {
          e.size = e.packed = kAllOnes;
          e.local_extra = e.central_extra = u16(1) + u16(16) + u64(size) + u64(size);
        },
        "its data lies outside the archive");
  }
}

TEST(ZipReader, RefusesDamagedExtraFields) {
  const auto with = [](const std::string& extra) {
    return [extra](RawEntry& e) { e.central_extra = extra; };
  };
  expect_entry_refused(with("abc"), "its extra fields are damaged");
  expect_entry_refused(with(u16(0xD935) + u16(9) + "x"), "its extra fields are damaged");
  expect_entry_refused(with(u16(0x7075) + u16(0)), "it has unknown extra fields");
  expect_entry_refused(with(u16(0xD935) + u16(3) + u16(64) + "x"),
                       "its alignment field is damaged");
  expect_entry_refused(with(u16(0xD935) + u16(1) + "x"), "its alignment field is damaged");
  const std::string pad = u16(0xD935) + u16(2) + u16(64);
  expect_entry_refused(with(pad + pad), "an extra field appears twice");
  expect_entry_refused(with(u16(1) + u16(0)), "its zip64 field is empty");
  expect_entry_refused(with(u16(1) + u16(8) + u64(8)), "its zip64 field is too long");
  expect_entry_refused([](RawEntry& e) { e.size = e.packed = kAllOnes; },
                       "its zip64 field is missing or too short");
}

TEST(ZipReader, RefusesBytesAfterTheEnd) {
  RawZip zip = two_entries();
  zip.after_end = "x";
  const std::string fault =
      "no end record at the end: it is not an archive, was cut off, or something was appended to "
      "it";
  expect_refused(zip, fault);
  check_error<FormatError>([&] { ZipReader{source_of(std::string(500, 'x'))}; },
                           "zip 'test': " + fault);
  std::string commented = two_entries().bytes();
  commented[commented.size() - 2] = 1;
  check_error<FormatError>([&] { ZipReader{source_of(commented)}; },
                           "zip 'test': it has a comment");
}

TEST(ZipReader, RefusesADamagedDirectory) {
  check_error<FormatError>([&] { ZipReader(source_of("PK")); },
                           "zip 'test': too short for an archive: 2 bytes; expected at least 22");
  RawZip few = two_entries();
  few.count = 1;
  expect_refused(few, "55 bytes follow the last of 1 directory records");
  RawZip many = two_entries();
  many.count = 3;
  expect_refused(many, "directory record 2 of 3 is missing or damaged");
  RawZip elsewhere = two_entries();
  elsewhere.directory_offset = 7;
  expect_refused(elsewhere,
                 "the directory does not end where the end record begins: offset 7, 114 bytes, "
                 "expected end 206");
  RawZip disks = two_entries();
  disks.disk = 1;
  expect_refused(disks, "it spans several disks");
  std::string cut = two_entries().bytes();
  cut[cut.find("PK\1\2", cut.find("PK\1\2") + 1) + 29] = 0x7F;  // the length of a name
  check_error<FormatError>([&] { ZipReader{source_of(cut)}; },
                           "zip 'test': directory record 1 of 2 passes the end of the directory");
}

// Two end records of an archive that claims `count` entries and a directory of `size` bytes.
std::string zip64_end(std::uint64_t count, std::uint64_t size, std::uint64_t offset) {
  return "PK\6\6" + u64(44) + u16(45) + u16(45) + u32(0) + u32(0) + u64(count) + u64(count) +
         u64(size) + u64(offset) + "PK\6\7" + u32(0) + u64(0) + u32(1) + "PK\5\6" + u32(0) +
         u16(0xFFFF) + u16(0xFFFF) + u32(kAllOnes) + u32(kAllOnes) + u16(0);
}

TEST(ZipReader, CapsWhatAFileCanClaim) {
  check_error<FormatError>([&] { ZipReader{source_of(zip64_end(65537, 0, 0))}; },
                           "zip 'test': too many entries: 65537; the limit is 65536");
  check_error<FormatError>(
      [&] { ZipReader{source_of(zip64_end(1, std::uint64_t{1} << 62, 0))}; },
      "zip 'test': the directory is too large: 4611686018427387904 bytes; the limit is 67108864");
  check_error<FormatError>(
      [&] { ZipReader{source_of(zip64_end(1, 100, ~std::uint64_t{0} - 50))}; },
      "zip 'test': the directory does not end where the end record begins: offset "
      "18446744073709551565, 100 bytes, expected end 0");
  EXPECT_TRUE(ZipReader{source_of(zip64_end(0, 0, 0))}.entries().empty());
}

TEST(ZipReader, RefusesDamagedZip64EndRecords) {
  const std::string file = zip64_end(0, 0, 0);
  const std::string damaged = "zip 'test': the zip64 end record is damaged";
  for (const std::size_t i : {0U, 4U, 16U, 20U, 24U, 60U, 64U, 72U}) {
    std::string changed = file;
    changed[i] ^= 1;
    check_error<FormatError>([&] { ZipReader{source_of(changed)}; }, damaged);
  }
  check_error<FormatError>([&] { ZipReader{source_of(file.substr(1))}; },
                           "zip 'test': the zip64 end record is missing");
  std::string differ = file;
  differ[84 + 2] = 1;
  differ[84 + 3] = 0;
  check_error<FormatError>([&] { ZipReader{source_of(differ)}; },
                           "zip 'test': the two end records differ");
}

}  // namespace
}  // namespace rondo::serialize
