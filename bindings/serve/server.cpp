#include "bindings/serve/server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <charconv>
#include <condition_variable>
#include <deque>
#include <thread>
#include <utility>

#include "bindings/serve/protocol.h"
#include "serialize/json.h"

namespace rondo::serve {
namespace {

using Clock = std::chrono::steady_clock;
using httplib::Request;
using httplib::Response;

constexpr const char* kJson = "application/json";
constexpr const char* kForm = "application/x-www-form-urlencoded";  // small ones alone are read
constexpr const char* kLengthHeader = "Inference-Header-Content-Length";
constexpr int kKeepAliveSeconds = 5;

/// A port that another server listens on is an error; the library's default would share it.
void only_listener(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

/// Threads for connections, made when they are needed and kept.
class ConnectionThreads final : public httplib::TaskQueue {
 public:
  /// `end` is called on the thread of a connection when the connection has ended.
  ConnectionThreads(std::size_t most, std::function<void()> end)
      : most_(most), end_(std::move(end)) {}

  void enqueue(std::function<void()> task) override {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    if (idle_ < tasks_.size() && threads_.size() < most_) {
      threads_.emplace_back([this] { work(); });
    }
    changed_.notify_one();
  }

  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      --idle_;
      if (tasks_.empty()) {
        return;
      }
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      end_();
      lock.lock();
    }
  }

  std::size_t most_;
  std::function<void()> end_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
};

void answer_error(Response& response, int status, std::string_view text) {
  response.status = status;
  response.set_content(print_error(text), kJson);
}

/// The status of an error: the request's fault or ours.
int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::shape:
    case ErrorKind::dtype:
    case ErrorKind::index:
    case ErrorKind::argument:
    case ErrorKind::format:
      return 400;
    case ErrorKind::out_of_memory:
      return 503;
    default:
      return 500;
  }
}

void answer_undone(Response& response, const Answer& answer) {
  switch (answer.outcome) {
    case Answer::Outcome::late:
      return answer_error(response, 504, answer.text);
    case Answer::Outcome::full:
    case Answer::Outcome::stopped:
      response.set_header("Retry-After", "1");
      return answer_error(response, 503, answer.text);
    default:
      return answer_error(response, status_of(answer.kind), answer.text);
  }
}

std::optional<std::size_t> json_length(const Request& request) {
  if (!request.has_header(kLengthHeader)) {
    return std::nullopt;
  }
  const std::string text = request.get_header_value(kLengthHeader);
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  check<FormatError>(error == std::errc() && end == text.data() + text.size(),
                     "request: {} is '{}'; expected a number of bytes", kLengthHeader, text);
  return length;
}

/// The request that a thread works on.
struct Current {
  bool under_way = false;
  Clock::time_point start = Clock::now();
};

Current& current() {
  thread_local Current request;
  return request;
}

}  // namespace

struct Server::Impl {
  std::string model;
  std::shared_ptr<const jit::Module> module;
  ServerOptions options;
  Metrics metrics;
  Batcher batcher;
  httplib::Server http;
  std::atomic<bool> ready{false};

  Impl(std::string name, std::shared_ptr<const jit::Module> loaded,
       const BatchOptions& batch_options, const ServerOptions& server_options)
      : model(std::move(name)),
        module(std::move(loaded)),
        options(server_options),
        batcher(module, batch_options, metrics) {
    configure();
    add_health();
    add_models();
  }

