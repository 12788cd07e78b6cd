// Memory of the thread for registers and lanes, kept from run to run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo::codegen::interpreter {

/// At least `bytes` of memory, aligned to 64, that stay this thread's until its next call. New
/// memory is zero. Errors: std::bad_alloc.
std::byte* thread_arena(std::int64_t bytes);

}  // namespace rondo::codegen::interpreter
