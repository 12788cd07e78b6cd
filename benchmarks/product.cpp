// How fast is the canonical product beside a BLAS? Prints GFLOP/s for each shape, in rounds that
// alternate between the two. Usage: benchmark_product [threads] [rounds] [filter]
//
// The BLAS is the library named by RONDO_PEER_BLAS, or libopenblas.so.0; without one only our own
// figures are printed.
#include "codegen/product/product.h"

#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/base/thread_pool.h"

namespace {

using Index = std::int64_t;

// One thread is timed by its own CPU clock, which other processes disturb less.
double now_seconds(bool one_thread) {
  timespec time{};
  clock_gettime(one_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;
constexpr int kTranspose = 112;
using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                       float, float*, int);

struct Peer {
  Sgemm sgemm = nullptr;
  std::string name;
};

void* find_symbol(void* library, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* found = dlsym(library, name)) {
      return found;
    }
  }
  return nullptr;
}

Peer open_peer(int threads) {
  const char* path = std::getenv("RONDO_PEER_BLAS");
  Peer peer;
  peer.name = path != nullptr ? path : "libopenblas.so.0";
  void* library = dlopen(peer.name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("no peer: %s\n", dlerror());
    return peer;
  }
  peer.sgemm = reinterpret_cast<Sgemm>(find_symbol(library, {"cblas_sgemm", "scipy_cblas_sgemm"}));
  const auto set_threads = reinterpret_cast<void (*)(int)>(find_symbol(
      library,
      {"openblas_set_num_threads", "scipy_openblas_set_num_threads", "MKL_Set_Num_Threads"}));
  if (set_threads != nullptr) {
    set_threads(threads);
  }
  return peer;
}

struct Case {
  Index m;
  Index k;
  Index n;
  bool transposed_a = false;
  bool transposed_b = false;
  std::string text() const {
    return std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n) +
           (transposed_a ? " aT" : "") + (transposed_b ? " bT" : "");
  }
};

class Run {
 public:
  explicit Run(const Case& shape)
      : shape_(shape),
        a_(static_cast<std::size_t>(shape.m * shape.k), 0.5F),
        b_(static_cast<std::size_t>(shape.k * shape.n), 0.25F),
        c_(static_cast<std::size_t>(shape.m * shape.n)) {}

  void ours() {
    rondo::codegen::Product p;
    p.m = shape_.m;
    p.n = shape_.n;
    p.k = shape_.k;
    p.a.data = a_.data();
    p.a.row_stride = shape_.transposed_a ? 1 : shape_.k;
    p.a.col_stride = shape_.transposed_a ? shape_.m : 1;
    p.b.data = b_.data();
    p.b.row_stride = shape_.transposed_b ? 1 : shape_.n;
    p.b.col_stride = shape_.transposed_b ? shape_.k : 1;
    p.c = c_.data();
    p.c_row_stride = shape_.n;
    rondo::codegen::run_product(p);
  }

  void theirs(Sgemm sgemm) {
    const auto m = static_cast<int>(shape_.m);
    const auto n = static_cast<int>(shape_.n);
    const auto k = static_cast<int>(shape_.k);
    sgemm(kRowMajor, shape_.transposed_a ? kTranspose : kNoTranspose,
          shape_.transposed_b ? kTranspose : kNoTranspose, m, n, k, 1.0F, a_.data(),
          shape_.transposed_a ? m : k, b_.data(), shape_.transposed_b ? k : n, 0.0F, c_.data(), n);
  }

 private:
  Case shape_;
  std::vector<float> a_;
  std::vector<float> b_;
  std::vector<float> c_;
};

// Seconds of one call, from `calls` calls in a row.
template <class F>
double time_of(Index calls, F call) {
  const bool one_thread = rondo::num_threads() == 1;
  const double begin = now_seconds(one_thread);
  for (Index i = 0; i < calls; ++i) {
    call();
  }
  return (now_seconds(one_thread) - begin) / static_cast<double>(calls);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(const Case& shape, const Peer& peer, int rounds) {
  Run run(shape);
  const double work = 2.0 * static_cast<double>(shape.m * shape.n * shape.k);
  const auto calls = std::max<Index>(1, static_cast<Index>(1e8 / (work + 1e4)));
  std::vector<double> our_times;
  std::vector<double> their_times;
  std::vector<double> ratios;
  for (int round = 0; round <= rounds; ++round) {
    const double ours = time_of(calls, [&] { run.ours(); });
    const double theirs =
        peer.sgemm != nullptr ? time_of(calls, [&] { run.theirs(peer.sgemm); }) : 0;
    if (round > 0) {
      our_times.push_back(ours);
      their_times.push_back(theirs);
      ratios.push_back(theirs / ours);
    }
  }
  const auto speed = [&](double seconds) { return seconds > 0 ? work / seconds / 1e9 : 0.0; };
  std::printf("%-22s ours %7.2f (best %7.2f)  peer %7.2f (best %7.2f)  ratio %.2f  %.2f us\n",
              shape.text().c_str(), speed(median(our_times)),
              speed(*std::min_element(our_times.begin(), our_times.end())),
              speed(median(their_times)),
              speed(*std::min_element(their_times.begin(), their_times.end())), median(ratios),
              median(our_times) * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  const std::string filter = argc > 3 ? argv[3] : "";
  rondo::set_num_threads(threads);
  const Peer peer = open_peer(threads);
  std::printf("peer: %s, %d threads, GFLOP/s: median (best) of %d rounds\n", peer.name.c_str(),
              threads, rounds);
  const Case shapes[] = {{2048, 2048, 2048},
                         {2048, 2048, 2048, false, true},
                         {512, 512, 512},
                         {128, 768, 768},
                         {128, 768, 768, false, true},
                         {512, 768, 3072},
                         {512, 768, 3072, false, true},
                         {768, 768, 3072, true, false},
                         {64, 784, 512},
                         {64, 784, 512, false, true},
                         {512, 64, 784, true, false},
                         {64, 512, 256, false, true},
                         {64, 256, 10, false, true},
                         {10, 64, 256, true, false},
                         {64, 10, 256},
                         {64, 64, 64},
                         {64, 64, 64, false, true},
                         {32, 128, 32},
                         {32, 128, 32, false, true},
                         {16, 32, 32, false, true},
                         {16, 16, 32, false, true},
                         {32, 192, 256, false, true},
                         {16, 512, 512},
                         {8, 4096, 4096},
                         {8, 4096, 4096, false, true},
                         {16, 4096, 4096},
                         {16, 4096, 4096, false, true},
                         {32, 4096, 4096},
                         {32, 4096, 4096, false, true},
                         {1, 1024, 1024},
                         {1, 1024, 1024, false, true},
                         {2, 1024, 1024, false, true},
                         {3, 1024, 1024, false, true},
                         {1, 256, 256, false, true},
                         {1, 256, 10, false, true},
                         {1, 784, 512, false, true},
                         {1, 4096, 4096},
                         {1, 4096, 4096, false, true},
                         {4, 1024, 1024},
                         {4, 1024, 1024, false, true},
                         {1024, 1024, 1},
                         {1024, 1024, 4},
                         {1024, 64, 64, false, true},
                         {4, 4, 4},
                         {8, 8, 8},
                         {16, 16, 16}};
  for (const Case& shape : shapes) {
    if (shape.text().find(filter) != std::string::npos) {
      measure(shape, peer, rounds);
    }
  }
  return 0;
}
