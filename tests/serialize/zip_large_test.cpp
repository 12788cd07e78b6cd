// Tests of archives past 4 GiB and behind a callback, without storing their data.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <map>

#include "serialize/zip_reader.h"
#include "serialize/zip_writer.h"
#include "tests/serialize/archive_bytes.h"
#include "tests/serialize/sample_archive.h"

namespace rondo::serialize {
namespace {

// Keeps what is written, but of long pieces only the length: they are zeros.
class SparseSink final : public Sink {
 public:
  static constexpr std::size_t kLong = 1 << 20;

  void write(std::span<const std::byte> bytes) override {
    if (bytes.size() < kLong) {
      pieces_.emplace(size_, std::vector<std::byte>(bytes.begin(), bytes.end()));
    }
    size_ += bytes.size();
  }
  void commit() override {}

  std::uint64_t size() const { return size_; }

  std::size_t read(std::uint64_t offset, std::span<std::byte> out) const {
    std::ranges::fill(out, std::byte{0});
    for (const auto& [begin, bytes] : pieces_) {
      const std::uint64_t first = std::max(begin, offset);
      const std::uint64_t last = std::min(begin + bytes.size(), offset + out.size());
      if (first < last) {
        std::copy_n(bytes.data() + (first - begin), last - first, out.data() + (first - offset));
      }
    }
    return out.size();
  }

 private:
  std::map<std::uint64_t, std::vector<std::byte>> pieces_;
  std::uint64_t size_ = 0;
};

TEST(LargeZip, KeepsSizesAndOffsetsPastFourGigabytes) {
  constexpr std::size_t kSize = (std::size_t{1} << 32) + 12345;
  void* zeros =
      ::mmap(nullptr, kSize, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(zeros, MAP_FAILED);
  SparseSink sink;
  ZipWriter writer(sink);
  writer.add("before", bytes_of("1"));
  writer.add("weights/0", {static_cast<const std::byte*>(zeros), kSize});
  writer.add("after", bytes_of("123456789"));
  writer.finish();
  ::munmap(zeros, kSize);
  const ZipReader zip(open_reader(
      [&](std::uint64_t offset, std::span<std::byte> out) { return sink.read(offset, out); },
      sink.size(), "test"));
  EXPECT_TRUE(std::ranges::equal(zip.entries(), writer.entries()));
  EXPECT_EQ(zip.entry("weights/0").size, kSize);
  EXPECT_GT(zip.entry("after").offset, kSize);
  EXPECT_EQ(zip.read_verified(zip.entry("after")).text(), "123456789");
}

TEST(ZipBehindACallback, IsOpenedWithOneReadForEachEntryAndNoneOfItsData) {
  Contents contents = sample_contents();
  const std::string weights(100'000, 'w');
  contents.emplace_back("extra/large", weights);
  const std::vector<std::byte> file = archive_of(contents);
  int reads = 0;
  std::size_t total = 0;
  const auto read = [&](std::uint64_t offset, std::span<std::byte> out) {
    ++reads;
    total += out.size();
    std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
    return out.size();
  };
  const ZipReader zip(open_reader(read, file.size(), "test"));
  EXPECT_EQ(reads, 2 + static_cast<int>(contents.size()));
  EXPECT_LT(total, 10'000U);
  EXPECT_EQ(zip.read_verified(zip.entry("extra/large")).text(), weights);
}

}  // namespace
}  // namespace rondo::serialize
