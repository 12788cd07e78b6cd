#include "core/base/isa.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "core/base/error.h"

namespace rondo {
namespace {

constexpr int kUnknown = -1;
std::atomic<int> chosen{kUnknown};

void check_supported(Isa isa) {
  check<UnsupportedError>(is_supported(isa),
                          "isa: this CPU cannot run x86-64-{} code; x86-64-v3 (AVX2 and FMA) is "
                          "required, and v4 needs AVX-512",
                          isa_name(isa));
}

}  // namespace

const char* isa_name(Isa isa) {
  return isa == Isa::v3 ? "v3" : "v4";
}

bool is_supported(Isa isa) {
  if (isa == Isa::v3) {
    return __builtin_cpu_supports("x86-64-v3") != 0;
  }
  return __builtin_cpu_supports("x86-64-v4") != 0;
}

Isa choose_isa(const char* name) {
  if (name == nullptr) {
    const Isa best = is_supported(Isa::v4) ? Isa::v4 : Isa::v3;
    check_supported(best);
    return best;
  }
  const std::string_view text = name;
  check<ArgumentError>(text == "v3" || text == "v4",
                       "isa: unknown level in RONDO_ISA: '{}'; expected v3 or v4", text);
  const Isa asked = text == "v3" ? Isa::v3 : Isa::v4;
  check_supported(asked);
  return asked;
}

Isa current_isa() {
  const int isa = chosen.load(std::memory_order_relaxed);
  if (isa != kUnknown) [[likely]] {
    return static_cast<Isa>(isa);
  }
  const Isa first = choose_isa(std::getenv("RONDO_ISA"));
  chosen.store(static_cast<int>(first), std::memory_order_relaxed);
  return first;
}

void set_isa(Isa isa) {
  check_supported(isa);
  chosen.store(static_cast<int>(isa), std::memory_order_relaxed);
}

}  // namespace rondo
