// `rondo serve`: options, warming up, signals and the graceful end.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "bindings/serve/arguments.h"
#include "bindings/serve/commands.h"
#include "bindings/serve/memory.h"
#include "bindings/serve/protocol.h"
#include "bindings/serve/server.h"
#include "core/tensor/allocator.h"

namespace rondo::serve {
namespace {

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
    std::string fault;
    try {
      fault = method == nullptr ? "the archive has several methods and none is 'forward'"
                                : server.warm(method->name, zeros(*method, batch));
    } catch (const Error& error) {
      fault = error.what();
    }
    if (!fault.empty()) {
      fmt::print(stderr, "rondo serve: --warm {}: {}\n", batch, fault);
    }
  }
}

struct Settings {
  BatchOptions batch;
  ServerOptions server;
  std::vector<std::int64_t> warm;
  std::chrono::milliseconds grace;
  std::int64_t memory;
  serialize::FileAccess weights;
};

constexpr std::int64_t kMegabyte = 1 << 20;

std::chrono::milliseconds seconds_of(const Arguments& arguments, std::string_view option,
                                     double least, double otherwise) {
  return std::chrono::milliseconds(
      std::lround(1000 * arguments.real(option, least, 86400, otherwise)));
}

void read_limits(const Arguments& arguments, Settings& settings) {
  ServerOptions& server = settings.server;
  server.max_body_bytes =
      static_cast<std::size_t>(arguments.integer("--max-body-mb", 1, 1 << 20, 64) * kMegabyte);
  server.deadline =
      std::chrono::milliseconds(arguments.integer("--deadline-ms", 0, 86400000, 30000));
  server.limits.connections =
      static_cast<std::size_t>(arguments.integer("--connections", 1, 1 << 16, 512));
  server.limits.head_time = seconds_of(arguments, "--header-timeout", 0.001, 10);
  server.limits.body_time = seconds_of(arguments, "--body-timeout", 0.001, 60);
  // What tensors leave is for bodies, the program, its threads and compiled kernels.
  settings.memory =
      arguments.integer("--memory-mb", 1, std::int64_t{1} << 40,
                        std::max(available_memory() / 2 / kMegabyte, std::int64_t{1})) *
      kMegabyte;
  server.max_bodies_bytes = static_cast<std::size_t>(settings.memory / 2);
  const double work = arguments.real("--max-work", 0, 1e30, 0);
  if (work > 0) {
    settings.batch.limits.work = work;
  }
}

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
  server.log = arguments.has("--log");
  settings.warm = arguments.integers("--warm", 1, 1 << 20);
  settings.grace = seconds_of(arguments, "--grace", 0, 10);
  const std::string weights = arguments.text("--weights", "map");
  check<ArgumentError>(weights == "map" || weights == "copy",
                       "rondo serve: --weights is '{}'; expected map or copy", weights);
  settings.weights = weights == "map" ? serialize::FileAccess::map : serialize::FileAccess::copy;
  read_limits(arguments, settings);
  return settings;
}

/// Lets requests under way finish, and ends what still runs shortly before the time is over, so
/// that it can be answered.
void end(Server& server, std::chrono::milliseconds grace) {
  const auto last = std::min(grace / 4, std::chrono::milliseconds(1000));
  server.stop();
  if (!server.wait_until_idle(grace - last)) {
    server.cancel();
    const bool idle = server.wait_until_idle(last);
    fmt::print(stderr, "rondo serve: requests were ended by --grace{}\n",
               idle ? "" : "; some without an answer");
  }
}

}  // namespace

int serve(std::span<const std::string> words) {
  const Arguments arguments(
      "rondo serve", words,
      {"--host", "--port", "--threads", "--max-batch", "--max-delay-ms", "--max-body-mb", "--queue",
       "--deadline-ms", "--warm", "--grace", "--name", "--connections", "--header-timeout",
       "--body-timeout", "--memory-mb", "--max-work", "--weights"},
      {"--log"});
  const Settings settings = read_settings(arguments);
  const auto module = jit::Module::load_file(arguments.file(), settings.weights);
  set_memory_limit(settings.memory);

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
  std::thread warmer([&] {
    warm(server, *module, settings.warm);
    server.set_ready(true);
  });

  int signal = 0;
  sigwait(&signals, &signal);
  end(server, settings.grace);
  std::fflush(stdout);
  std::fflush(stderr);
  // A client that is slow, or a shape that is being warmed, would hold the process.
  std::_Exit(0);
}

}  // namespace rondo::serve
