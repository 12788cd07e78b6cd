// The HTTP library's server over connections of our own: reading and writing within limits of time
// and size, and a look at whether a client is still there.
#pragma once

#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "bindings/serve/connection_limits.h"

namespace rondo::serve {

/// One connection. Used by one thread.
class Connection final : public httplib::Stream {
 public:
  enum class Fault { none, late, too_long };

  /// `wake` is a descriptor that becomes readable when the server stops.
  Connection(socket_t socket, int wake, const ConnectionLimits& limits);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Waits for the first byte of a request; false if none comes in time, or the server stops.
  bool await_request();
  /// The headers have been read: what is read from now on is the body.
  void begin_body();
  /// Closes the connection once the request under way has been answered.
  void close_after_answer() { closes_ = true; }
  bool closes() const { return closes_ || fault_ != Fault::none; }
  /// Which limit the request broke.
  Fault fault() const { return fault_; }
  /// Whether an answer to the request has begun.
  bool answered() const { return answered_; }
  /// Whether the client has closed its end, so that it waits for nothing.
  bool gone() const;

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* out, std::size_t size) override;
  ssize_t write(const char* bytes, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool wait_for(short events, Clock::time_point limit) const;
  ssize_t receive(char* out, std::size_t size);
  void linger();

  socket_t socket_;
  int wake_;
  const ConnectionLimits& limits_;
  std::array<char, 4096> buffer_{};
  std::size_t begin_ = 0;  // of what is in the buffer and not yet taken
  std::size_t end_ = 0;
  std::size_t head_bytes_ = 0;  // taken since the request began
  bool in_head_ = true;
  bool answered_ = false;
  bool closes_ = false;
  Fault fault_ = Fault::none;
  Clock::time_point read_limit_;
  Clock::time_point write_limit_;
};

/// A server whose requests run on such connections, each on a thread of its own.
class HttpServer final : public httplib::Server {
 public:
  explicit HttpServer(const ConnectionLimits& limits);
  ~HttpServer() override;

  /// The connection of this thread; null outside of a request.
  static Connection* current();
  /// Told of each answer to a client whose request was not read to its end; gives its body.
  std::function<std::string(int status)> on_unread;
  /// Called on the thread of a connection when it has ended.
  std::function<void()> on_end;

  /// Lets many connections wait to be accepted, once the port is bound: the library lets five, and
  /// the system makes the others try again after seconds.
  void deepen_backlog();

  /// Connections that are open now.
  std::int64_t connections() const { return open_.load(); }

  /// Takes no new connection and closes those that wait for a request. From any thread, once.
  void finish();

 private:
  bool process_and_close_socket(socket_t socket) override;
  void serve(Connection& connection);
  void answer_unread(Connection& connection, int status);

  ConnectionLimits limits_;
  int wake_;
  std::atomic<std::int64_t> open_{0};
};

}  // namespace rondo::serve
