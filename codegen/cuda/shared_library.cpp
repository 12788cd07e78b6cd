#include "codegen/cuda/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace rondo::codegen::cuda {
namespace {

std::string path_of(void* handle, const std::string& name) {
  link_map* map = nullptr;
  const bool known = dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0;
  return known && map->l_name != nullptr && *map->l_name != 0 ? map->l_name : name;
}

}  // namespace

std::vector<std::string> library_files(const std::string& soname, const char* cuda_path) {
  std::vector<std::string> files;
  if (cuda_path != nullptr) {
    std::istringstream folders(cuda_path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      if (!folder.empty()) {
        files.push_back(fmt::format("{}/{}", folder, soname));
      }
    }
  }
  files.push_back(soname);
  for (const char* folder : {"/usr/local/cuda/lib64", "/usr/local/cuda/lib"}) {
    files.push_back(fmt::format("{}/{}", folder, soname));
  }
  return files;
}

OpenedLibrary open_library(const std::string& soname) {
  OpenedLibrary opened;
  for (const std::string& file : library_files(soname, std::getenv("RONDO_CUDA_PATH"))) {
    const bool searched = file.find('/') == std::string::npos;
    if (!searched && access(file.c_str(), F_OK) != 0) {
      continue;
    }
    opened.handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened.handle != nullptr) {
      opened.path = path_of(opened.handle, file);
      opened.reason.clear();
      return opened;
    }
    const char* text = dlerror();
    if (opened.reason.empty() || !searched) {
      opened.reason = text;
    }
  }
  return opened;
}

void* find_symbol(const OpenedLibrary& library, const char* name) {
  return library.handle == nullptr ? nullptr : dlsym(library.handle, name);
}

}  // namespace rondo::codegen::cuda
