// The commands of the program `rondo`. Each takes the words behind its name and returns the exit
// code: 0, or 1 where something is not as it should be.
#pragma once

#include <span>
#include <string>

namespace rondo::serve {

/// Prints what an archive holds: signature, row independence, ops, tensors, sizes.
int inspect(std::span<const std::string> words);
/// Runs the golden cases; 1 if an output differs in any bit.
int verify(std::span<const std::string> words);
/// Runs a method once, on .npy files, and writes its outputs as such.
int run_once(std::span<const std::string> words);
/// Serves an archive over HTTP until SIGTERM or SIGINT.
int serve(std::span<const std::string> words);
/// Prints what this machine offers: CPU, compilers, driver, GPUs, libraries, each with version and
/// path, and the fix for what is missing; 1 if no GPU can be used.
int doctor(std::span<const std::string> words);

}  // namespace rondo::serve