  void configure() {
    http.new_task_queue = [this] {
      return new ConnectionThreads(options.connections, [this] { finish(); });
    };
    http.set_payload_max_length(options.max_body_bytes);
    http.set_tcp_nodelay(true);
    http.set_socket_options(only_listener);
    http.set_read_timeout(10);
    http.set_write_timeout(10);
    http.set_keep_alive_timeout(kKeepAliveSeconds);
    http.set_keep_alive_max_count(1U << 20);
    http.set_pre_routing_handler(
        [this](const Request& request, Response& response) { return begin(request, response); });
    http.set_logger(
        [this](const Request& request, const Response& response) { end(request, response); });
    http.set_error_handler(
        httplib::Server::HandlerWithResponse([this](const Request& request, Response& response) {
          explain(request, response);
          return httplib::Server::HandlerResponse::Handled;
        }));
    http.set_exception_handler([](const Request&, Response& response, std::exception_ptr error) {
      try {
        std::rethrow_exception(std::move(error));
      } catch (const Error& e) {
        answer_error(response, status_of(e.kind()), e.what());
      } catch (const std::exception& e) {
        answer_error(response, 500, e.what());
      }
    });
  }

  httplib::Server::HandlerResponse begin(const Request& request, Response& response) {
    finish();
    current() = {true, Clock::now()};
    ++metrics.active;
    if (request.has_header("X-Request-Id")) {
      response.set_header("X-Request-Id", request.get_header_value("X-Request-Id"));
    }
    // A body whose size is not known beforehand could pass any limit.
    if (request.has_header("Transfer-Encoding")) {
      response.set_header("Connection", "close");
      answer_error(response, 411, "request: a body needs Content-Length");
      return httplib::Server::HandlerResponse::Handled;
    }
    if (request.has_header("Content-Encoding") || request.is_multipart_form_data()) {
      response.set_header("Connection", "close");
      answer_error(response, 415, "request: expected a plain body of JSON or of JSON and tensors");
      return httplib::Server::HandlerResponse::Handled;
    }
    return httplib::Server::HandlerResponse::Unhandled;
  }

  /// Counts the thread's request as answered, once; also where its client has gone away.
  void finish() {
    if (std::exchange(current().under_way, false)) {
      --metrics.active;
    }
  }

  void end(const Request& request, const Response& response) {
    // A request that could not even be parsed has not begun.
    const Clock::time_point now = Clock::now();
    const bool begun = current().under_way;
    const double seconds = begun ? std::chrono::duration<double>(now - current().start).count() : 0;
    finish();
    metrics.count_request(response.status, seconds);
    if (options.log) {
      using serialize::Json;
      std::string path = request.path;
      for (char& c : path) {
        c = static_cast<unsigned char>(c) < 0x80 ? c : '?';
      }
      const Json line = Json::Object{{"id", print_id(request)},
                                     {"method", request.method},
                                     {"path", path},
                                     {"status", response.status},
                                     {"seconds", seconds}};
      fmt::print(stderr, "{}\n", serialize::print_json(line, false));
    }
  }

  static std::string print_id(const Request& request) {
    std::string id = request.get_header_value("X-Request-Id").substr(0, 128);
    for (char& c : id) {
      c = static_cast<unsigned char>(c) < 0x80 ? c : '?';
    }
    return id;
  }

  void explain(const Request& request, Response& response) const {
    if (!response.body.empty()) {
      return;
    }
    const int status = response.status;
    if (status == 413 && request.get_header_value("Content-Type").rfind(kForm, 0) == 0) {
      answer_error(
          response, status,
          fmt::format("request: a large body has Content-Type {}; send application/json, or "
                      "application/octet-stream for binary data",
                      kForm));
    } else if (status == 413) {
      answer_error(response, status,
                   fmt::format("request: the body is larger than the limit of {} bytes",
                               options.max_body_bytes));
    } else if (status == 404) {
      answer_error(response, status,
                   fmt::format("there is no {} {}", request.method, request.path));
    } else {
      answer_error(response, status, fmt::format("HTTP status {}", status));
    }
  }

