#include "serialize/sink.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>

#include "core/base/error.h"
#include "serialize/file_handle.h"

namespace rondo::serialize {
namespace {

constexpr std::size_t kBufferBytes = 1 << 18;
constexpr std::size_t kLongestNamePart = 200;        // file names end at 255 bytes
constexpr std::size_t kLargestWriteBytes = 1 << 30;  // Linux takes less than 2 GiB at once

// The file that a path stands for: links are followed, so that the rename does not replace one.
std::string resolve(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) {
    return path;
  }
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), &::free);
  if (real == nullptr) {
    fail_io("save", "following the link failed", path, errno);
  }
  return real.get();
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return ".";
  }
  return slash == 0 ? "/" : path.substr(0, slash);
}

class FileReplacer final : public Sink {
 public:
  explicit FileReplacer(const std::string& path) : path_(resolve(path)), folder_(folder_of(path_)) {
    struct stat status{};
    const bool exists = ::stat(path_.c_str(), &status) == 0;
    check<IoError>(!exists || S_ISREG(status.st_mode), "save: not a regular file: '{}'", path);
    buffer_.reserve(kBufferBytes);
    create();
    if (exists && ::fchmod(file_.get(), status.st_mode & 0777) != 0) {
      const int error_number = errno;
      discard();
      fail_io("save", "setting the permissions failed", path_, error_number);
    }
  }

  FileReplacer(const FileReplacer&) = delete;
  FileReplacer& operator=(const FileReplacer&) = delete;
  ~FileReplacer() override { discard(); }

  void write(std::span<const std::byte> bytes) override {
    invariant(file_.is_open(), "a file is written to after its commit");
    if (buffer_.size() + bytes.size() > kBufferBytes) {
      flush();
    }
    if (bytes.size() > kBufferBytes) {
      write_through(bytes);
    } else {
      buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    }
  }

  void commit() override {
    flush();
    if (::fsync(file_.get()) != 0) {
      fail_io("save", "flushing to the disk failed", path_, errno);
    }
    if (const int error_number = file_.close(); error_number != 0) {
      fail_io("save", "closing failed", path_, error_number);
    }
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
      fail_io("save", "renaming failed", path_, errno);
    }
    temporary_.clear();
    flush_folder();
  }

 private:
  void create() {
    static std::atomic<unsigned> counter{0};
    const std::string name = path_.substr(path_.rfind('/') + 1).substr(0, kLongestNamePart);
    for (;;) {
      temporary_ = fmt::format("{}/.{}.{}.{}.tmp", folder_, name, ::getpid(), counter++);
      file_ = FileHandle(
          ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
      if (file_.is_open()) {
        return;
      }
      if (errno != EEXIST) {
        const int error_number = errno;
        temporary_.clear();
        fail_io("save", "creating a file in its folder failed", path_, error_number);
      }
    }
  }

  void flush() {
    write_through(buffer_);
    buffer_.clear();
  }

  void write_through(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count =
          ::write(file_.get(), bytes.data(), std::min(bytes.size(), kLargestWriteBytes));
      if (count < 0 && errno != EINTR) {
        fail_io("save", "writing failed", path_, errno);
      }
      bytes = bytes.subspan(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
  }

  // Some file systems cannot flush a folder and say so with EINVAL; there the rename must do.
  void flush_folder() const {
    const FileHandle folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.is_open() || (::fsync(folder.get()) != 0 && errno != EINVAL)) {
      fail_io("save", "the file is written, but flushing its folder failed", path_, errno);
    }
  }

  void discard() {
    if (!temporary_.empty()) {
      ::unlink(temporary_.c_str());
      temporary_.clear();
    }
  }

  std::string path_;
  std::string folder_;
  std::string temporary_;  // empty when there is none
  FileHandle file_;
  std::vector<std::byte> buffer_;
};

}  // namespace

void MemorySink::write(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

std::unique_ptr<Sink> replace_file(const std::string& path) {
  return std::make_unique<FileReplacer>(path);
}

}  // namespace rondo::serialize
