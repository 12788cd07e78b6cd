#include "core/op/attr.h"

#include <fmt/format.h>

#include <functional>

namespace rondo {
namespace {

struct Printer {
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool v) const { return v ? "True" : "False"; }
  std::string operator()(std::int64_t v) const { return std::to_string(v); }
  std::string operator()(Dtype v) const { return std::string(dtype_name(v)); }
  std::string operator()(const Ints& v) const { return fmt::format("[{}]", fmt::join(v, ", ")); }
  std::string operator()(const std::string& v) const { return fmt::format("\"{}\"", v); }
};

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
  return h ^ (h >> 29);
}

struct Hasher {
  std::uint64_t operator()(std::monostate) const { return 1; }
  std::uint64_t operator()(bool v) const { return v ? 3 : 2; }
  std::uint64_t operator()(std::int64_t v) const { return mix(4, static_cast<std::uint64_t>(v)); }
  std::uint64_t operator()(Dtype v) const { return mix(5, static_cast<std::uint64_t>(v)); }
  std::uint64_t operator()(const Ints& v) const {
    std::uint64_t h = mix(6, v.size());
    for (const std::int64_t i : v) {
      h = mix(h, static_cast<std::uint64_t>(i));
    }
    return h;
  }
  std::uint64_t operator()(const std::string& v) const {
    return mix(7, std::hash<std::string>{}(v));
  }
};

}  // namespace

std::string Attr::str() const {
  return std::visit(Printer{}, value_);
}
std::uint64_t Attr::hash() const {
  return std::visit(Hasher{}, value_);
}

}  // namespace rondo
