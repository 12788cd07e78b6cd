#include "jit/disk_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "jit/params.h"
#include "tests/support/on_threads.h"
#include "tests/support/temporary_folder.h"

namespace rondo::jit {
namespace {

class DiskCacheTest : public testing::Test {
 protected:
  DiskCacheTest() { setenv("RONDO_CACHE_DIR", folder_.path().c_str(), 1); }
  ~DiskCacheTest() override { unsetenv("RONDO_CACHE_DIR"); }

  TemporaryFolder folder_;
};

/// Code of a size and content of its own for each key.
codegen::MachineCode code_of(int key) {
  return {std::vector<std::byte>(static_cast<std::size_t>(key) * 100 + 64, std::byte(key)), 16};
}

TEST_F(DiskCacheTest, ThreadsAndCachesOfOneFolderReadWhatOthersWrite) {
  constexpr int kKeys = 8;
  DiskCache caches[2];  // as of two processes
  std::atomic<int> wrong = 0;
  on_threads(4, [&](int n) {
    DiskCache& cache = caches[n % 2];
    for (int i = 0; i < 50; ++i) {
      const int key = (i + n) % kKeys;
      codegen::MachineCode code;
      if (!cache.read(std::to_string(key), code)) {
        cache.write(std::to_string(key), code_of(key));
      } else if (code.bytes != code_of(key).bytes || code.entry != 16) {
        ++wrong;
      }
    }
  });
  EXPECT_EQ(wrong, 0);
  for (int key = 0; key < kKeys; ++key) {
    codegen::MachineCode code;
    EXPECT_TRUE(caches[0].read(std::to_string(key), code)) << key;
  }
}

TEST_F(DiskCacheTest, ADamagedFileIsDeletedAndNotRead) {
  DiskCache cache;
  cache.write("key", code_of(1));
  const std::filesystem::path path = *std::filesystem::directory_iterator(folder_.path());
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end).put('x');
  file.close();
  codegen::MachineCode code;
  EXPECT_FALSE(cache.read("key", code));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(DiskCacheTest, AboveTheLimitWhatWasUsedLongestAgoIsRemoved) {
  {
    DiskCache writer;
    writer.write("read again", code_of(1));
    writer.write("forgotten", code_of(2));
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      std::filesystem::last_write_time(
          entry.path(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    }
    writer.write("new", code_of(3));
    codegen::MachineCode code;
    EXPECT_TRUE(writer.read("read again", code));
  }
  const std::int64_t limit = std::exchange(params().disk_bytes, 800);  // any two of the three
  DiskCache cache;
  codegen::MachineCode code;
  EXPECT_TRUE(cache.read("read again", code));
  EXPECT_TRUE(cache.read("new", code));
  EXPECT_FALSE(cache.read("forgotten", code));
  params().disk_bytes = limit;
}

TEST_F(DiskCacheTest, WhatAKilledProcessLeftIsRemovedOnceItIsOld) {
  const auto write = [&](const char* name) {
    const std::filesystem::path path = folder_.path() / name;
    std::ofstream(path) << "part";
    return path;
  };
  const std::filesystem::path young = write(".a.kernel.1.0.tmp");
  const std::filesystem::path old = write(".b.kernel.2.0.tmp");
  std::filesystem::last_write_time(
      old, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  DiskCache cache;
  cache.write("key", code_of(1));
  EXPECT_TRUE(std::filesystem::exists(young));
  EXPECT_FALSE(std::filesystem::exists(old));
  codegen::MachineCode code;
  EXPECT_TRUE(cache.read("key", code));
}

}  // namespace
}  // namespace rondo::jit
