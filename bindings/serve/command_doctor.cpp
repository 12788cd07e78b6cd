// rondo doctor: what this machine offers.
#include <fmt/format.h>

#include "bindings/serve/arguments.h"
#include "bindings/serve/commands.h"
#include "codegen/device_target.h"
#include "codegen/plugin.h"
#include "core/base/error.h"
#include "core/base/isa.h"
#include "core/base/thread_pool.h"
#include "serialize/manifest.h"

namespace rondo::serve {

int doctor(std::span<const std::string> words) {
  check<ArgumentError>(words.empty(), "rondo doctor: it takes no arguments: {}; leave them out",
                       words.empty() ? "" : words[0]);
  fmt::print("rondo            {}\n", serialize::runtime_version());
  fmt::print("CPU              {}         {} threads\n", isa_name(current_isa()), num_threads());
  const codegen::OpenedTarget& compiler = codegen::llvm_target();
  fmt::print("CPU compiler     {}\n", compiler.target != nullptr
                                          ? compiler.target->identity()
                                          : compiler.reason + "; kernels are interpreted");
  std::string reason;
  codegen::DevicePlugin* plugin = codegen::cuda_plugin(reason);
  if (plugin == nullptr) {
    fmt::print("GPU plug-in      {}; tensors live on the CPU\n", reason);
    return 0;
  }
  bool good = false;
  fmt::print("{}", plugin->report(good));
  return good ? 0 : 1;
}

}  // namespace rondo::serve
