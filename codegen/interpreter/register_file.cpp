#include "codegen/interpreter/register_file.h"

#include <algorithm>
#include <limits>

namespace rondo::codegen::interpreter {
namespace {

// Registers of a block should stay in the first-level cache; small blocks cost too many calls.
constexpr std::int64_t kRegisterBytes = 4096;
constexpr std::int64_t kCacheBytes = 49152;
constexpr std::int64_t kSmallestBlock = 256;

}  // namespace

int RegisterFile::define(std::int64_t bytes, bool shares) {
  lives_.push_back({position_, position_, bytes, shares});
  return static_cast<int>(lives_.size()) - 1;
}

int RegisterFile::define_elsewhere() {
  return define(0);
}

void RegisterFile::use(int value) {
  Life& life = lives_[static_cast<std::size_t>(value)];
  life.last = std::max(life.last, position_);
  if (loop_begin_ >= 0 && life.first < loop_begin_) {
    looped_.push_back(value);
  }
}

void RegisterFile::use_in_loop(int value) {
  looped_.push_back(value);
}

void RegisterFile::keep(int value) {
  lives_[static_cast<std::size_t>(value)].last = std::numeric_limits<int>::max();
}

void RegisterFile::begin_loop() {
  loop_begin_ = position_;
}

void RegisterFile::end_loop() {
  for (const int value : looped_) {
    Life& life = lives_[static_cast<std::size_t>(value)];
    life.last = std::max(life.last, position_);
  }
  looped_.clear();
  loop_begin_ = -1;
  next();
}

std::vector<int> RegisterFile::registers(int& count) const {
  std::vector<int> result(lives_.size(), 0);
  std::vector<int> holder;  // the value that a register holds
  for (std::size_t v = 0; v < lives_.size(); ++v) {
    const Life& life = lives_[v];
    if (life.bytes == 0) {
      continue;
    }
    const auto is_free = [&](int held) {
      const Life& other = lives_[static_cast<std::size_t>(held)];
      return other.last < life.first ||
             (life.shares && other.last == life.first && other.bytes == life.bytes);
    };
    const auto found = std::find_if(holder.begin(), holder.end(), is_free);
    const auto place = found - holder.begin();
    if (found == holder.end()) {
      holder.push_back(0);
    }
    holder[static_cast<std::size_t>(place)] = static_cast<int>(v);
    result[v] = static_cast<int>(place);
  }
  count = static_cast<int>(holder.size());
  return result;
}

void RegisterFile::assign(Body& body) const {
  int count = 0;
  const std::vector<int> numbers = registers(count);
  std::int64_t bytes = 4;
  for (const Life& life : lives_) {
    bytes = std::max(bytes, life.bytes);
  }
  body.block = kRegisterBytes / bytes;
  while (body.block > kSmallestBlock && body.block * bytes * count > kCacheBytes) {
    body.block /= 2;
  }
  const std::int64_t size = body.block * bytes;
  for (const int number : numbers) {
    body.places.push_back(number * size);
  }
  body.staging = count * size;
  body.register_bytes = (count + (staging_ ? 1 : 0)) * size;
}

}  // namespace rondo::codegen::interpreter
