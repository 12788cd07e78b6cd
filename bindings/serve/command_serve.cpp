// `rondo serve`: options, warming up, signals and the graceful end.
#include <fmt/format.h>
#include <signal.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "bindings/serve/arguments.h"
#include "bindings/serve/commands.h"
#include "bindings/serve/protocol.h"
#include "bindings/serve/server.h"

namespace rondo::serve {
namespace {

/// How often each shape of --warm runs: enough for its repeats to be found and compiled.
constexpr int kWarmRuns = 20;

/// Zeros for a method, with every symbol of the first axes as `batch` and all others as 1.
std::vector<Tensor> zeros(const serialize::Method& method, std::int64_t batch) {
  serialize::Bindings sizes;
  for (const serialize::ValueSpec& spec : method.inputs) {
    for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
      if (spec.shape[axis].is_symbol() && !sizes.find(spec.shape[axis].symbol_name())) {
        sizes.set(spec.shape[axis].symbol_name(), axis == 0 ? batch : 1);
      }
    }
  }
  std::vector<Tensor> inputs;
  for (const serialize::ValueSpec& spec : method.inputs) {
    Shape shape;
    for (const serialize::Dimension& dim : spec.shape) {
      shape.push_back(dim.evaluate(sizes));
    }
    const Tensor tensor = Tensor::empty(shape, spec.dtype);
    if (tensor.numel() != 0) {
      std::memset(tensor.data(), 0,
                  static_cast<std::size_t>(size_bytes(spec.dtype, tensor.numel())));
    }
    inputs.push_back(tensor);
  }
  return inputs;
}

/// Runs the default method on each batch size, so that the first requests find it ready.
void warm(Server& server, const jit::Module& module, const std::vector<std::int64_t>& batches) {
  const serialize::Method* method = default_method(module.manifest());
  for (const std::int64_t batch : batches) {
    for (int i = 0; method != nullptr && i < kWarmRuns; ++i) {
      const std::string fault = server.warm(method->name, zeros(*method, batch));
      if (!fault.empty()) {
        fmt::print(stderr, "rondo serve: --warm {}: {}\n", batch, fault);
        break;
      }
    }
  }
}

struct Settings {
  BatchOptions batch;
  ServerOptions server;
  std::vector<std::int64_t> warm;
  std::chrono::milliseconds grace;
};

Settings read_settings(const Arguments& arguments) {
  Settings settings;
  BatchOptions& batch = settings.batch;
  batch.threads = static_cast<int>(arguments.integer("--threads", 1, 256, batch.threads));
  batch.max_batch = arguments.integer("--max-batch", 1, 1 << 20, batch.max_batch);
  batch.max_delay =
      std::chrono::microseconds(std::lround(1000 * arguments.real("--max-delay-ms", 0, 60000, 1)));
  batch.queue = static_cast<std::size_t>(arguments.integer("--queue", 1, 1 << 20, 256));
  ServerOptions& server = settings.server;
  server.host = arguments.text("--host", server.host);
  server.port = static_cast<int>(arguments.integer("--port", 0, 65535, server.port));
  server.max_body_bytes =
      static_cast<std::size_t>(arguments.integer("--max-body-mb", 1, 1 << 20, 64)) << 20;
  server.deadline =
      std::chrono::milliseconds(arguments.integer("--deadline-ms", 0, 86400000, 30000));
  server.log = arguments.has("--log");
  settings.warm = arguments.integers("--warm", 1, 1 << 20);
  settings.grace =
      std::chrono::milliseconds(std::lround(1000 * arguments.real("--grace", 0, 86400, 10)));
  return settings;
}

}  // namespace

int serve(std::span<const std::string> words) {
  const Arguments arguments(
      "rondo serve", words,
      {"--host", "--port", "--threads", "--max-batch", "--max-delay-ms", "--max-body-mb", "--queue",
       "--deadline-ms", "--warm", "--grace", "--name"},
      {"--log"});
  const Settings settings = read_settings(arguments);
  const auto module = jit::Module::load_file(arguments.file());

  // Blocked before threads are made, so that only this one takes the signals.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  const std::string stem = std::filesystem::path(arguments.file()).stem().string();
  Server server(arguments.text("--name", stem), module, settings.batch, settings.server);
  const int port = server.bind();
  std::thread listener([&server] { server.listen(); });
  fmt::print("listening on {}:{}\n", settings.server.host, port);
  std::fflush(stdout);
  warm(server, *module, settings.warm);
  server.set_ready(true);

  int signal = 0;
  sigwait(&signals, &signal);
  server.set_ready(false);
  server.stop();
  if (!server.wait_until_idle(settings.grace)) {
    server.abandon_queue();
    fmt::print(stderr, "rondo serve: requests were still running after --grace\n");
  }
  std::fflush(stdout);
  std::fflush(stderr);
  // Connections that are kept open without a request would hold the listener for seconds.
  std::_Exit(0);
}

}  // namespace rondo::serve
