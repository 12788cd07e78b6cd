// The generator of random numbers: a seed, and an offset that each random call advances.
#pragma once

#include <atomic>
#include <cstdint>

namespace rondo {

/// What one call draws with: element i of its result comes from Philox with this key and (i,
/// offset) as counter.
struct RandomDraw {
  std::int64_t seed = 0;
  std::int64_t offset = 0;
};

/// Thread-safe; every call takes one offset, so that a stream of calls is the same however it is
/// executed.
class Generator {
 public:
  void seed(std::int64_t value) {
    seed_.store(value);
    offset_.store(0);
  }
  RandomDraw draw() { return {seed_.load(), offset_.fetch_add(1)}; }
  RandomDraw state() const { return {seed_.load(), offset_.load()}; }
  void set_state(const RandomDraw& state) {
    seed_.store(state.seed);
    offset_.store(state.offset);
  }

 private:
  std::atomic<std::int64_t> seed_{0};
  std::atomic<std::int64_t> offset_{0};
};

/// The process's generator.
Generator& default_generator();

/// What the calls of this thread draw from: the process's generator unless a scope has put another
/// in its place.
Generator& current_generator();

/// Lets this thread draw from another generator for a scope.
class GeneratorScope {
 public:
  explicit GeneratorScope(Generator& generator);
  ~GeneratorScope();
  GeneratorScope(const GeneratorScope&) = delete;
  GeneratorScope& operator=(const GeneratorScope&) = delete;

 private:
  Generator* previous_;
};

}  // namespace rondo
