// Kernel semantics by the letter of codegen/kernel.h: slow, and what every target is compared with.
#pragma once

#include "codegen/kernel.h"

namespace rondo::codegen {

/// Runs a call, value by value: the whole row of one instruction after the other, and all stores at
/// the end of the call. Needs no scratch.
void run_reference(const Kernel& kernel, const KernelArgs& args);

}  // namespace rondo::codegen
