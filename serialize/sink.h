// Where bytes are written to: memory, or a file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rondo::serialize {

/// Takes bytes one after another. What was written counts only after `commit`.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::span<const std::byte> bytes) = 0;
  virtual void commit() = 0;
};

/// Collects the bytes in memory.
class MemorySink final : public Sink {
 public:
  void write(std::span<const std::byte> bytes) override;
  void commit() override {}
  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// A sink that replaces the file `path`: it writes to a temporary file in the same folder; commit
/// flushes it to the disk, renames it and flushes the folder. Until then, and after any failure,
/// `path` is what it was, and without a commit the temporary file is removed. A symbolic link is
/// followed; the permissions of an existing file are kept.
/// Errors: IoError with the path and the system's reason, from creation, write or commit.
std::unique_ptr<Sink> replace_file(const std::string& path);

}  // namespace rondo::serialize
