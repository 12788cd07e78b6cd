// Runs the same work on several threads at once.
#pragma once

#include <thread>
#include <vector>

namespace rondo {

/// Runs `body(n)` on threads n = 0 ... count - 1, and waits for all of them.
template <class Body>
void on_threads(int count, const Body& body) {
  std::vector<std::thread> threads;
  for (int n = 0; n < count; ++n) {
    threads.emplace_back([&body, n] { body(n); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace rondo
