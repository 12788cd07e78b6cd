// A plain HTTP client and a process of the command `rondo serve`, for tests.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace rondo::test {

struct HttpAnswer {
  int status = 0;
  std::string headers;
  std::string body;
  /// The value of a header, or "".
  std::string header(const std::string& name) const;
};

/// One connection that is kept open. Errors: std::runtime_error if nobody listens.
class HttpClient {
 public:
  explicit HttpClient(int port, const char* address = "127.0.0.1");
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  HttpAnswer get(const std::string& path);
  /// `headers` are whole lines that end in "\r\n".
  HttpAnswer post(const std::string& path, const std::string& body,
                  const std::string& headers = "");
  /// Sends bytes and reads an answer; status 0 if the server closed the connection.
  HttpAnswer send(const std::string& bytes);
  /// The two halves of it.
  void send_only(const std::string& bytes);
  HttpAnswer receive();

 private:
  int socket_;
};

/// `rondo serve` with port 0, running.
class ServerProcess {
 public:
  /// Its standard error goes to the file `errors`, if there is one.
  explicit ServerProcess(const std::string& archive, const std::vector<std::string>& options = {},
                         const std::string& errors = "");
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  int port() const { return port_; }
  /// Waits until the server says that it is ready.
  void wait_until_ready() const;
  /// Sends a signal.
  void signal(int number) const;
  /// Waits for the end; the exit code, or -1 after a signal.
  int wait();

 private:
  pid_t process_ = -1;
  int port_ = 0;
};

/// Runs the command; its output goes to `output`. Returns the exit code.
int run_command(const std::vector<std::string>& words, std::string& output);

}  // namespace rondo::test
