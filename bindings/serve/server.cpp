#include "bindings/serve/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <random>
#include <thread>
#include <utility>

#include "bindings/serve/http_server.h"
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
constexpr int kClientGone = 499;  // for counts and the log: nobody reads it

/// A port that another server listens on is an error; the library's default would share it.
void only_listener(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

/// What a body may make the server hold: itself, and where it is JSON the values that it is parsed
/// to, whose number is limited (serialize/json.h).
std::size_t memory_of_body(std::size_t bytes, std::size_t json_bytes) {
  constexpr std::size_t kOfAByte = 40;  // a digit and a comma are a value in a list that grows
  const auto most = static_cast<std::size_t>(serialize::JsonLimits{0}.max_values) * 2 * kOfAByte;
  return bytes + std::min(std::min(json_bytes, bytes) * kOfAByte, most);
}

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
    case ErrorKind::unsupported:  // such as a run above --max-work
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
    case Answer::Outcome::gone:
      return answer_error(response, kClientGone, answer.text);
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
  std::string id;
  std::size_t memory = 0;  // kept for its body
};

Current& current() {
  thread_local Current request;
  return request;
}

/// Text for JSON and headers: what is not ASCII may not be UTF-8.
std::string plain(std::string text) {
  for (char& c : text) {
    c = c >= 0x20 && c < 0x7f ? c : '?';
  }
  return text;
}

}  // namespace

struct Server::Impl {
  std::string model;
  std::shared_ptr<const jit::Module> module;
  ServerOptions options;
  std::size_t queue;
  Metrics metrics;
  Batcher batcher;
  HttpServer http;
  std::atomic<bool> ready{false};
  std::atomic<bool> stopping{false};
  std::atomic<std::uint64_t> next_id{std::random_device{}() * std::uint64_t{1} << 32};

  Impl(std::string name, std::shared_ptr<const jit::Module> loaded,
       const BatchOptions& batch_options, const ServerOptions& server_options)
      : model(std::move(name)),
        module(std::move(loaded)),
        options(server_options),
        queue(batch_options.queue),
        batcher(module, batch_options, metrics),
        http(options.limits) {
    configure();
    add_health();
    add_models();
  }

  /// Once it stops it is not ready, whatever ends warming up meanwhile.
  bool is_ready() const { return ready && !stopping; }

