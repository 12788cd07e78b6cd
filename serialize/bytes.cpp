#include "serialize/bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "core/base/error.h"
#include "serialize/file_handle.h"

namespace rondo::serialize {
namespace {

constexpr std::align_val_t kBufferAlignment{64};
constexpr std::uint64_t kAddressSpaceBytes = std::uint64_t{1} << 47;

class MemorySource final : public Source {
 public:
  MemorySource(Bytes bytes, std::string name)
      : Source(std::move(name), bytes.size()), bytes_(std::move(bytes)) {}

 private:
  Bytes do_read(std::uint64_t offset, std::uint64_t size) const override {
    return {bytes_.owner(), bytes_.view().subspan(offset, size)};
  }
  void do_read_into(std::uint64_t offset, std::span<std::byte> out) const override {
    std::copy_n(bytes_.data() + offset, out.size(), out.data());
  }

  Bytes bytes_;
};

class ReaderSource final : public Source {
 public:
  ReaderSource(ReadFunction read, std::uint64_t size, std::string name)
      : Source(std::move(name), size), read_(std::move(read)) {}

 private:
  void do_read_into(std::uint64_t offset, std::span<std::byte> out) const override {
    const std::size_t count = read_(offset, out);
    check<IoError>(count == out.size(),
                   "read: '{}' ended early: {} bytes at offset {}; expected {}", name(), count,
                   offset, out.size());
  }

  ReadFunction read_;
};

class FileSource final : public Source {
 public:
  FileSource(FileHandle file, std::uint64_t size, std::string path)
      : Source(std::move(path), size), file_(std::move(file)) {}

 private:
  void do_read_into(std::uint64_t offset, std::span<std::byte> out) const override {
    for (std::size_t done = 0; done < out.size();) {
      const ssize_t count = ::pread(file_.get(), out.data() + done, out.size() - done,
                                    static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) {
        continue;
      }
      if (count < 0) {
        fail_io("read", "reading failed", name(), errno);
      }
      check<IoError>(count > 0, "read: '{}' ended early: {} bytes at offset {}; expected {}",
                     name(), done, offset, out.size());
      done += static_cast<std::size_t>(count);
    }
  }

  FileHandle file_;
};

Bytes map_file(const FileHandle& file, std::uint64_t size, const std::string& path) {
  if (size == 0) {
    return {};  // nothing can be mapped
  }
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) {
    fail_io("open", "mapping failed", path, errno);
  }
  const std::shared_ptr<const void> owner(address,
                                          [size](void* mapped) { ::munmap(mapped, size); });
  return {owner, {static_cast<const std::byte*>(address), size}};
}

}  // namespace

Buffer::Buffer(std::uint64_t size) : size_(size) {
  if (size == 0) {
    return;
  }
  if (size < kAddressSpaceBytes) {
    data_.reset(static_cast<std::byte*>(::operator new(size, kBufferAlignment, std::nothrow)));
  }
  check<OutOfMemoryError>(data_ != nullptr, "read: no memory for {} bytes", size);
}

Bytes Buffer::share() && {
  const std::span<const std::byte> view = span();
  size_ = 0;
  return {std::shared_ptr<const std::byte>(std::move(data_)), view};
}

void Buffer::Free::operator()(std::byte* data) const {
  ::operator delete(data, kBufferAlignment);
}

Bytes Source::read(std::uint64_t offset, std::uint64_t size) const {
  check_range(offset, size);
  return size == 0 ? Bytes() : do_read(offset, size);
}

void Source::read_into(std::uint64_t offset, std::span<std::byte> out) const {
  check_range(offset, out.size());
  if (!out.empty()) {
    do_read_into(offset, out);
  }
}

Bytes Source::do_read(std::uint64_t offset, std::uint64_t size) const {
  Buffer buffer(size);
  do_read_into(offset, buffer.span());
  return std::move(buffer).share();
}

void Source::check_range(std::uint64_t offset, std::uint64_t size) const {
  check<FormatError>(offset <= size_ && size <= size_ - offset,
                     "read: '{}' is too short: it has {} bytes; expected {} at offset {}", name_,
                     size_, size, offset);
}

std::shared_ptr<const Source> open_file(const std::string& path, FileAccess access) {
  FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) {
    fail_io("open", "opening failed", path, errno);
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) {
    fail_io("open", "asking for its size failed", path, errno);
  }
  check<IoError>(S_ISREG(status.st_mode), "open: not a regular file: '{}'", path);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (access == FileAccess::map) {
    return open_bytes(map_file(file, size, path), path);
  }
  return std::make_shared<FileSource>(std::move(file), size, path);
}

std::shared_ptr<const Source> open_bytes(Bytes bytes, std::string name) {
  return std::make_shared<MemorySource>(std::move(bytes), std::move(name));
}

std::shared_ptr<const Source> open_reader(ReadFunction read, std::uint64_t size, std::string name) {
  return std::make_shared<ReaderSource>(std::move(read), size, std::move(name));
}

}  // namespace rondo::serialize
