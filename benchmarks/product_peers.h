// Products of other libraries, found at run time: none is needed to build.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::benchmark {

/// c = a b of row-major matrices, either of them perhaps stored transposed.
struct Sgemm {
  std::int64_t m, k, n;
  bool transposed_a, transposed_b;
  const float* a;
  const float* b;
  float* c;
};

/// One library that was found.
struct Peer {
  std::string name;
  std::string version;
  void* function;
  void (*call)(void* function, const Sgemm& product);
};

/// MKL, OpenBLAS and oneDNN, those of them that the loader finds (LD_LIBRARY_PATH names folders),
/// on `threads` threads. Prints why the others are not measured.
std::vector<Peer> open_peers(int threads);

}  // namespace rondo::benchmark