  void configure() {
    http.set_payload_max_length(options.max_body_bytes);
    http.set_tcp_nodelay(true);
    http.set_socket_options(only_listener);
    http.on_end = [this] { finish(); };
    http.on_unread = [this](int status) { return unread(status); };
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
      } catch (const std::bad_alloc&) {
        answer_error(response, 503, "request: there is no memory for it now; try again later");
      } catch (const std::exception& e) {
        answer_error(response, 500, e.what());
      }
    });
  }

  /// Called once the headers have been read.
  httplib::Server::HandlerResponse begin(const Request& request, Response& response) {
    finish();
    HttpServer::current()->begin_body();
    std::string id = plain(request.get_header_value("X-Request-Id").substr(0, 128));
    if (id.empty()) {
      id = fmt::format("{:016x}", next_id.fetch_add(1));
    }
    current() = {true, Clock::now(), std::move(id), 0};
    ++metrics.active;
    response.set_header("X-Request-Id", current().id);
    if (refuse(request, response)) {
      // Its body is not read, so nothing more can be.
      HttpServer::current()->close_after_answer();
      response.set_header("Connection", "close");
      return httplib::Server::HandlerResponse::Handled;
    }
    return httplib::Server::HandlerResponse::Unhandled;
  }

  /// Answers a request whose body is not to be read; false if it is.
  bool refuse(const Request& request, Response& response) {
    // A body whose size is not known beforehand could pass any limit.
    if (request.has_header("Transfer-Encoding")) {
      answer_error(response, 411, "request: a body needs Content-Length");
      return true;
    }
    if (request.has_header("Content-Encoding") || request.is_multipart_form_data()) {
      answer_error(response, 415, "request: expected a plain body of JSON or of JSON and tensors");
      return true;
    }
    const auto size = request.get_header_value<std::uint64_t>("Content-Length");
    if (size == 0 || size > options.max_body_bytes) {
      return false;  // the library answers that it is too large
    }
    const std::string json = request.get_header_value(kLengthHeader);
    const std::size_t json_size = json.empty() ? size : std::strtoull(json.c_str(), nullptr, 10);
    const std::size_t memory = memory_of_body(size, json_size);
    const auto most = static_cast<std::int64_t>(options.max_bodies_bytes);
    const auto added = static_cast<std::int64_t>(memory);
    if (added > most) {
      answer_error(
          response, 413,
          fmt::format("request: the body may take {} bytes of memory; there are {} for all "
                      "bodies, by --memory-mb",
                      added, most));
      return true;
    }
    if (metrics.body_bytes.fetch_add(added) + added > most) {
      metrics.body_bytes -= added;
      response.set_header("Retry-After", "1");
      answer_error(response, 503,
                   fmt::format("request: the bodies of other requests take the memory that there "
                               "is for them, {} bytes; try again later",
                               most));
      return true;
    }
    current().memory = memory;
    return false;
  }

  /// Counts the thread's request as answered, once; also where its client has gone away.
  void finish() {
    if (std::exchange(current().under_way, false)) {
      metrics.body_bytes -= static_cast<std::int64_t>(std::exchange(current().memory, 0));
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
    log(begun ? current().id : "", request.method, request.path, response.status, seconds);
  }

  void log(const std::string& id, const std::string& method, const std::string& path, int status,
           double seconds) const {
    if (options.log) {
      using serialize::Json;
      const Json line = Json::Object{{"id", id},
                                     {"method", plain(method)},
                                     {"path", plain(path)},
                                     {"status", status},
                                     {"seconds", seconds}};
      fmt::print(stderr, "{}\n", serialize::print_json(line, false));
    }
  }

  /// Counts an answer to a request that was not read to its end, and gives its body.
  std::string unread(int status) {
    finish();
    metrics.count_request(status, 0);
    log("", "", "", status, 0);
    return print_error(text_of(status));
  }

  /// What is said where nothing else is known than the status.
  std::string text_of(int status) const {
    const ConnectionLimits& limits = options.limits;
    switch (status) {
      case 408:
        return fmt::format(
            "request: it did not arrive in time: headers within {} ms, bodies within {} ms",
            limits.head_time.count(), limits.body_time.count());
      case 413:
        return fmt::format("request: the body is larger than the limit of {} bytes",
                           options.max_body_bytes);
      case 431:
        return fmt::format("request: the headers are larger than the limit of {} bytes",
                           limits.head_bytes);
      case 503:
        return fmt::format(
            "serve: {} connections are open, as many as there may be; try again "
            "later",
            limits.connections);
      default:
        return fmt::format("HTTP status {}", status);
    }
  }

  void explain(const Request& request, Response& response) const {
    Connection& connection = *HttpServer::current();
    if (connection.fault() != Connection::Fault::none) {
      response.status = connection.fault() == Connection::Fault::late ? 408 : 431;
    } else if (!response.body.empty()) {
      return;
    }
    const int status = response.status;
    if (!current().under_way) {
      connection.close_after_answer();  // where the next request would begin is not known
    }
    if (status == 413 && request.get_header_value("Content-Type").rfind(kForm, 0) == 0) {
      answer_error(
          response, status,
          fmt::format("request: a large body has Content-Type {}; send application/json, or "
                      "application/octet-stream for binary data",
                      kForm));
    } else if (status == 404) {
      answer_error(response, status,
                   fmt::format("there is no {} {}", request.method, request.path));
    } else if (status == 400) {
      answer_error(response, status, "request: this is no HTTP request");
    } else {
      answer_error(response, status, text_of(status));
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
      const bool now = is_ready();
      response.status = now ? 200 : 503;
      response.set_content(now ? "{\"ready\":true}" : "{\"ready\":false}", kJson);
    });
    http.Get("/metrics", [this](const Request&, Response& response) {
      response.set_content(metrics.print(http.connections()), "text/plain; version=0.0.4");
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
        const bool now = is_ready();
        response.status = now ? 200 : 503;
        response.set_content(print_readiness(model, now), kJson);
      }
    });
    http.Post(path + "/infer", [this](const Request& request, Response& response) {
      if (names_model(request, response)) {
        infer(request, response);
      }
    });
  }

  void infer(const Request& request, Response& response) {
    if (batcher.full()) {  // before it costs anything
      answer_undone(response, full_queue(queue));
      return;
    }
    const InferRequest parsed = parse_infer(module->manifest(), request.body, json_length(request));
    Patience patience;
    if (options.deadline.count() > 0) {
      patience.deadline = current().start + options.deadline;
    }
    patience.gone = [&connection = *HttpServer::current()] { return connection.gone(); };
    const Answer answer = batcher.run(parsed.method, parsed.inputs, patience);
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
  impl_->http.deepen_backlog();
  return port;
}

void Server::listen() {
  impl_->http.listen_after_bind();
}

std::string Server::warm(const std::string& method, const std::vector<Tensor>& inputs) {
  return impl_->batcher.warm(method, inputs);
}

void Server::set_ready(bool ready) {
  impl_->ready = ready;
}

void Server::stop() {
  impl_->stopping = true;
  impl_->http.finish();
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

void Server::cancel() {
  impl_->batcher.cancel();
}

}  // namespace rondo::serve
