#include "tracer/repeat_finder.h"

#include <random>

#include "tracer/params.h"

namespace rondo::tracer {
namespace {

constexpr std::uint64_t kModulus = (std::uint64_t{1} << 61) - 1;

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  const std::uint64_t sum =
      (static_cast<std::uint64_t>(product) & kModulus) + static_cast<std::uint64_t>(product >> 61);
  return sum >= kModulus ? sum - kModulus : sum;
}

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

std::uint64_t process_base() {
  static const std::uint64_t base = [] {
    std::random_device device;
    return ((std::uint64_t{device()} << 32) | device()) % (kModulus - 2) + 2;
  }();
  return base;
}

}  // namespace

Params& params() {
  static Params instance;
  return instance;
}

RepeatFinder::RepeatFinder() : base_(process_base()) {}

std::uint64_t RepeatFinder::hash(std::uint64_t from, std::uint64_t to) const {
  const std::uint64_t mask = prefix_.size() - 1;
  const std::uint64_t low = multiply(prefix_[from & mask], powers_[to - from]);
  const std::uint64_t high = prefix_[to & mask];
  return high >= low ? high - low : high + kModulus - low;
}

bool RepeatFinder::repeats(std::uint64_t period) const {
  const auto occurrences = static_cast<std::uint64_t>(params().occurrences);
  if (period * occurrences >= prefix_.size() || count_ < period * occurrences) {
    return false;
  }
  const std::uint64_t last = hash(count_ - period, count_);
  for (std::uint64_t i = 1; i < occurrences; ++i) {
    if (hash(count_ - (i + 1) * period, count_ - i * period) != last) {
      return false;
    }
  }
  return true;
}

std::uint64_t RepeatFinder::push(std::uint64_t token) {
  if (prefix_.empty()) {
    const std::size_t ring = params().ring;
    tokens_.assign(ring, 0);
    prefix_.assign(ring, 0);
    sums_.assign(ring, 0);
    powers_.assign(ring, 1);
    seen_.assign(ring, {});
    for (std::size_t i = 1; i < ring; ++i) {
      powers_[i] = multiply(powers_[i - 1], base_);
    }
  }
  const std::uint64_t mask = prefix_.size() - 1;
  std::uint64_t h = multiply(prefix_[count_ & mask], base_) + (token & kModulus);
  h = h >= kModulus ? h - kModulus : h;
  tokens_[count_ & mask] = token;
  sums_[(count_ + 1) & mask] = sums_[count_ & mask] + mix(token);
  ++count_;
  prefix_[count_ & mask] = h;
  const auto gram = static_cast<std::uint64_t>(params().gram);
  if (count_ <= gram) {
    return 0;
  }
  const std::uint64_t fingerprint = hash(count_ - gram, count_);
  Seen& seen = seen_[mix(fingerprint) & mask];
  std::uint64_t period = 0;
  if (seen.gram == fingerprint) {
    const std::uint64_t distance = count_ - seen.place;
    period = distance < prefix_.size() && repeats(distance) ? distance : 0;
  }
  seen = {fingerprint, count_};
  return period;
}

std::uint64_t RepeatFinder::rotation_hash(std::uint64_t period) const {
  const std::uint64_t mask = sums_.size() - 1;
  return mix(sums_[count_ & mask] - sums_[(count_ - period) & mask] + period);
}

std::uint64_t RepeatFinder::recent(std::uint64_t back) const {
  if (back > count_ || back >= tokens_.size()) {
    return 0;
  }
  return tokens_[(count_ - back) & (tokens_.size() - 1)];
}

}  // namespace rondo::tracer
