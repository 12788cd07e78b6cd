// The x86-64 vector level that kernels run at: chosen once, from the machine or from RONDO_ISA.
#pragma once

#include <cstdint>

namespace rondo {

/// Kernels are compiled for x86-64-v3 (AVX2, FMA) and x86-64-v4 (AVX-512). Results are the same.
enum class Isa : std::uint8_t { v3, v4 };

/// "v3" or "v4".
const char* isa_name(Isa isa);

/// Whether this machine can run code of that level.
bool is_supported(Isa isa);

/// The level that a value of RONDO_ISA asks for; null asks for the best one of the machine.
/// Errors: UnsupportedError if the machine lacks it, or is below v3; ArgumentError for another name
Isa choose_isa(const char* name);

/// The level in use: the best one of the machine, or the one that the environment variable
/// RONDO_ISA names. Errors: those of choose_isa, at the first call.
Isa current_isa();

/// Changes the level in use, for tests. Errors: UnsupportedError if the machine lacks it.
void set_isa(Isa isa);

}  // namespace rondo
