// Runs a kernel: block after block, the threads of a block as fibers between barriers and shuffles.
#pragma once

#include "tests/support/ptx/thread.h"

namespace rondo::ptx {

struct Launch {
  std::array<unsigned, 3> grid{1, 1, 1};
  std::array<unsigned, 3> threads{1, 1, 1};
  const std::byte* parameters = nullptr;
  std::size_t parameter_bytes = 0;
  bool last_first = false;  // threads and blocks in falling order: what depends on the order shows
};

/// Errors: PtxError that says where: an access outside of memory, of freed or of unwritten bytes, a
/// barrier that not all threads reach, a shuffle whose threads are elsewhere.
void run_kernel(Module& module, const std::string& name, const Launch& launch,
                DeviceMemory& memory);

}  // namespace rondo::ptx
