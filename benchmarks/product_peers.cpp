// Opens the libraries that products are compared with.
#include "benchmarks/product_peers.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace rondo::benchmark {
namespace {

constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;
constexpr int kTranspose = 112;
using CblasSgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*,
                            int, float, float*, int);
using DnnlSgemm = int (*)(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float*,
                          std::int64_t, const float*, std::int64_t, float, float*, std::int64_t);

void call_cblas(void* function, const Sgemm& p) {
  const auto m = static_cast<int>(p.m);
  const auto k = static_cast<int>(p.k);
  const auto n = static_cast<int>(p.n);
  reinterpret_cast<CblasSgemm>(function)(kRowMajor, p.transposed_a ? kTranspose : kNoTranspose,
                                         p.transposed_b ? kTranspose : kNoTranspose, m, n, k, 1.0F,
                                         p.a, p.transposed_a ? m : k, p.b, p.transposed_b ? k : n,
                                         0.0F, p.c, n);
}

void call_dnnl(void* function, const Sgemm& p) {
  reinterpret_cast<DnnlSgemm>(function)(p.transposed_a ? 'T' : 'N', p.transposed_b ? 'T' : 'N', p.m,
                                        p.n, p.k, 1.0F, p.a, p.transposed_a ? p.m : p.k, p.b,
                                        p.transposed_b ? p.k : p.n, 0.0F, p.c, p.n);
}

void* open_first(std::initializer_list<const char*> files) {
  for (const char* file : files) {
    if (void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
      return library;
    }
  }
  return nullptr;
}

void* find_first(void* library, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* found = dlsym(library, name)) {
      return found;
    }
  }
  return nullptr;
}

std::string openblas_version(void* library) {
  void* found = find_first(library, {"openblas_get_config", "scipy_openblas_get_config"});
  return found != nullptr ? reinterpret_cast<const char* (*)()>(found)() : "";
}

std::string mkl_version(void* library) {
  char text[200] = {};
  if (void* found = find_first(library, {"mkl_get_version_string", "MKL_Get_Version_String"})) {
    reinterpret_cast<void (*)(char*, int)>(found)(text,
                                                  sizeof(text) - 1);  // blanks, not ended by 0
  }
  const std::string padded = text;
  return padded.substr(0, padded.find_last_not_of(' ') + 1);
}

std::string dnnl_version(void* library) {
  struct Version {
    int major, minor, patch;
  };
  void* found = find_first(library, {"dnnl_version"});
  if (found == nullptr) {
    return "";
  }
  const Version& v = *reinterpret_cast<const Version* (*)()>(found)();
  return std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch);
}

struct Candidate {
  const char* name;
  std::initializer_list<const char*> files;
  std::initializer_list<const char*> functions;
  std::initializer_list<const char*> set_threads;
  void (*call)(void*, const Sgemm&);
  std::string (*version)(void*);
};

void add(std::vector<Peer>& peers, const Candidate& candidate, int threads) {
  void* library = open_first(candidate.files);
  void* function = library != nullptr ? find_first(library, candidate.functions) : nullptr;
  if (function == nullptr) {
    std::printf("%s is not measured: %s\n", candidate.name, dlerror());
    return;
  }
  if (void* found = find_first(library, candidate.set_threads)) {
    reinterpret_cast<void (*)(int)>(found)(threads);
  }
  peers.push_back({candidate.name, candidate.version(library), function, candidate.call});
}

}  // namespace

std::vector<Peer> open_peers(int threads) {
  // Idle threads sleep soon instead of spinning into the time of the next library.
  setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
  setenv("KMP_BLOCKTIME", "1", 1);
  setenv("OPENBLAS_THREAD_TIMEOUT", "20", 1);
  setenv("MKL_THREADING_LAYER", "INTEL", 0);
  std::vector<Peer> peers;
  add(peers,
      {"MKL",
       {"libmkl_rt.so.3", "libmkl_rt.so.2"},
       {"cblas_sgemm"},
       {"MKL_Set_Num_Threads"},
       call_cblas,
       mkl_version},
      threads);
  add(peers,
      {"OpenBLAS of SciPy",
       {"libscipy_openblas.so"},
       {"scipy_cblas_sgemm"},
       {"scipy_openblas_set_num_threads"},
       call_cblas,
       openblas_version},
      threads);
  add(peers,
      {"OpenBLAS",
       {"libopenblas.so.0"},
       {"cblas_sgemm"},
       {"openblas_set_num_threads"},
       call_cblas,
       openblas_version},
      threads);
  add(peers,
      {"oneDNN", {"libdnnl.so.3", "libdnnl.so.2"}, {"dnnl_sgemm"}, {}, call_dnnl, dnnl_version},
      threads);
  return peers;
}

}  // namespace rondo::benchmark
