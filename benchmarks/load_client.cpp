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
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

/// The place after a header's name in an answer's head, or npos.
std::size_t header_at(const std::string& answer, std::size_t head, const std::string& name) {
  for (std::size_t at = 0; at < head; ++at) {
    if (answer[at] == '\n' &&
        strncasecmp(answer.c_str() + at + 1, name.c_str(), name.size()) == 0) {
      return at + 1 + name.size();
    }
  }
  return std::string::npos;
}

/// One connection with at most one request on its way.
struct Connection {
  int socket = -1;
  bool fresh = false;  // opened for the request that is on its way
  std::size_t sent = 0;
  std::string answer;
  Clock::time_point due;
};

class Load {
 public:
  Load(std::uint16_t port, int connections, std::string request)
      : port_(port),
        request_(std::move(request)),
        epoll_(epoll_create1(0)),
        connections_(static_cast<std::size_t>(connections)) {
    for (int i = connections - 1; i >= 0; --i) {
      free_.push_back(i);
    }
  }

  void run(double seconds, double rate) {
    const auto count = static_cast<std::int64_t>(seconds * rate);
    const Clock::time_point begin = Clock::now();
    const auto after = [&](double s) {
      return begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
    };
    std::int64_t next = 0;
    while (next < count || free_.size() < connections_.size()) {
      const Clock::time_point now = Clock::now();
      if (now > after(seconds)) {
        next = count;
      }
      while (next < count && !free_.empty() && after(static_cast<double>(next) / rate) <= now) {
        start(free_.back(), after(static_cast<double>(next++) / rate));
      }
      wait(next < count && !free_.empty() ? 0 : 100);
    }
  }

  std::map<int, std::int64_t> statuses;
  std::vector<double> times;  // of those answered 200

 private:
  void start(int index, Clock::time_point due) {
    free_.pop_back();
    Connection& connection = connections_[static_cast<std::size_t>(index)];
    connection.due = due;
    begin_request(index);
  }

  void begin_request(int index) {
    Connection& connection = connections_[static_cast<std::size_t>(index)];
    connection.sent = 0;
    connection.answer.clear();
    connection.fresh = connection.socket < 0;
    if (connection.fresh && !open(index)) {
      finish(index, 0);
      return;
    }
    proceed(index);
  }

  bool open(int index) {
    Connection& connection = connections_[static_cast<std::size_t>(index)];
    connection.socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    const int on = 1;
    setsockopt(connection.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLET;
    event.data.fd = index;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.socket, &event);
    return connect(connection.socket, reinterpret_cast<const sockaddr*>(&address),
                   sizeof(address)) == 0 ||
           errno == EINPROGRESS;
  }

  void close_socket(Connection& connection) {
    close(connection.socket);
    connection.socket = -1;
  }

  void finish(int index, int status) {
    Connection& connection = connections_[static_cast<std::size_t>(index)];
    ++statuses[status];
    if (status == 200) {
      times.push_back(std::chrono::duration<double>(Clock::now() - connection.due).count());
    }
    if (status == 0 && connection.socket >= 0) {
      close_socket(connection);
    }
    free_.push_back(index);
  }

  void wait(int milliseconds) {
    epoll_event events[64];
    const int count = epoll_wait(epoll_, events, 64, milliseconds);
    for (int i = 0; i < count; ++i) {
      proceed(events[i].data.fd);
    }
  }

  /// Sends and reads as far as it goes.
  void proceed(int index) {
    Connection& connection = connections_[static_cast<std::size_t>(index)];
    if (std::find(free_.begin(), free_.end(), index) != free_.end()) {
      return;  // the server has closed an idle connection: seen when it is used
    }
    while (connection.sent < request_.size()) {
      const auto part = send(connection.socket, request_.data() + connection.sent,
                             request_.size() - connection.sent, MSG_NOSIGNAL);
      if (part <= 0) {
        if (errno != EAGAIN && errno != ENOTCONN) {
          break;  // an answer may have come before
        }
        return;
      }
      connection.sent += static_cast<std::size_t>(part);
    }
    char part[16384];
    while (true) {
      const auto size = recv(connection.socket, part, sizeof(part), 0);
      if (size > 0) {
        connection.answer.append(part, static_cast<std::size_t>(size));
        if (answered(index)) {
          return;
        }
      } else if (size < 0 && errno == EAGAIN) {
        return;
      } else {
        lost(index);
        return;
      }
    }
  }

  /// A connection that the server has closed between two requests is opened anew, once.
  void lost(int index) {
    Connection& connection = connections_[static_cast<std::size_t>(index)];
    close_socket(connection);
    if (!connection.fresh && connection.answer.empty()) {
      begin_request(index);
    } else {
      finish(index, 0);
    }
  }

  bool answered(int index) {
    Connection& connection = connections_[static_cast<std::size_t>(index)];
    const std::string& answer = connection.answer;
    const std::size_t head = answer.find("\r\n\r\n");
    if (head == std::string::npos) {
      return false;
    }
    const std::size_t length = header_at(answer, head, "Content-Length:");
    const std::size_t body =
        length == std::string::npos ? 0 : std::strtoull(answer.c_str() + length, nullptr, 10);
    if (answer.size() < head + 4 + body) {
      return false;
    }
    if (header_at(answer, head, "Connection: close") != std::string::npos) {
      close_socket(connection);
    }
    finish(index, std::atoi(answer.c_str() + 9));
    return true;
  }

  std::uint16_t port_;
  std::string request_;
  int epoll_;
  std::vector<Connection> connections_;
  std::vector<int> free_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: benchmark_load_client PORT CONNECTIONS SECONDS RATE FILE\n");
    return 2;
  }
  std::ifstream file(argv[5], std::ios::binary);
  Load load(static_cast<std::uint16_t>(std::atoi(argv[1])), std::max(1, std::atoi(argv[2])),
            {std::istreambuf_iterator<char>(file), {}});
  const Clock::time_point begin = Clock::now();
  load.run(std::atof(argv[3]), std::atof(argv[4]));
  const double wall = std::chrono::duration<double>(Clock::now() - begin).count();
  std::vector<double>& times = load.times;
  std::sort(times.begin(), times.end());
  const auto at = [&](std::size_t percent) {
    return times.empty() ? 0.0 : times[(times.size() - 1) * percent / 100];
  };
  std::printf("{\"wall_s\": %.3f, \"p50_s\": %.6f, \"p99_s\": %.6f, \"statuses\": {", wall, at(50),
              at(99));
  const char* comma = "";
  for (const auto& [status, number] : load.statuses) {
    std::printf("%s\"%d\": %lld", comma, status, static_cast<long long>(number));
    comma = ", ";
  }
  std::printf("}}\n");
}
