// Opens the libraries of the CUDA driver and toolkit, by exact name.
#pragma once

#include <string>
#include <vector>

namespace rondo::codegen::cuda {

/// A library that has been opened and is never closed, or the reason why it has not.
struct OpenedLibrary {
  void* handle = nullptr;
  std::string path;    // of the file
  std::string reason;  // if there is no handle
};

/// Opens `soname` ("libnvrtc.so.13"): from the folders of RONDO_CUDA_PATH (separated by colons),
/// then where the dynamic linker looks, then from /usr/local/cuda.
OpenedLibrary open_library(const std::string& soname);

/// Where open_library would try, in order; the name alone is the dynamic linker's turn.
std::vector<std::string> library_files(const std::string& soname, const char* cuda_path);

/// The address of a function, or null.
void* find_symbol(const OpenedLibrary& library, const char* name);

}  // namespace rondo::codegen::cuda
