#include "serialize/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/base/error.h"
#include "serialize/text.h"

namespace rondo::serialize {
namespace {

std::vector<std::string_view> symbols_of(const ValueSpec& spec) {
  std::vector<std::string_view> names;
  for (const Dimension& dimension : spec.shape) {
    std::ranges::copy(dimension.symbols(), std::back_inserter(names));
  }
  return names;
}

// Binds symbols and remembers which input gave each size.
class InputCheck {
 public:
  InputCheck(std::string_view method, std::span<const ValueSpec> specs,
             std::span<const ActualValue> values)
      : method_(method), specs_(specs), values_(values) {}

  Bindings run() {
    check_count();
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      bind(i);
    }
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      check_sizes(i);
    }
    return std::move(bindings_);
  }

 private:
  void check_count() const {
    if (specs_.size() == values_.size()) {
      return;
    }
    std::vector<std::string> names;
    names.reserve(specs_.size());
    for (const ValueSpec& spec : specs_) {
      names.push_back(in_quotes(spec.name));
    }
    fail<ArgumentError>("{}: wrong number of inputs: expected {} ({}), got {}", method_,
                        specs_.size(), fmt::join(names, ", "), values_.size());
  }

  // Dtype and rank are checked on the way: without the rank nothing can be bound.
  void bind(std::size_t input) {
    const ValueSpec& spec = specs_[input];
    const ActualValue& value = values_[input];
    const bool negative = std::ranges::any_of(value.shape, [](auto size) { return size < 0; });
    if (spec.shape.size() != value.shape.size() || negative) {
      fail_input<ShapeError>(input, "");
    }
    if (spec.dtype != value.dtype) {
      fail_input<DtypeError>(input, "");
    }
    for (std::size_t i = 0; i < spec.shape.size(); ++i) {
      const Dimension& dimension = spec.shape[i];
      if (dimension.is_symbol() && !bindings_.find(dimension.symbol_name())) {
        bindings_.set(dimension.symbol_name(), value.shape[i]);
        givers_.push_back(input);
      }
    }
  }

  void check_sizes(std::size_t input) const {
    const ValueSpec& spec = specs_[input];
    for (std::size_t i = 0; i < spec.shape.size(); ++i) {
      if (evaluate(input, spec.shape[i]) != values_[input].shape[i]) {
        fail_input<ShapeError>(input, sizes_from_other_inputs(input));
      }
    }
  }

  std::int64_t evaluate(std::size_t input, const Dimension& dimension) const {
    try {
      return dimension.evaluate(bindings_);
    } catch (const ArgumentError& error) {
      fail_input<ShapeError>(input, fmt::format("; {}", error.what()));
    }
  }

  template <class E>
  [[noreturn]] void fail_input(std::size_t input, std::string_view note) const {
    fail<E>("{}: input {} is invalid: expected {}, got {}{}", method_,
            in_quotes(specs_[input].name), describe(specs_[input]), describe(values_[input]), note);
  }

  // "; batch is 4 (from 'x')" for each symbol of an input whose size another input gave.
  std::string sizes_from_other_inputs(std::size_t input) const {
    std::string text;
    const std::vector<std::string_view> symbols = symbols_of(specs_[input]);
    for (std::size_t i = 0; i < givers_.size(); ++i) {
      const auto& [symbol, size] = bindings_.all()[i];
      if (givers_[i] != input && std::ranges::find(symbols, symbol) != symbols.end()) {
        text +=
            fmt::format("; {} is {} (from {})", symbol, size, in_quotes(specs_[givers_[i]].name));
      }
    }
    return text;
  }

  std::string_view method_;
  std::span<const ValueSpec> specs_;
  std::span<const ActualValue> values_;
  Bindings bindings_;
  std::vector<std::size_t> givers_;  // for each binding, the input that it comes from
};

}  // namespace

std::string describe(const ValueSpec& spec) {
  std::vector<std::string> sizes;
  sizes.reserve(spec.shape.size());
  for (const Dimension& dimension : spec.shape) {
    sizes.push_back(dimension.text());
  }
  return fmt::format("[{}] of {}", fmt::join(sizes, ", "), dtype_name(spec.dtype));
}

std::string describe(const ActualValue& value) {
  return fmt::format("[{}] of {}", fmt::join(value.shape, ", "), dtype_name(value.dtype));
}

Bindings check_inputs(std::string_view method, std::span<const ValueSpec> specs,
                      std::span<const ActualValue> values) {
  return InputCheck(method, specs, values).run();
}

std::vector<std::string_view> unbound_symbols(std::span<const ValueSpec> specs) {
  std::set<std::string_view> bound;
  for (const ValueSpec& spec : specs) {
    for (const Dimension& dimension : spec.shape) {
      if (dimension.is_symbol()) {
        bound.insert(dimension.symbol_name());
      }
    }
  }
  std::set<std::string_view> seen;
  std::vector<std::string_view> unbound;
  for (const ValueSpec& spec : specs) {
    for (const std::string_view symbol : symbols_of(spec)) {
      if (!bound.contains(symbol) && seen.insert(symbol).second) {
        unbound.push_back(symbol);
      }
    }
  }
  return unbound;
}

}  // namespace rondo::serialize
