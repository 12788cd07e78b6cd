// The HTTP server over one archive: the Open Inference Protocol v2 and /metrics.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "bindings/serve/batcher.h"
#include "bindings/serve/connection_limits.h"

namespace rondo::serve {

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 8000;  // 0: any that is free
  std::size_t max_body_bytes = 64U << 20;
  std::size_t max_bodies_bytes = 1U << 30;    // of all requests, with what is made of them
  std::chrono::milliseconds deadline{30000};  // of each infer request; 0: none
  ConnectionLimits limits;
  bool log = false;  // a JSON line on stderr for each request
};

class Server {
 public:
  /// `model` is the name in the paths: /v2/models/<model>/infer.
  Server(std::string model, std::shared_ptr<const jit::Module> module,
         const BatchOptions& batch_options, const ServerOptions& options);
  ~Server();

  /// Takes the port and returns it. Errors: IoError.
  int bind();
  /// Answers requests until `stop`, and until every open connection has ended.
  void listen();

  /// Runs a method on every session until its kernels are compiled. Returns what went wrong, empty
  /// if nothing did. Errors: those of a call that does not fit the signature.
  std::string warm(const std::string& method, const std::vector<Tensor>& inputs);
  /// What /v2/health/ready says. Not ready at first.
  void set_ready(bool ready);
  /// Is not ready, takes no new connection and closes those without a request; requests under way
  /// are finished. Any thread, once.
  void stop();
  /// Waits until no request is under way. False if that takes longer than `most`.
  bool wait_until_idle(std::chrono::milliseconds most) const;
  /// Ends what runs at its next kernel, and answers it and what waits with 503.
  void cancel();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rondo::serve
