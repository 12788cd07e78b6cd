// The exceptions of the library and the two ways to throw them: check (the caller's fault) and
// invariant (ours).
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>

namespace rondo {

/// The kinds of error. Bindings map each to one exception of their language; numbers are stable.
enum class ErrorKind {
  shape,
  dtype,
  device,
  index,
  argument,
  out_of_memory,
  unsupported,
  cancelled,
  io,
  format,
  compile,
  internal,
  deadline,
};

/// The name of a kind as users see it, for example "ShapeError".
const char* error_name(ErrorKind kind);

/// Base of every exception that Rondo throws. Texts read `op: what is wrong: the values; what is
/// required`.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// One class per kind, so that each can be caught by type.
template <ErrorKind Kind>
class ErrorOf : public Error {
 public:
  static constexpr ErrorKind kKind = Kind;
  explicit ErrorOf(const std::string& text) : Error(Kind, text) {}
};

using ShapeError = ErrorOf<ErrorKind::shape>;
using DtypeError = ErrorOf<ErrorKind::dtype>;
using DeviceError = ErrorOf<ErrorKind::device>;
using IndexError = ErrorOf<ErrorKind::index>;
using ArgumentError = ErrorOf<ErrorKind::argument>;
using OutOfMemoryError = ErrorOf<ErrorKind::out_of_memory>;
using UnsupportedError = ErrorOf<ErrorKind::unsupported>;
using CancelledError = ErrorOf<ErrorKind::cancelled>;
using IoError = ErrorOf<ErrorKind::io>;
using FormatError = ErrorOf<ErrorKind::format>;
using CompileError = ErrorOf<ErrorKind::compile>;
using InternalError = ErrorOf<ErrorKind::internal>;
using DeadlineError = ErrorOf<ErrorKind::deadline>;

/// Throws the class of `kind`.
[[noreturn]] void throw_error(ErrorKind kind, const std::string& text);
[[noreturn]] void throw_formatted(ErrorKind kind, fmt::string_view format, fmt::format_args args);

/// Throws E with the formatted text.
template <class E, class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw_formatted(E::kKind, format, fmt::make_format_args(args...));
}

/// Throws E with the formatted text unless `condition` holds: for what a caller can get wrong.
template <class E, class... Args>
void check(bool condition, fmt::format_string<Args...> format, Args&&... args) {
  if (!condition) [[unlikely]] {
    throw_formatted(E::kKind, format, fmt::make_format_args(args...));
  }
}

/// Throws InternalError unless `condition` holds: for what only a defect of Rondo can break.
inline void invariant(bool condition, const char* what) {
  if (!condition) [[unlikely]] {
    throw_error(ErrorKind::internal,
                std::string("internal: ") + what + ": this is a defect of Rondo; please report it");
  }
}

}  // namespace rondo
