// Where bytes are read from: a mapped file, a file that is copied, memory, or a callback.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace rondo::serialize {

/// Read-only bytes together with what keeps them alive.
class Bytes {
 public:
  Bytes() = default;
  Bytes(std::shared_ptr<const void> owner, std::span<const std::byte> view)
      : owner_(std::move(owner)), view_(view) {}

  std::span<const std::byte> view() const { return view_; }
  const std::byte* data() const { return view_.data(); }
  std::size_t size() const { return view_.size(); }
  const std::shared_ptr<const void>& owner() const { return owner_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(view_.data()), view_.size()};
  }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> view_;
};

/// Fresh memory aligned to 64 bytes, to be filled once and then shared as Bytes.
class Buffer {
 public:
  /// Errors: OutOfMemoryError if there is not that much memory.
  explicit Buffer(std::uint64_t size);

  std::span<std::byte> span() const { return {data_.get(), size_}; }
  /// The memory as Bytes; the buffer is empty afterwards.
  Bytes share() &&;

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

/// A sequence of bytes of known size that can be read at any place, from any thread.
class Source {
 public:
  virtual ~Source() = default;

  /// What error texts call it: the path, or the name given by the caller.
  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }

  /// The bytes [offset, offset + size): in place where the source lies in memory, else a copy.
  /// Errors: FormatError if they pass the end; IoError if reading fails.
  Bytes read(std::uint64_t offset, std::uint64_t size) const;

  /// The same, copied to the start of `out`, as many as it holds.
  void read_into(std::uint64_t offset, std::span<std::byte> out) const;

 protected:
  Source(std::string name, std::uint64_t size) : name_(std::move(name)), size_(size) {}

 private:
  // Both are called with ranges inside the source that are not empty.
  virtual Bytes do_read(std::uint64_t offset, std::uint64_t size) const;
  virtual void do_read_into(std::uint64_t offset, std::span<std::byte> out) const = 0;
  void check_range(std::uint64_t offset, std::uint64_t size) const;

  std::string name_;
  std::uint64_t size_;
};

/// How a file is read. A mapped file must not be changed in place while it is in use (replacing it
/// by a rename is safe); `copy` is for those who do.
enum class FileAccess { map, copy };

/// A regular file. Errors: IoError with the path and the system's reason.
std::shared_ptr<const Source> open_file(const std::string& path,
                                        FileAccess access = FileAccess::map);

/// Bytes in memory, used in place.
std::shared_ptr<const Source> open_bytes(Bytes bytes, std::string name);

/// Fills `out` with the bytes at `offset` and returns how many it read; fewer than asked is an
/// IoError. It may throw, and may be called from several threads at once.
using ReadFunction = std::function<std::size_t(std::uint64_t offset, std::span<std::byte> out)>;

/// A source of `size` bytes behind a callback, for example an object store.
std::shared_ptr<const Source> open_reader(ReadFunction read, std::uint64_t size, std::string name);

}  // namespace rondo::serialize
