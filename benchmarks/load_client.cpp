// An open loop of requests to an HTTP server: they are due at a fixed rate, whatever the server
// does, and their time counts from when they were due. Usage:
// benchmark_load_client PORT CONNECTIONS SECONDS RATE FILE, where FILE holds one whole request.
// Prints JSON: requests by status ("0": no answer), and the times of those answered 200. What is
// due and finds all connections waiting is sent later, or after SECONDS not at all. Started by
// load.py.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

class Connection {
 public:
  explicit Connection(std::uint16_t port) : port_(port) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { end(); }

  /// Sends the request and reads the answer; its status, or 0 if there is none. A connection that
  /// the server has closed between two requests is opened anew, once.
  int ask(const std::string& request) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      const bool fresh = socket_ < 0;
      if (fresh && !begin()) {
        return 0;
      }
      const int status = send_all(request) ? read_answer() : 0;
      if (status != 0) {
        return status;
      }
      end();
      if (fresh) {
        break;
      }
    }
    return 0;
  }

 private:
  bool begin() {
    socket_ = socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      end();
      return false;
    }
    return true;
  }

  void end() {
    if (socket_ >= 0) {
      close(socket_);
    }
    socket_ = -1;
  }

  bool send_all(const std::string& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const auto part = send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (part <= 0) {
        return false;
      }
      sent += static_cast<std::size_t>(part);
    }
    return true;
  }

  bool read_more() {
    char part[4096];
    const auto count = recv(socket_, part, sizeof(part), 0);
    if (count > 0) {
      answer_.append(part, static_cast<std::size_t>(count));
    }
    return count > 0;
  }

  int read_answer() {
    answer_.clear();
    std::size_t head = std::string::npos;
    while ((head = answer_.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more()) {
        return 0;
      }
    }
    std::size_t body = 0;
    static const std::string kLength = "\r\nContent-Length:";
    static const std::string kClose = "\r\nConnection: close";
    bool closes = false;
    for (std::size_t at = 0; at < head; ++at) {
      if (strncasecmp(answer_.c_str() + at, kLength.c_str(), kLength.size()) == 0) {
        body = std::strtoull(answer_.c_str() + at + kLength.size(), nullptr, 10);
      }
      closes = closes || strncasecmp(answer_.c_str() + at, kClose.c_str(), kClose.size()) == 0;
    }
    while (answer_.size() < head + 4 + body) {
      if (!read_more()) {
        return 0;
      }
    }
    if (closes) {
      end();
    }
    return std::atoi(answer_.c_str() + 9);
  }

  std::uint16_t port_;
  int socket_ = -1;
  std::string answer_;
};

struct Results {
  std::map<int, std::int64_t> statuses;
  std::vector<double> times;  // of those answered 200
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: benchmark_load_client PORT CONNECTIONS SECONDS RATE FILE\n");
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  const double seconds = std::atof(argv[3]);
  const double rate = std::atof(argv[4]);
  std::ifstream file(argv[5], std::ios::binary);
  const std::string request{std::istreambuf_iterator<char>(file), {}};
  std::vector<Results> results(static_cast<std::size_t>(std::max(1, std::atoi(argv[2]))));
  const auto count = static_cast<std::int64_t>(seconds * rate);
  std::atomic<std::int64_t> next{0};
  const Clock::time_point begin = Clock::now();
  const Clock::time_point end =
      begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::vector<std::thread> threads;
  for (Results& result : results) {
    threads.emplace_back([&] {
      Connection connection(port);
      for (std::int64_t i = next++; i < count; i = next++) {
        const auto due = begin + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(static_cast<double>(i) / rate));
        std::this_thread::sleep_until(due);
        if (Clock::now() > end) {
          return;
        }
        const int status = connection.ask(request);
        ++result.statuses[status];
        if (status == 200) {
          result.times.push_back(std::chrono::duration<double>(Clock::now() - due).count());
        }
      }
    });
  }
  Results all;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads[i].join();
    all.times.insert(all.times.end(), results[i].times.begin(), results[i].times.end());
    for (const auto& [status, number] : results[i].statuses) {
      all.statuses[status] += number;
    }
  }
  const double wall = std::chrono::duration<double>(Clock::now() - begin).count();
  std::sort(all.times.begin(), all.times.end());
  const auto at = [&](std::size_t percent) {
    return all.times.empty() ? 0.0 : all.times[(all.times.size() - 1) * percent / 100];
  };
  std::printf("{\"wall_s\": %.3f, \"p50_s\": %.6f, \"p99_s\": %.6f, \"statuses\": {", wall, at(50),
              at(99));
  const char* comma = "";
  for (const auto& [status, number] : all.statuses) {
    std::printf("%s\"%d\": %lld", comma, status, static_cast<long long>(number));
    comma = ", ";
  }
  std::printf("}}\n");
}