  void add_health() {
    http.Get("/v2", [](const Request&, Response& response) {
      response.set_content(print_server_metadata(), kJson);
    });
    http.Get("/v2/health/live", [](const Request&, Response& response) {
      response.set_content("{\"live\":true}", kJson);
    });
    http.Get("/v2/health/ready", [this](const Request&, Response& response) {
      response.status = ready ? 200 : 503;
      response.set_content(ready ? "{\"ready\":true}" : "{\"ready\":false}", kJson);
    });
    http.Get("/metrics", [this](const Request&, Response& response) {
      response.set_content(metrics.print(), "text/plain; version=0.0.4");
    });
  }

  /// Answers 404 and returns false unless the path names our model, in its only version.
  bool names_model(const Request& request, Response& response) const {
    const std::string name = request.matches[1];
    const std::string version = request.matches[2];
    if (name != model) {
      answer_error(response, 404,
                   fmt::format("there is no model '{}'; this server has '{}'", name, model));
      return false;
    }
    if (!version.empty() && version != "1") {
      answer_error(response, 404,
                   fmt::format("model '{}' has no version '{}'; it has 1", name, version));
      return false;
    }
    return true;
  }

  void add_models() {
    const std::string path = "/v2/models/([^/]+)(?:/versions/([^/]+))?";
    http.Get(path, [this](const Request& request, Response& response) {
      if (names_model(request, response)) {
        response.set_content(print_model_metadata(model, module->manifest()), kJson);
      }
    });
    http.Get(path + "/ready", [this](const Request& request, Response& response) {
      if (names_model(request, response)) {
        response.status = ready ? 200 : 503;
        response.set_content(fmt::format("{{\"name\":\"{}\",\"ready\":{}}}", model, ready.load()),
                             kJson);
      }
    });
    http.Post(path + "/infer", [this](const Request& request, Response& response) {
      if (names_model(request, response)) {
        infer(request, response);
      }
    });
  }

  void infer(const Request& request, Response& response) {
    const InferRequest parsed = parse_infer(module->manifest(), request.body, json_length(request));
    std::optional<Clock::time_point> deadline;
    if (options.deadline.count() > 0) {
      deadline = current().start + options.deadline;
    }
    const Answer answer = batcher.run(parsed.method, parsed.inputs, deadline);
    if (answer.outcome != Answer::Outcome::done) {
      answer_undone(response, answer);
      return;
    }
    InferResponse result = print_infer(model, module->manifest(), parsed, answer.outputs);
    if (result.json_bytes != 0) {
      response.set_header(kLengthHeader, std::to_string(result.json_bytes));
    }
    response.body = std::move(result.body);
    response.set_header("Content-Type",
                        result.json_bytes != 0 ? "application/octet-stream" : kJson);
  }
};

Server::Server(std::string model, std::shared_ptr<const jit::Module> module,
               const BatchOptions& batch_options, const ServerOptions& options)
    : impl_(std::make_unique<Impl>(std::move(model), std::move(module), batch_options, options)) {}

Server::~Server() = default;

int Server::bind() {
  const ServerOptions& options = impl_->options;
  const int port = options.port == 0
                       ? impl_->http.bind_to_any_port(options.host)
                       : (impl_->http.bind_to_port(options.host, options.port) ? options.port : -1);
  check<IoError>(port > 0, "serve: cannot listen on {}:{}; another program may use the port",
                 options.host, options.port);
  return port;
}

void Server::listen() {
  impl_->http.listen_after_bind();
}

std::string Server::warm(const std::string& method, const std::vector<Tensor>& inputs) {
  try {
    return impl_->batcher.run(method, inputs).text;
  } catch (const Error& error) {
    return error.what();
  }
}

void Server::set_ready(bool ready) {
  impl_->ready = ready;
}

void Server::stop() {
  impl_->http.stop();
}

bool Server::wait_until_idle(std::chrono::milliseconds most) const {
  const Clock::time_point limit = Clock::now() + most;
  while (impl_->metrics.active > 0) {
    if (Clock::now() >= limit) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

void Server::abandon_queue() {
  impl_->batcher.stop();
}

}  // namespace rondo::serve
