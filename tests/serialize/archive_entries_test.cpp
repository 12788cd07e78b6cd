// Tests of the agreement between a manifest and the entries of its archive.
#include "serialize/archive_entries.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "tests/serialize/sample_archive.h"
#include "tests/support/check_error.h"

namespace rondo::serialize {
namespace {

void check(const Contents& contents) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(archive_of(contents));
  const ZipReader zip(open_bytes({owner, *owner}, "test"));
  check_entries(zip, parse_manifest(zip.read_verified(zip.entry(kManifestEntry)).text()));
}

// The error for the sample archive after a change of the entry of that name.
template <class Change>
void expect_refused(const std::string& entry, Change change, const std::string& fault) {
  Contents contents = sample_contents();
  change(*std::ranges::find(contents, entry, &Contents::value_type::first));
  check_error<FormatError>([&] { check(contents); }, fault);
}

TEST(CheckEntries, TakesTheSample) {
  EXPECT_NO_THROW(check(sample_contents()));
}

TEST(CheckEntries, NamesAMissingEntry) {
  for (const char* entry : {"code/forward.train.rir", "weights/1", "golden/0/out1"}) {
    expect_refused(
        entry, [](auto& item) { item.first = "extra/renamed"; },
        "zip 'test': entry '" + std::string(entry) + "' is missing");
  }
}

TEST(CheckEntries, ComparesSizesAndChecksums) {
  expect_refused(
      "weights/0", [](auto& item) { item.second.pop_back(); },
      "archive 'test': entry 'weights/0': it has 23 bytes; [2, 3] of float32 needs 24");
  expect_refused(
      "golden/0/in1", [](auto& item) { item.second[0] = 'x'; },
      "archive 'test': entry 'golden/0/in1': its checksum is f7e1e13b in the directory and "
      "d65a1577 in the manifest; weights and manifest come from different archives");
}

TEST(CheckEntries, RefusesEntriesThatNothingNames) {
  Contents contents = sample_contents();
  contents.emplace_back("kernels/x86-64-v3/0", "machine code");
  contents.emplace_back("extra/vocabulary", "");
  EXPECT_NO_THROW(check(contents));
  contents.emplace_back("weights/hidden", "");
  check_error<FormatError>([&] { check(contents); },
                           "archive 'test': entry 'weights/hidden': the manifest does not name it");
}

}  // namespace
}  // namespace rondo::serialize
