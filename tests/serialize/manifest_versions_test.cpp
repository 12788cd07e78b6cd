// Tests of versions: newer archives name what they need, older ones are upgraded.
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "serialize/manifest.h"
#include "tests/serialize/sample_archive.h"
#include "tests/support/check_error.h"

namespace rondo::serialize {
namespace {

std::string with_format_version(int version, const std::string& more = "") {
  std::string text = print_manifest(sample_manifest());
  const std::string field = "\"format_version\": 1,";
  return text.replace(text.find(field), field.size(),
                      "\"format_version\": " + std::to_string(version) + "," + more);
}

TEST(FormatVersion, ANewerOneNamesTheRuntimeThatItNeeds) {
  std::string text = with_format_version(3, "\"something_new\": {},");
  const std::string field = "\"runtime\": \"0.1.0\"";
  text.replace(text.find(field), field.size(), "\"runtime\": \"0.7.0\"");
  check_error<FormatError>([&] { parse_manifest(text); },
                           "manifest: the format has version 3; runtime 0.1.0 reads up to 1; the "
                           "archive needs runtime 0.7.0 or newer");
}

TEST(FormatVersion, AnOlderOneWithoutStepsIsRefused) {
  check_error<FormatError>([] { parse_manifest(with_format_version(0)); },
                           "manifest: the format has version 0, and nothing upgrades it to 1");
}

TEST(FormatVersion, RegisteredStepsLeadToTheCurrentOne) {
  Upgraders upgraders;
  upgraders.format_version = 3;
  upgraders.format = {{1, [](Json& json) { *json.find("producer") = Json("upgraded"); }},
                      {2, [](Json& json) {
                         const Json* producer = json.find("producer");
                         *json.find("producer") =
                             Json(std::get<std::string>(producer->value()) + " twice");
                       }}};
  const Manifest manifest = parse_manifest(with_format_version(1), upgraders);
  EXPECT_EQ(manifest.producer, "upgraded twice");
  EXPECT_EQ(manifest.format_version, 3);
  EXPECT_EQ(manifest.methods, sample_manifest().methods);
}

TEST(OpVersions, KnownOnesPass) {
  const OpVersion known[] = {{"add", 1}, {"exp", 4}, {"matmul", 2}};
  EXPECT_NO_THROW(check_op_versions(sample_manifest(), known));
}

TEST(OpVersions, ANewerOneNamesTheOpItsVersionAndTheRuntime) {
  Manifest manifest = sample_manifest();
  manifest.runtime = "0.7.0";
  const OpVersion known[] = {{"add", 1}, {"matmul", 1}};
  check_error<FormatError>([&] { check_op_versions(manifest, known); },
                           "manifest: op 'matmul' has version 2; runtime 0.1.0 has version 1; the "
                           "archive needs runtime 0.7.0 or newer");
  check_error<FormatError>(
      [&] { check_op_versions(manifest, {known, 1}); },
      "manifest: op 'matmul' (version 2) is unknown to runtime 0.1.0; the archive needs runtime "
      "0.7.0 or newer, or the library that registers this op");
}

TEST(OpVersions, AnOlderOneNeedsAStepForEachVersion) {
  const OpVersion known[] = {{"add", 1}, {"matmul", 4}};
  Upgraders upgraders;
  upgraders.ops = {{"matmul", 3, nullptr}, {"add", 2, nullptr}};
  check_error<FormatError>(
      [&] { check_op_versions(sample_manifest(), known, upgraders); },
      "manifest: op 'matmul' has version 2, and nothing upgrades it to version 4");
  upgraders.ops.push_back({"matmul", 2, nullptr});
  EXPECT_NO_THROW(check_op_versions(sample_manifest(), known, upgraders));
}

TEST(OpVersions, RegisteredStepsRewriteANode) {
  Upgraders upgraders;
  upgraders.ops = {
      {"sum", 1, [](OpRecord& record) { record.attributes.emplace_back("keepdim", Attr(false)); }},
      {"sum", 2, [](OpRecord& record) { record.op.name = "reduce_sum"; }}};
  OpRecord record{{"sum", 1}, {{"dim", Attr(Ints{0})}}};
  upgraders.upgrade(record, 3);
  EXPECT_EQ(record.op, (OpVersion{"reduce_sum", 3}));
  ASSERT_EQ(record.attributes.size(), 2U);
  EXPECT_EQ(record.attributes[1].first, "keepdim");
  OpRecord other{{"max", 1}, {}};
  check_error<FormatError>([&] { upgraders.upgrade(other, 2); },
                           "graph: op 'max' has version 1, and nothing upgrades it to version 2");
}

TEST(BuiltinUpgraders, LeadFromEveryReleasedFormatToTheCurrentOne) {
  const Upgraders& upgraders = builtin_upgraders();
  EXPECT_EQ(upgraders.format_version, kFormatVersion);
  for (int version = 1; version < kFormatVersion; ++version) {
    EXPECT_NE(upgraders.find_format(version), nullptr) << version;
  }
}

}  // namespace
}  // namespace rondo::serialize
