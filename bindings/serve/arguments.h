// The words of a command line: what stands alone, and options with values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::serve {

class Arguments {
 public:
  /// Splits `words` (those behind the command's name). Options are `--name value` or
  /// `--name=value`; those of `flags` have no value. Errors: ArgumentError for an option that is in
  /// neither list.
  Arguments(std::string command, std::span<const std::string> words,
            const std::vector<std::string_view>& options,
            const std::vector<std::string_view>& flags = {});

  /// The only word that stands alone. Errors: ArgumentError unless there is exactly one.
  const std::string& file() const;
  bool has(std::string_view flag) const;
  /// The last value of an option. Errors: ArgumentError unless it is a number in the range.
  std::string text(std::string_view option, std::string_view otherwise) const;
  std::int64_t integer(std::string_view option, std::int64_t least, std::int64_t most,
                       std::int64_t otherwise) const;
  double real(std::string_view option, double least, double most, double otherwise) const;
  /// All values of an option that is given as name=value. Errors: ArgumentError without a '='.
  std::vector<std::pair<std::string, std::string>> pairs(std::string_view option) const;
  /// The numbers of an option given as a list, "1,8,32".
  std::vector<std::int64_t> integers(std::string_view option, std::int64_t least,
                                     std::int64_t most) const;

 private:
  const std::string* find(std::string_view option) const;

  std::string command_;
  std::vector<std::string> alone_;
  std::vector<std::pair<std::string, std::string>> options_;
};

}  // namespace rondo::serve
