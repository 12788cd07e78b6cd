#include "tests/bindings/serve/http_client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace rondo::test {
namespace {

/// Starts the command with its standard output, and its errors too if asked, in a pipe.
pid_t spawn(const std::vector<std::string>& words, bool errors, int& output,
            const std::string& errors_file = "") {
  int ends[2];
  if (pipe(ends) != 0) {
    throw std::runtime_error("no pipe");
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (errors) {
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  }
  if (!errors_file.empty()) {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors_file.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  }
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::vector<std::string> copies{RONDO_COMMAND};
  copies.insert(copies.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : copies) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  pid_t process = -1;
  const int failed =
      posix_spawn(&process, RONDO_COMMAND, &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) {
    throw std::runtime_error("cannot start " RONDO_COMMAND);
  }
  output = ends[0];
  return process;
}

int exit_code(pid_t process) {
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::string HttpAnswer::header(const std::string& name) const {
  const std::size_t at = headers.find("\r\n" + name + ": ");
  if (at == std::string::npos) {
    return "";
  }
  const std::size_t start = at + name.size() + 4;
  return headers.substr(start, headers.find("\r\n", start) - start);
}

HttpClient::HttpClient(int port, const char* host) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = inet_addr(host);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    close(socket_);
    throw std::runtime_error("cannot connect to port " + std::to_string(port));
  }
}

HttpClient::~HttpClient() {
  close(socket_);
}

HttpAnswer HttpClient::send(const std::string& bytes) {
  send_only(bytes);
  return receive();
}

void HttpClient::send_only(const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t step = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (step <= 0) {
      break;  // the server may answer before it has read all
    }
    sent += static_cast<std::size_t>(step);
  }
}

HttpAnswer HttpClient::receive() {
  std::string received;
  std::size_t end = std::string::npos;
  std::size_t needed = 0;
  while (end == std::string::npos || received.size() < needed) {
    char buffer[65536];
    const ssize_t step = recv(socket_, buffer, sizeof(buffer), 0);
    if (step <= 0) {
      break;
    }
    received.append(buffer, static_cast<std::size_t>(step));
    if (end != std::string::npos) {
      continue;
    }
    end = received.find("\r\n\r\n");
    if (end != std::string::npos) {
      const HttpAnswer head{0, received.substr(0, end + 2), ""};
      needed = end + 4 + std::strtoul(head.header("Content-Length").c_str(), nullptr, 10);
    }
  }
  if (end == std::string::npos) {
    return {};
  }
  return {std::atoi(received.c_str() + 9), received.substr(0, end + 2), received.substr(end + 4)};
}

HttpAnswer HttpClient::get(const std::string& path) {
  return send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

HttpAnswer HttpClient::post(const std::string& path, const std::string& body,
                            const std::string& headers) {
  return send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body);
}

ServerProcess::ServerProcess(const std::string& archive, const std::vector<std::string>& options,
                             const std::string& errors) {
  std::vector<std::string> words{"serve", archive, "--port", "0"};
  words.insert(words.end(), options.begin(), options.end());
  int output = -1;
  process_ = spawn(words, false, output, errors);
  std::string line;
  char c = 0;
  while (read(output, &c, 1) == 1 && c != '\n') {
    line += c;
  }
  close(output);
  const std::string opening = "listening on 127.0.0.1:";
  if (line.compare(0, opening.size(), opening) != 0) {
    throw std::runtime_error("the server said: " + line);
  }
  port_ = std::atoi(line.c_str() + opening.size());
}

ServerProcess::~ServerProcess() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    exit_code(process_);
  }
}

void ServerProcess::wait_until_ready() const {
  for (int i = 0; i < 12000; ++i) {
    if (HttpClient(port_).get("/v2/health/ready").status == 200) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw std::runtime_error("the server does not get ready");
}

void ServerProcess::signal(int number) const {
  kill(process_, number);
}

int ServerProcess::wait() {
  const int code = exit_code(process_);
  process_ = -1;
  return code;
}

int run_command(const std::vector<std::string>& words, std::string& output) {
  int pipe_end = -1;
  const pid_t process = spawn(words, true, pipe_end);
  char buffer[4096];
  for (ssize_t step = 0; (step = read(pipe_end, buffer, sizeof(buffer))) > 0;) {
    output.append(buffer, static_cast<std::size_t>(step));
  }
  close(pipe_end);
  return exit_code(process);
}

}  // namespace rondo::test
