#include "core/base/error.h"

#include <array>
#include <utility>

namespace rondo {
namespace {

constexpr std::array kNames{
    "ShapeError",       "DtypeError",       "DeviceError",    "IndexError", "ArgumentError",
    "OutOfMemoryError", "UnsupportedError", "CancelledError", "IoError",    "FormatError",
    "CompileError",     "InternalError",    "DeadlineError"};
constexpr std::size_t kKinds = static_cast<std::size_t>(ErrorKind::deadline) + 1;
static_assert(kNames.size() == kKinds);

template <std::size_t... I>
[[noreturn]] void throw_kind(ErrorKind kind, const std::string& text, std::index_sequence<I...>) {
  (...,
   (static_cast<ErrorKind>(I) == kind ? throw ErrorOf<static_cast<ErrorKind>(I)>(text) : void()));
  throw InternalError("internal: an error of unknown kind: " + text);
}

}  // namespace

const char* error_name(ErrorKind kind) {
  return kNames.at(static_cast<std::size_t>(kind));
}

void throw_error(ErrorKind kind, const std::string& text) {
  throw_kind(kind, text, std::make_index_sequence<kNames.size()>{});
}

void throw_formatted(ErrorKind kind, fmt::string_view format, fmt::format_args args) {
  throw_error(kind, fmt::vformat(format, args));
}

}  // namespace rondo
