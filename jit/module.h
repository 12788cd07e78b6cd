// Loaded programs: a Module is what an archive holds and never changes; a Session (jit/session.h)
// runs it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/tensor/tensor.h"
#include "serialize/bytes.h"
#include "serialize/manifest.h"
#include "serialize/zip_reader.h"

namespace rondo::jit {

struct Program;

class Module : public std::enable_shared_from_this<Module> {
 public:
  /// Reads an archive. Weights lie in place where the source is mapped. All checksums are verified.
  /// Errors: IoError, FormatError.
  static std::shared_ptr<const Module> load(std::shared_ptr<const serialize::Source> source);
  static std::shared_ptr<const Module> load_file(
      const std::string& path, serialize::FileAccess access = serialize::FileAccess::map);
  ~Module();

  const serialize::Manifest& manifest() const { return manifest_; }
  /// Errors: ArgumentError that lists the methods.
  const serialize::Method& method(std::string_view name) const;
  /// The body of a method for a mode. Errors: ArgumentError if it was not exported for it.
  const serialize::Body& body(std::string_view method, serialize::Mode mode) const;
  /// Checks a call against the signature and the guards; gives the sizes of the symbols.
  /// Errors: ArgumentError, DtypeError, ShapeError that name the input or the guard.
  serialize::Bindings check_call(std::string_view method, serialize::Mode mode,
                                 std::span<const Tensor> inputs) const;
  /// The text of a method's graph.
  std::string code(std::string_view method) const;
  /// The place of a tensor in the manifest, by any of its names; -1 if there is none.
  int number(const std::string& name) const;
  /// A parameter, buffer or constant, by any of its names. Undefined if there is none.
  Tensor tensor(const std::string& name) const;
  /// All of them, in the order of the manifest.
  std::span<const Tensor> tensors() const { return tensors_; }

  /// Runs every golden case; returns what differs, in words (empty: all equal to the bit).
  std::vector<std::string> verify() const;

 private:
  friend class Session;
  Module() = default;
  void read_tensors(const serialize::ZipReader& reader);
  void read_programs(const serialize::ZipReader& reader);
  std::vector<Tensor> golden_inputs(const serialize::GoldenCase& golden) const;

  std::shared_ptr<const serialize::ZipReader> reader_;
  serialize::Manifest manifest_;
  std::vector<Tensor> tensors_;
  std::unordered_map<std::string, int> numbers_;
  std::unordered_map<std::string, std::unique_ptr<const Program>> programs_;  // by entry
};

}  // namespace rondo::jit
