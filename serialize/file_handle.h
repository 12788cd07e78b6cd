// Owners of a file descriptor, and the text of errors that the system reports.
#pragma once

#include <string>

namespace rondo::serialize {

/// Owns a file descriptor.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(other.release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle() { close(); }

  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  int release();
  /// Closes it and gives the system's error number, or 0.
  int close();

 private:
  int descriptor_ = -1;
};

/// Throws IoError: `<operation>: <what>: <path>: <reason of error number>`.
[[noreturn]] void fail_io(const char* operation, const char* what, const std::string& path,
                          int error_number);

}  // namespace rondo::serialize
