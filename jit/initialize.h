// Start of the library.
#pragma once

namespace rondo::jit {

/// Registers ops, autograd and the executor of threads. Any call after the first does nothing.
void initialize();

}  // namespace rondo::jit
