// The kernel cache on disk: one checksummed file for each kernel, shared by all processes of a
// user.
#pragma once

#include <mutex>
#include <string>

#include "codegen/target.h"

namespace rondo::jit {

/// In RONDO_CACHE_DIR, XDG_CACHE_HOME/rondo or HOME/.cache/rondo. A missing or read-only folder,
/// and any failure, only means that kernels are compiled again. The folder must belong to the user
/// and be closed to others, for it holds code that is executed.
class DiskCache {
 public:
  static DiskCache& instance();

  /// False if it is not there. A damaged file is deleted.
  bool read(const std::string& key, codegen::MachineCode& code);
  void write(const std::string& key, const codegen::MachineCode& code);

  /// The folder; empty if there is none to use.
  const std::string& folder();

 private:
  /// Removes what was used longest ago, above the limit, and what was never finished.
  void sweep();

  std::mutex mutex_;
  bool opened_ = false;
  std::string folder_;
};

}  // namespace rondo::jit
