// What of CUDA is on this machine, and what to do about what is missing.
#pragma once

#include <string>
#include <vector>

namespace rondo::codegen::cuda {

/// Driver, GPUs, compiler and libraries with versions and paths; then problems, each with its fix.
/// `good`: kernels can be compiled and run, or there is no NVIDIA GPU that could run them.
std::string make_report(bool& good);

/// Whether a folder like /sys/bus/pci/devices lists a display controller of NVIDIA's.
bool lists_gpu(const std::string& folder);

/// Files of that name in `folders` (separated by colons), each once however it is linked.
std::vector<std::string> copies_of(const std::string& soname, const std::string& folders);

/// What is wrong when `taken` was loaded and `copies` are there too; empty if nothing is.
std::string conflict_of(const std::string& soname, const std::string& taken,
                        const std::vector<std::string>& copies);

}  // namespace rondo::codegen::cuda
