#include "serialize/file_handle.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/error.h"

namespace rondo::serialize {

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = other.release();
  }
  return *this;
}

int FileHandle::release() {
  return std::exchange(descriptor_, -1);
}

int FileHandle::close() {
  const int descriptor = release();
  return descriptor >= 0 && ::close(descriptor) != 0 ? errno : 0;
}

void fail_io(const char* operation, const char* what, const std::string& path, int error_number) {
  fail<IoError>("{}: {}: '{}': {}", operation, what, path,
                std::generic_category().message(error_number));
}

}  // namespace rondo::serialize
