// Calling an op: arguments to operands and attributes, checks, results, autograd.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/pool_allocator.h"
#include "core/op/executor.h"

namespace rondo {

/// An argument of any type, as C++ callers and the bindings pass it.
class ArgValue {
 public:
  ArgValue() = default;                                                 // None
  ArgValue(std::nullopt_t) {}                                           // NOLINT(*-explicit-*)
  ArgValue(const Tensor& v) : value_(v) {}                              // NOLINT(*-explicit-*)
  ArgValue(const std::vector<Tensor>& v) : value_(v) {}                 // NOLINT(*-explicit-*)
  ArgValue(bool v) : value_(v) {}                                       // NOLINT(*-explicit-*)
  ArgValue(int v) : value_(std::int64_t{v}) {}                          // NOLINT(*-explicit-*)
  ArgValue(long v) : value_(std::int64_t{v}) {}                         // NOLINT(*-explicit-*)
  ArgValue(long long v) : value_(static_cast<std::int64_t>(v)) {}       // NOLINT(*-explicit-*)
  ArgValue(double v) : value_(v) {}                                     // NOLINT(*-explicit-*)
  ArgValue(const Scalar& v);                                            // NOLINT(*-explicit-*)
  ArgValue(Dtype v) : value_(v) {}                                      // NOLINT(*-explicit-*)
  ArgValue(const Ints& v) : value_(v) {}                                // NOLINT(*-explicit-*)
  ArgValue(const Shape& v) : value_(Ints(v.begin(), v.end())) {}        // NOLINT(*-explicit-*)
  ArgValue(std::initializer_list<std::int64_t> v) : value_(Ints(v)) {}  // NOLINT(*-explicit-*)
  ArgValue(const char* v) : value_(std::string(v)) {}                   // NOLINT(*-explicit-*)
  ArgValue(const std::string& v) : value_(v) {}                         // NOLINT(*-explicit-*)

  ArgValue(const Attr& v);  // NOLINT(*-explicit-*)

  using Value = std::variant<std::monostate, Tensor, std::vector<Tensor>, bool, std::int64_t,
                             double, Dtype, Ints, std::string>;
  const Value& value() const { return value_; }
  /// None, or an undefined tensor.
  bool is_none() const {
    const auto* tensor = std::get_if<Tensor>(&value_);
    return tensor != nullptr ? !tensor->defined() : std::holds_alternative<std::monostate>(value_);
  }
  /// "Tensor", "float" and so on, for error texts.
  std::string_view type_name() const;

 private:
  Value value_;
};

/// Operands and attributes in the order of the schema, ready to call.
struct BoundArgs {
  PoolVector<Tensor> inputs;
  PoolVector<Attr> attrs;
};

/// Puts arguments (in schema order; trailing ones may be missing) into their places and fills in
/// defaults. Errors: ArgumentError for a wrong type, a missing or a surplus argument.
BoundArgs bind_args(const OpInfo& op, std::span<const ArgValue> args);

/// Calls `op`: checks, infers, runs (or defers), records for autograd. Errors: those of the op.
void call(const OpInfo& op, std::span<const Tensor> inputs, std::span<const Attr> attrs,
          std::span<Tensor> outputs);

/// Calls the in-place form: the result replaces the contents of the first input, which is returned.
Tensor call_in_place(const OpInfo& op, std::span<const Tensor> inputs, std::span<const Attr> attrs);

/// Binds and calls an op of one result.
Tensor call_one(const OpInfo& op, std::initializer_list<ArgValue> args);
std::vector<Tensor> call_many(const OpInfo& op, std::initializer_list<ArgValue> args);
Tensor call_one_in_place(const OpInfo& op, std::initializer_list<ArgValue> args);

/// In a handler of `error`: throws it on, in the name that the caller knows if it begins with the
/// name of an op.
[[noreturn]] void rethrow_as(std::string_view name, const Error& error);

/// Whether calls record for autograd on this thread.
bool& grad_enabled();

/// Turns recording off (or on) for a scope.
class GradMode {
 public:
  explicit GradMode(bool enabled) : previous_(grad_enabled()) { grad_enabled() = enabled; }
  ~GradMode() { grad_enabled() = previous_; }
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  bool previous_;
};

/// The lowest transform: called after an op whose inputs require gradients. Set by core/autograd.
struct AutogradHooks {
  /// `original`: what before_in_place has given, undefined for other calls.
  void (*record)(const OpCall& call, const Tensor& original) = nullptr;
  /// A copy of the first operand if the call is recorded and its gradient needs what it overwrites.
  /// Errors: ArgumentError for a leaf that requires gradients
  Tensor (*before_in_place)(const OpCall& call, bool records) = nullptr;
  void (*record_view)(const OpCall& call) = nullptr;
};
void set_autograd_hooks(const AutogradHooks& hooks);

/// A contiguous tensor with the same values: itself if it is one already.
Tensor contiguous(const Tensor& tensor);

/// A tensor with storage holding the value of an immediate; others are returned as they are.
Tensor materialize(const Tensor& tensor);

/// Runs what this thread has queued.
void synchronize();

}  // namespace rondo
