#include "bindings/serve/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "bindings/serve/connection_threads.h"
#include "core/base/error.h"

namespace rondo::serve {
namespace {

Connection*& current_connection() {
  thread_local Connection* connection = nullptr;
  return connection;
}

int milliseconds_until(std::chrono::steady_clock::time_point limit) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(limit - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30));
}

const char* reason_of(int status) {
  switch (status) {
    case 408:
      return "Request Timeout";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Service Unavailable";
  }
}

void address_of(const sockaddr_storage& address, std::string& ip, int& port) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    port = ntohs(v4.sin_port);
  } else if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    port = ntohs(v6.sin6_port);
  }
  ip = text.data();
}

}  // namespace

Connection::Connection(socket_t socket, int wake, const ConnectionLimits& limits)
    : socket_(socket), wake_(wake), limits_(limits) {}

Connection::~Connection() {
  if (answered_) {
    linger();
  }
  shutdown(socket_, SHUT_RDWR);
  ::close(socket_);
}

/// Reads what a client still sends, for a while: to close with unread bytes would reset the
/// connection, and the client might lose the answer.
void Connection::linger() {
  shutdown(socket_, SHUT_WR);
  const Clock::time_point limit = Clock::now() + limits_.linger_time;
  std::array<char, 4096> rest{};
  while (wait_for(POLLIN, limit) && recv(socket_, rest.data(), rest.size(), MSG_DONTWAIT) > 0) {
  }
}

/// Waits for an event of the socket; false at the limit.
bool Connection::wait_for(short events, Clock::time_point limit) const {
  pollfd entry{socket_, events, 0};
  while (true) {
    const int ready = poll(&entry, 1, milliseconds_until(limit));
    if (ready > 0) {
      return true;
    }
    if (ready == 0 || errno != EINTR) {
      return false;
    }
  }
}

bool Connection::await_request() {
  answered_ = false;
  in_head_ = true;
  head_bytes_ = 0;
  if (begin_ == end_) {
    std::array<pollfd, 2> entries{pollfd{socket_, POLLIN, 0}, pollfd{wake_, POLLIN, 0}};
    const Clock::time_point limit = Clock::now() + limits_.idle_time;
    int ready = 0;
    do {
      ready = poll(entries.data(), entries.size(), milliseconds_until(limit));
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0 || entries[1].revents != 0) {
      return false;
    }
  }
  read_limit_ = Clock::now() + limits_.head_time;
  write_limit_ = Clock::time_point::max();
  return true;
}

void Connection::begin_body() {
  in_head_ = false;
  read_limit_ = Clock::now() + limits_.body_time;
}

bool Connection::gone() const {
  pollfd entry{socket_, POLLRDHUP, 0};
  return poll(&entry, 1, 0) > 0 && (entry.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

bool Connection::is_readable() const {
  return begin_ != end_ || (fault_ == Fault::none && wait_for(POLLIN, read_limit_));
}

bool Connection::is_writable() const {
  return wait_for(POLLOUT, std::min(write_limit_, Clock::now() + limits_.body_time));
}

ssize_t Connection::read(char* out, std::size_t size) {
  if (fault_ != Fault::none) {
    return -1;
  }
  if (begin_ == end_ && !in_head_ && size >= buffer_.size()) {
    return receive(out, size);
  }
  if (begin_ == end_) {
    const ssize_t count = receive(buffer_.data(), buffer_.size());
    if (count <= 0) {
      return count;
    }
    begin_ = 0;
    end_ = static_cast<std::size_t>(count);
  }
  const std::size_t count = std::min(size, end_ - begin_);
  head_bytes_ += in_head_ ? count : 0;
  if (in_head_ && head_bytes_ > limits_.head_bytes) {
    fault_ = Fault::too_long;
    return -1;
  }
  std::memcpy(out, buffer_.data() + begin_, count);
  begin_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t Connection::receive(char* out, std::size_t size) {
  if (!wait_for(POLLIN, read_limit_)) {
    fault_ = Fault::late;
    return -1;
  }
  ssize_t count = -1;
  do {
    count = recv(socket_, out, size, 0);
  } while (count < 0 && errno == EINTR);
  return count;
}

ssize_t Connection::write(const char* bytes, std::size_t size) {
  if (!std::exchange(answered_, true)) {
    write_limit_ = Clock::now() + limits_.body_time;
  }
  // All of it: the library takes no notice of a part.
  for (std::size_t sent = 0; sent < size;) {
    const ssize_t count = send(socket_, bytes + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno != EINTR && (errno != EAGAIN || !wait_for(POLLOUT, write_limit_))) {
      closes_ = true;
      return -1;
    }
  }
  return static_cast<ssize_t>(size);
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    address_of(address, ip, port);
  }
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    address_of(address, ip, port);
  }
}

HttpServer::HttpServer(const ConnectionLimits& limits)
    : limits_(limits), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  check<IoError>(wake_ >= 0, "serve: no descriptor is left: {}", std::strerror(errno));
  new_task_queue = [this] { return new ConnectionThreads(limits_.connections); };
}

HttpServer::~HttpServer() {
  ::close(wake_);
}

Connection* HttpServer::current() {
  return current_connection();
}

void HttpServer::deepen_backlog() {
  check<IoError>(::listen(svr_sock_, SOMAXCONN) == 0, "serve: cannot listen: {}",
                 std::strerror(errno));
}

void HttpServer::finish() {
  // The port first: whoever sees its idle connection close may connect again at once.
  stop();
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof(one));
}

bool HttpServer::process_and_close_socket(socket_t socket) {
  ++open_;
  try {
    if (ConnectionThreads::overloaded()) {
      ConnectionLimits at_once = limits_;
      at_once.linger_time = at_once.body_time = std::chrono::milliseconds(0);
      Connection connection(socket, wake_, at_once);
      answer_unread(connection, 503);
    } else {
      Connection connection(socket, wake_, limits_);
      current_connection() = &connection;
      serve(connection);
    }
  } catch (const std::exception&) {
    // No memory for a request is no error of the server: the connection ends.
  }
  current_connection() = nullptr;
  on_end();
  --open_;
  return true;
}

void HttpServer::serve(Connection& connection) {
  while (connection.await_request()) {
    bool closed = false;
    const bool good = process_request(connection, false, closed, nullptr);
    if (connection.fault() != Connection::Fault::none && !connection.answered()) {
      answer_unread(connection, connection.fault() == Connection::Fault::late ? 408 : 431);
    }
    if (!good || closed || connection.closes()) {
      return;
    }
  }
}

/// Answers a client whose request was not read to its end.
void HttpServer::answer_unread(Connection& connection, int status) {
  const std::string body = on_unread(status);
  const std::string answer = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{}"
      "Connection: close\r\n\r\n{}",
      status, reason_of(status), body.size(), status == 503 ? "Retry-After: 1\r\n" : "", body);
  connection.write(answer.data(), answer.size());
}

}  // namespace rondo::serve
