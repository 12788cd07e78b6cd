// Requests a second of an HTTP server: connections that are kept open, one request on its way on
// each. Usage: benchmark_http_load PORT CONNECTIONS SECONDS FILE, where FILE holds one whole
// request. Prints JSON. Started by serving.py.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Connection {
 public:
  explicit Connection(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      throw std::runtime_error("no connection");
    }
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { close(socket_); }

  // Sends the request and reads the whole answer, which must be 200.
  void ask(const std::string& request) {
    for (std::size_t sent = 0; sent < request.size();) {
      const auto part = send(socket_, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
      if (part <= 0) {
        throw std::runtime_error("the connection was closed");
      }
      sent += static_cast<std::size_t>(part);
    }
    answer_.clear();
    std::size_t head = std::string::npos;
    while ((head = answer_.find("\r\n\r\n")) == std::string::npos) {
      read_more();
    }
    const std::size_t whole = head + 4 + body_size(head);
    while (answer_.size() < whole) {
      read_more();
    }
    if (answer_.compare(0, 13, "HTTP/1.1 200 ") != 0) {
      throw std::runtime_error("the answer is not 200: " + answer_);
    }
  }

 private:
  void read_more() {
    char part[4096];
    const auto count = recv(socket_, part, sizeof(part), 0);
    if (count <= 0) {
      throw std::runtime_error("the connection was closed");
    }
    answer_.append(part, static_cast<std::size_t>(count));
  }

  std::size_t body_size(std::size_t head) const {
    static const std::string kName = "\r\nContent-Length:";
    for (std::size_t at = 0; at < head; ++at) {
      if (strncasecmp(answer_.c_str() + at, kName.c_str(), kName.size()) == 0) {
        return static_cast<std::size_t>(std::atoll(answer_.c_str() + at + kName.size()));
      }
    }
    throw std::runtime_error("an answer without Content-Length");
  }

  int socket_;
  std::string answer_;
};

struct Connected {
  std::vector<double> times;
  bool failed = false;
};

void load(std::uint16_t port, const std::string& request, double seconds, Connected& connected) {
  try {
    Connection connection(port);
    const Clock::time_point begin = Clock::now();
    while (seconds_since(begin) < seconds) {
      const Clock::time_point sent = Clock::now();
      connection.ask(request);
      connected.times.push_back(seconds_since(sent));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    connected.failed = true;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: benchmark_http_load PORT CONNECTIONS SECONDS FILE\n");
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  std::vector<Connected> connections(static_cast<std::size_t>(std::max(1, std::atoi(argv[2]))));
  std::ifstream file(argv[4], std::ios::binary);
  const std::string request{std::istreambuf_iterator<char>(file), {}};
  const Clock::time_point begin = Clock::now();
  std::vector<std::thread> threads;
  for (Connected& connection : connections) {
    threads.emplace_back(
        [&, seconds = std::atof(argv[3])] { load(port, request, seconds, connection); });
  }
  std::vector<double> times;
  bool failed = false;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads[i].join();
    times.insert(times.end(), connections[i].times.begin(), connections[i].times.end());
    failed = failed || connections[i].failed;
  }
  const double wall = seconds_since(begin);
  std::sort(times.begin(), times.end());
  const auto at = [&](std::size_t percent) {
    return times.empty() ? 0.0 : times[(times.size() - 1) * percent / 100];
  };
  std::printf("{\"rate\": %.1f, \"median_s\": %.9f, \"p99_s\": %.9f}\n",
              static_cast<double>(times.size()) / wall, at(50), at(99));
  return failed || times.empty() ? 1 : 0;
}
