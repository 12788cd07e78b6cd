// What a connection of the server may take in time and memory.
#pragma once

#include <chrono>
#include <cstddef>

namespace rondo::serve {

struct ConnectionLimits {
  std::size_t connections = 512;                // at a time; more are answered 503
  std::size_t head_bytes = 64U << 10;           // of the request line and the headers
  std::chrono::milliseconds head_time{10000};   // from the first byte to the end of the headers
  std::chrono::milliseconds body_time{60000};   // for a whole body, and for a whole answer
  std::chrono::milliseconds idle_time{5000};    // between two requests
  std::chrono::milliseconds linger_time{1000};  // for a client to take an answer that ends it all
};

}  // namespace rondo::serve
