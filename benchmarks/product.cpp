// How fast is the canonical product beside MKL, OpenBLAS and oneDNN? Prints a table of GFLOP/s, in
// rounds that take turns. Usage: benchmark_product [threads] [rounds] [filter]
//
// Libraries are found at run time, see product_peers.h; without any only our own figures are
// printed.
#include "codegen/product/product.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "benchmarks/product_peers.h"
#include "core/base/thread_pool.h"

namespace {

using Index = std::int64_t;
using rondo::benchmark::Peer;

// One thread is timed by its own CPU clock, which other processes disturb less.
double now_seconds(bool one_thread) {
  timespec time{};
  clock_gettime(one_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
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

  void theirs(const Peer& peer) {
    peer.call(peer.function, {shape_.m, shape_.k, shape_.n, shape_.transposed_a,
                              shape_.transposed_b, a_.data(), b_.data(), c_.data()});
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

void measure(const Case& shape, const std::vector<Peer>& peers, int rounds) {
  Run run(shape);
  const double work = 2.0 * static_cast<double>(shape.m * shape.n * shape.k);
  const auto calls = std::max<Index>(1, static_cast<Index>(1e8 / (work + 1e4)));
  std::vector<std::vector<double>> times(peers.size() + 1);
  for (int round = 0; round <= rounds; ++round) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double time = i == 0 ? time_of(calls, [&] { run.ours(); })
                                 : time_of(calls, [&] { run.theirs(peers[i - 1]); });
      if (round > 0) {
        times[i].push_back(time);
      }
    }
  }
  std::printf("| %s |", shape.text().c_str());
  double best = INFINITY;
  double least = INFINITY;
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::printf(" %.1f |", work / median(times[i]) / 1e9);
    if (i > 0) {
      best = std::min(best, median(times[i]));
      least = std::min(least, *std::min_element(times[i].begin(), times[i].end()));
    }
  }
  if (!peers.empty()) {
    std::printf(" %.2f | %.2f |", best / median(times[0]),
                least / *std::min_element(times[0].begin(), times[0].end()));
  }
  std::printf(" %.2f |\n", median(times[0]) * 1e6);
  std::fflush(stdout);
}

void print_head(const std::vector<Peer>& peers, int threads, int rounds) {
  for (const Peer& peer : peers) {
    std::printf("%s: %s\n", peer.name.c_str(), peer.version.c_str());
  }
  std::printf(
      "\nGFLOP/s of m x k x n on %d threads, medians of %d rounds; ratios are speeds by that of "
      "the "
      "fastest peer, of medians and of the least times.\n\n| shape | Rondo |",
      threads, rounds);
  std::string line = "| --- | --- |";
  for (const Peer& peer : peers) {
    std::printf(" %s |", peer.name.c_str());
    line += " --- |";
  }
  std::printf("%s Rondo, us |\n%s%s --- |\n", peers.empty() ? "" : " ratio | of least |",
              line.c_str(), peers.empty() ? "" : " --- | --- |");
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  const std::string filter = argc > 3 ? argv[3] : "";
  rondo::set_num_threads(threads);
  const std::vector<Peer> peers = rondo::benchmark::open_peers(threads);
  print_head(peers, threads, rounds);
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
      measure(shape, peers, rounds);
    }
  }
  return 0;
}
