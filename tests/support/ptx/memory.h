// Device memory of the stand-in: host memory in which every access is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace rondo::ptx {

/// Allocations have guard zones that nothing may touch, know which bytes have been written, and are
/// never at an address that was used before. Addresses are those of the host.
class DeviceMemory {
 public:
  static constexpr std::size_t kGuard = 512;

  /// Zero if there is no room within `limit()`.
  std::uint64_t allocate(std::size_t bytes);
  /// False if nothing begins there. Returns the text of a fault in `fault` if a guard was written.
  bool release(std::uint64_t address, std::string& fault);

  /// The memory of an access, or null and the reason why it is none. `write` marks the bytes as
  /// written; a read wants them all to be.
  std::byte* access(std::uint64_t address, std::size_t bytes, bool write, std::string& fault);
  /// Marks bytes as written, or all of them as never written.
  std::size_t live_bytes() const { return live_; }
  std::size_t live_count() const { return blocks_.size(); }
  void set_limit(std::size_t bytes) { limit_ = bytes; }
  std::size_t limit() const { return limit_; }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;  // guard, data, guard
    std::size_t bytes = 0;
    std::vector<char> written;
    std::byte* data = nullptr;
  };
  struct Freed {
    std::uint64_t end = 0;
  };
  std::string describe(std::uint64_t address, std::size_t bytes, bool write) const;

  std::map<std::uint64_t, Block> blocks_;
  std::map<std::uint64_t, Block> freed_;  // kept, so that their addresses stay unused
  std::size_t live_ = 0;
  std::size_t kept_ = 0;
  std::size_t limit_ = std::size_t{4} << 30;
  Block* last_ = nullptr;
};

}  // namespace rondo::ptx
