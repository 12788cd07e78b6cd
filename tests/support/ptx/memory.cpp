#include "tests/support/ptx/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace rondo::ptx {
namespace {

constexpr std::byte kGuardByte{0xA5};
constexpr std::byte kPoisonByte{
    0xFB};  // of four of them a float32 is a NaN... of no use to anybody
constexpr std::size_t kAlignment = 256;
constexpr std::size_t kKeptBytes = std::size_t{256} << 20;  // of freed blocks

}  // namespace

std::uint64_t DeviceMemory::allocate(std::size_t bytes) {
  if (bytes > limit_ - std::min(limit_, live_)) {
    return 0;
  }
  Block block;
  block.bytes = bytes;
  const std::size_t room = bytes + 2 * kGuard + kAlignment;
  block.memory = std::make_unique<std::byte[]>(room);
  const auto begin = reinterpret_cast<std::uintptr_t>(block.memory.get());
  const std::uintptr_t data = (begin + kGuard + kAlignment - 1) / kAlignment * kAlignment;
  block.data = block.memory.get() + (data - begin);
  std::memset(block.memory.get(), static_cast<int>(kGuardByte), room);
  std::memset(block.data, static_cast<int>(kPoisonByte), bytes);
  block.written.assign(bytes, 0);
  live_ += bytes;
  blocks_.emplace(data, std::move(block));
  return data;
}

bool DeviceMemory::release(std::uint64_t address, std::string& fault) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) {
    return false;
  }
  Block& block = found->second;
  const auto whole = [](const std::byte* begin, const std::byte* end) {
    return std::all_of(begin, end, [](std::byte b) { return b == kGuardByte; });
  };
  if (!whole(block.data - kGuard, block.data) ||
      !whole(block.data + block.bytes, block.data + block.bytes + kGuard)) {
    fault = fmt::format("the guard zone of an allocation of {} bytes was written", block.bytes);
  }
  live_ -= block.bytes;
  kept_ += block.bytes;
  last_ = nullptr;
  freed_.insert(blocks_.extract(found));
  while (kept_ > kKeptBytes) {
    kept_ -= freed_.begin()->second.bytes;
    freed_.erase(freed_.begin());
  }
  return true;
}

std::string DeviceMemory::describe(std::uint64_t address, std::size_t bytes, bool write) const {
  const char* what = write ? "write" : "read";
  const auto near = [&](const std::map<std::uint64_t, Block>& blocks, const char* state) {
    auto at = blocks.upper_bound(address);
    if (at == blocks.begin()) {
      return std::string();
    }
    --at;
    const auto offset = static_cast<std::int64_t>(address - at->first);
    if (offset > static_cast<std::int64_t>(at->second.bytes + (std::size_t{1} << 20))) {
      return std::string();
    }
    return fmt::format("{} of {} bytes at byte {} of {} allocation of {} bytes", what, bytes,
                       offset, state, at->second.bytes);
  };
  std::string text = near(freed_, "a freed");
  const std::string live = near(blocks_, "an");
  const auto freed = freed_.upper_bound(address);
  const bool in_freed =
      freed != freed_.begin() && address < std::prev(freed)->first + std::prev(freed)->second.bytes;
  if (!in_freed || text.empty()) {
    text = live;
  }
  return text.empty() ? fmt::format("{} of {} bytes outside of all allocations", what, bytes)
                      : text;
}

std::byte* DeviceMemory::access(std::uint64_t address, std::size_t bytes, bool write,
                                std::string& fault) {
  Block* block = last_;
  const auto holds = [&](const Block& b) {
    const auto begin = reinterpret_cast<std::uint64_t>(b.data);
    return address >= begin && address + bytes <= begin + b.bytes;
  };
  if (block == nullptr || !holds(*block)) {
    auto at = blocks_.upper_bound(address);
    if (at == blocks_.begin() || !holds((--at)->second)) {
      fault = describe(address, bytes, write);
      return nullptr;
    }
    block = last_ = &at->second;
  }
  const std::size_t offset = address - reinterpret_cast<std::uint64_t>(block->data);
  char* written = block->written.data() + offset;
  if (write) {
    std::memset(written, 1, bytes);
  } else if (std::memchr(written, 0, bytes) != nullptr) {
    fault = fmt::format(
        "read of bytes that nothing has written: {} at byte {} of an allocation of "
        "{} bytes",
        bytes, offset, block->bytes);
    return nullptr;
  }
  return block->data + offset;
}

}  // namespace rondo::ptx
