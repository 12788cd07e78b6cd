// Loaded programs: a Module is what an archive holds and never changes; a Session runs it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.h"
#include "serialize/bytes.h"
#include "serialize/manifest.h"
#include "serialize/zip_reader.h"

namespace rondo::jit {

/// A graph with its expressions parsed, ready to run.
struct Program;

class Module {
 public:
  /// Reads an archive. Weights lie in place where the source is mapped. All checksums are verified.
  /// Errors: IoError, FormatError.
  static std::shared_ptr<const Module> load(std::shared_ptr<const serialize::Source> source);
  static std::shared_ptr<const Module> load_file(const std::string& path);
  ~Module();

  const serialize::Manifest& manifest() const { return manifest_; }
  /// Errors: ArgumentError that lists the methods.
  const serialize::Method& method(std::string_view name) const;
  /// The text of a method's graph.
  std::string code(std::string_view method) const;
  /// A parameter, buffer or constant, by any of its names. Undefined if there is none.
  Tensor tensor(const std::string& name) const;

  /// Runs every golden case; returns what differs, in words (empty: all equal to the bit).
  std::vector<std::string> verify() const;

 private:
  friend class Session;
  Module() = default;
  const Program& program(std::string_view method, serialize::Mode mode) const;
  void read_tensors(const serialize::ZipReader& reader);
  void read_programs(const serialize::ZipReader& reader);

  std::shared_ptr<const serialize::ZipReader> reader_;
  serialize::Manifest manifest_;
  std::unordered_map<std::string, Tensor> tensors_;
  std::unordered_map<std::string, std::unique_ptr<const Program>> programs_;  // by entry
};

/// Runs a module's methods on one thread at a time; sessions of one module share its weights.
class Session {
 public:
  explicit Session(std::shared_ptr<const Module> module) : module_(std::move(module)) {}

  /// Checks the inputs against the signature and runs. Errors: ArgumentError, DtypeError,
  /// ShapeError that name the input; ArgumentError if the session is in use by another thread.
  std::vector<Tensor> run(std::string_view method, const std::vector<Tensor>& inputs,
                          serialize::Mode mode = serialize::Mode::eval);

  const Module& module() const { return *module_; }

 private:
  std::shared_ptr<const Module> module_;
  std::atomic_flag in_use_ = ATOMIC_FLAG_INIT;
};

}  // namespace rondo::jit
