// How fast are convolutions and their gradients? Prints GFLOP/s for each shape.
// Usage: benchmark_product_convolution [threads] [rounds] [filter]
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "codegen/product/convolution.h"
#include "core/base/thread_pool.h"

namespace {

using rondo::codegen::Convolution;

// One thread is timed by its own CPU clock, which other processes disturb less.
double now_seconds() {
  timespec time{};
  clock_gettime(rondo::num_threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Case {
  std::int64_t batch;
  std::int64_t in;
  std::int64_t out;
  std::int64_t size;
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t groups;
};

Convolution make(const Case& s) {
  Convolution c;
  c.batch = s.batch;
  c.groups = s.groups;
  c.in_channels = s.in;
  c.out_channels = s.out;
  c.in_rows = c.in_cols = s.size;
  c.kernel_rows = c.kernel_cols = s.kernel;
  c.stride_rows = c.stride_cols = s.stride;
  c.padding_rows = c.padding_cols = s.kernel / 2;
  c.out_rows = c.out_cols = (s.size + 2 * (s.kernel / 2) - s.kernel) / s.stride + 1;
  return c;
}

std::string name(const Case& s) {
  char text[96];
  std::snprintf(text, sizeof(text),
                "%3ld x %4ld -> %4ld, %3ld, kernel %ld, stride %ld, groups %3ld",
                static_cast<long>(s.batch), static_cast<long>(s.in), static_cast<long>(s.out),
                static_cast<long>(s.size), static_cast<long>(s.kernel), static_cast<long>(s.stride),
                static_cast<long>(s.groups));
  return text;
}

// GFLOP/s of the median of some rounds, each of enough calls for a few milliseconds.
template <class F>
double speed(double work, int rounds, F call) {
  const auto calls = std::max(1, static_cast<int>(2e8 / work));
  std::vector<double> times;
  call();
  for (int round = 0; round < rounds; ++round) {
    const double begin = now_seconds();
    for (int i = 0; i < calls; ++i) {
      call();
    }
    times.push_back((now_seconds() - begin) / calls);
  }
  std::sort(times.begin(), times.end());
  return work / times[times.size() / 2] / 1e9;
}

void measure(const Case& s, int rounds) {
  const Convolution c = make(s);
  const auto inputs = static_cast<std::size_t>(s.batch * s.in * s.size * s.size);
  const auto outputs = static_cast<std::size_t>(s.batch * s.out * c.out_rows * c.out_cols);
  const auto weights = static_cast<std::size_t>(s.out * s.in / s.groups * s.kernel * s.kernel);
  std::vector<float> x(inputs, 0.5F);
  std::vector<float> w(weights, 0.25F);
  std::vector<float> y(outputs);
  std::vector<float> g(outputs, 0.125F);
  std::vector<float> dx(inputs);
  std::vector<float> dw(weights);
  const double work = 2.0 * static_cast<double>(outputs) *
                      static_cast<double>(s.in / s.groups * s.kernel * s.kernel);
  const double forward =
      speed(work, rounds, [&] { run_convolution(c, x.data(), w.data(), y.data()); });
  const double input = speed(
      work, rounds, [&] { run_convolution_input_gradient(c, g.data(), w.data(), dx.data()); });
  const double weight = speed(
      work, rounds, [&] { run_convolution_weight_gradient(c, x.data(), g.data(), dw.data()); });
  std::printf("%s: forward %6.1f  input %6.1f  weight %6.1f  (forward %.1f us)\n", name(s).c_str(),
              forward, input, weight, work / forward / 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  const std::string filter = argc > 3 ? argv[3] : "";
  rondo::set_num_threads(threads);
  std::printf("%d threads, GFLOP/s: median of %d rounds\n", threads, rounds);
  for (const Case& s :
       {Case{64, 1, 16, 28, 3, 1, 1}, Case{64, 16, 32, 14, 3, 1, 1}, Case{64, 1, 32, 28, 3, 1, 1},
        Case{64, 32, 64, 28, 3, 1, 1}, Case{1, 1, 16, 28, 3, 1, 1}, Case{1, 16, 32, 14, 3, 1, 1},
        Case{8, 64, 64, 56, 3, 1, 1}, Case{8, 128, 128, 28, 3, 1, 1},
        Case{8, 256, 256, 14, 3, 1, 1}, Case{8, 512, 512, 7, 3, 1, 1},
        Case{1, 512, 512, 7, 3, 1, 1}, Case{8, 64, 128, 56, 3, 2, 1}, Case{8, 64, 256, 56, 1, 1, 1},
        Case{8, 256, 512, 28, 1, 2, 1}, Case{2, 3, 64, 224, 7, 2, 1},
        Case{8, 64, 64, 56, 3, 1, 64}}) {
    if (name(s).find(filter) != std::string::npos) {
      measure(s, rounds);
    }
  }
  return 0;
}
