// Tests of files that are replaced whole: errors, full disks, kills at any moment.
#include "serialize/sink.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.h"
#include "tests/serialize/archive_bytes.h"
#include "tests/serialize/files.h"
#include "tests/support/check_error.h"

namespace rondo::serialize {
namespace {

void save(const std::string& path, std::string_view text) {
  const auto sink = replace_file(path);
  sink->write(bytes_of(text));
  sink->commit();
}

unsigned mode_of(const std::string& path) {
  struct stat status{};
  ::stat(path.c_str(), &status);
  return status.st_mode & 0777;
}

TEST(MemorySink, CollectsWhatIsWritten) {
  MemorySink sink;
  sink.write(bytes_of("ab"));
  sink.write(bytes_of("c"));
  sink.commit();
  const std::vector<std::byte> bytes = sink.take();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "abc");
}

TEST(ReplaceFile, WritesSmallAndLargePiecesInOrder) {
  const TemporaryFolder folder;
  const auto sink = replace_file(file_in(folder, "x"));
  std::string expected;
  for (const std::size_t size : {1U, 300'000U, 7U, 262'144U, 0U, 262'143U, 2U, 1'000'000U}) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    sink->write(bytes_of(piece));
    expected += piece;
  }
  sink->commit();
  EXPECT_EQ(read_text(file_in(folder, "x")), expected);
  EXPECT_EQ(count_files(folder), 1);
}

TEST(ReplaceFile, LeavesTheOldFileUntilTheCommit) {
  const TemporaryFolder folder;
  write_text(file_in(folder, "x"), "old");
  const auto sink = replace_file(file_in(folder, "x"));
  sink->write(bytes_of(std::string(500'000, 'n')));
  EXPECT_EQ(read_text(file_in(folder, "x")), "old");
  sink->commit();
  EXPECT_EQ(read_text(file_in(folder, "x")), std::string(500'000, 'n'));
}

TEST(ReplaceFile, LeavesNothingBehindWithoutACommit) {
  const TemporaryFolder folder;
  {
    const auto sink = replace_file(file_in(folder, "x"));
    sink->write(bytes_of(std::string(500'000, 'n')));
    EXPECT_EQ(count_files(folder), 1);
  }
  EXPECT_EQ(count_files(folder), 0);
}

TEST(ReplaceFile, TwoWritersOfOneFileDoNotMix) {
  const TemporaryFolder folder;
  const auto first = replace_file(file_in(folder, "x"));
  const auto second = replace_file(file_in(folder, "x"));
  first->write(bytes_of("first"));
  second->write(bytes_of("second"));
  second->commit();
  first->commit();
  EXPECT_EQ(read_text(file_in(folder, "x")), "first");
  EXPECT_EQ(count_files(folder), 1);
}

TEST(ReplaceFile, KeepsThePermissionsOfTheFileAndFollowsLinks) {
  const TemporaryFolder folder;
  const mode_t mask = ::umask(022);
  save(file_in(folder, "new"), "1");
  EXPECT_EQ(mode_of(file_in(folder, "new")), 0644U);
  ::chmod(file_in(folder, "new").c_str(), 0600);
  std::filesystem::create_symlink("new", file_in(folder, "link"));
  save(file_in(folder, "link"), "2");
  EXPECT_EQ(mode_of(file_in(folder, "new")), 0600U);
  EXPECT_EQ(read_text(file_in(folder, "new")), "2");
  EXPECT_TRUE(std::filesystem::is_symlink(file_in(folder, "link")));
  ::umask(mask);
}

TEST(ReplaceFile, TakesNamesWithoutAFolderAndOfTheGreatestLength) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  save("plain", "1");
  save(std::string(255, 'n'), "2");
  std::filesystem::current_path(before);
  EXPECT_EQ(read_text(file_in(folder, "plain")), "1");
  EXPECT_EQ(read_text(file_in(folder, std::string(255, 'n'))), "2");
}

TEST(ReplaceFile, NamesThePathAndTheReason) {
  const TemporaryFolder folder;
  const std::string path = file_in(folder, "missing/x");
  check_error<IoError>(
      [&] { replace_file(path); },
      "save: creating a file in its folder failed: '" + path + "': No such file or directory");
  check_error<IoError>([&] { replace_file(folder.path().string()); },
                       "save: not a regular file: '" + folder.path().string() + "'");
  check_error<IoError>([&] { replace_file("/dev/null"); }, "save: not a regular file: '/dev/null'");
  const std::string link = file_in(folder, "link");
  std::filesystem::create_symlink("nowhere", link);
  check_error<IoError>([&] { replace_file(link); }, "save: following the link failed: '" + link +
                                                        "': No such file or directory");
}

TEST(ReplaceFile, SurvivesAKillAtAnyMoment) {
  const TemporaryFolder folder;
  const std::string path = file_in(folder, "x");
  const std::string texts[2] = {std::string(700'000, 'a'), std::string(900'000, 'b')};
  save(path, texts[0]);
  for (unsigned delay_us = 100; delay_us < 20'000; delay_us += 700) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (unsigned i = 0;; ++i) {
        save(path, texts[i % 2]);
      }
    }
    ::usleep(delay_us);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string text = read_text(path);
    ASSERT_TRUE(text == texts[0] || text == texts[1]) << "after " << delay_us << " us";
  }
}

/// A disk of 256 KiB over a folder, for as long as it lives; root alone can mount one.
class SmallDisk {
 public:
  SmallDisk(const TemporaryFolder& folder, unsigned long flags) : path_(folder.path().string()) {
    if (::mount("rondo_test", path_.c_str(), "tmpfs", flags, "size=256k") != 0) {
      reason_ = std::strerror(errno);
    }
  }
  ~SmallDisk() {
    if (reason_.empty()) {
      ::umount(path_.c_str());
    }
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  /// Why it could not be mounted; empty if it was.
  const std::string& reason() const { return reason_; }

 private:
  std::string path_;
  std::string reason_;
};

TEST(ReplaceFile, SaysThatTheDiskIsFull) {
  const TemporaryFolder folder;
  const SmallDisk disk(folder, 0);
  if (!disk.reason().empty()) {
    GTEST_SKIP() << "a small disk can be mounted by root only: " << disk.reason();
  }
  const std::string path = file_in(folder, "x");
  save(path, "old");
  check_error<IoError>([&] { save(path, std::string(1 << 20, 'n')); },
                       "save: writing failed: '" + path + "': No space left on device");
  EXPECT_EQ(read_text(path), "old");
  EXPECT_EQ(count_files(folder), 1);
}

TEST(ReplaceFile, SaysThatTheFolderIsReadOnly) {
  const TemporaryFolder folder;
  const SmallDisk disk(folder, MS_RDONLY);
  if (!disk.reason().empty()) {
    GTEST_SKIP() << "a read-only disk can be mounted by root only: " << disk.reason();
  }
  const std::string path = file_in(folder, "x");
  check_error<IoError>(
      [&] { replace_file(path); },
      "save: creating a file in its folder failed: '" + path + "': Read-only file system");
}

}  // namespace
}  // namespace rondo::serialize
