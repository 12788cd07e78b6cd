// The program `rondo`: looks inside archives, runs and serves them. No Python in it.
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "bindings/serve/commands.h"
#include "core/base/error.h"
#include "serialize/manifest.h"

namespace {

constexpr std::string_view kHelp =
    R"(rondo inspect FILE [--code METHOD]   signature, ops, tensors, sizes
rondo verify FILE                    runs the golden cases; exit code 1 if a bit differs
rondo run FILE [--method M] --input NAME=IN.npy ... [--output NAME=OUT.npy ...]
rondo serve FILE [options]           Open Inference Protocol v2 over HTTP
  --host 127.0.0.1   --port 8000     port 0: any; it is printed
  --name MODEL                       name in the paths; default: the file's
  --threads 1                        sessions that run at a time
  --max-batch 32  --max-delay-ms 1   rows of a batch, and how long a request waits for others
  --queue 256                        requests that may wait; more get 503
  --max-body-mb 64                   larger ones get 413
  --deadline-ms 30000                later ones get 504; 0: none
  --header-timeout 10                seconds for headers to arrive, and
  --body-timeout 60                  for a body, or for an answer to be taken; else 408
  --connections 512                  that may be open; more get 503
  --memory-mb M                      for tensors, and half as much for bodies; more get 503;
                                     default: half of what the process may use
  --max-work N                       what a request may cost, in elements that ops touch and
                                     multiplications of products; more get 400; default: any
  --weights map                      copy: for files that are overwritten in place
  --warm 1,8,32                      batch sizes to run until they are compiled, before it is ready
  --grace 10                         seconds to finish requests after SIGTERM
  --log                              a JSON line on stderr for each request
rondo doctor                         what this machine offers: CPU, compilers, driver, GPUs, libraries;
                                     exit code 1 if no GPU can be used
rondo version
)";

int dispatch(const std::string& command, std::span<const std::string> words) {
  if (command == "inspect") {
    return rondo::serve::inspect(words);
  }
  if (command == "verify") {
    return rondo::serve::verify(words);
  }
  if (command == "run") {
    return rondo::serve::run_once(words);
  }
  if (command == "serve") {
    return rondo::serve::serve(words);
  }
  if (command == "doctor") {
    return rondo::serve::doctor(words);
  }
  if (command == "version" || command == "--version") {
    fmt::print("rondo {}\n", rondo::serialize::runtime_version());
    return 0;
  }
  if (command == "help" || command == "--help") {
    fmt::print("{}", kHelp);
    return 0;
  }
  fmt::print(stderr, "{}", kHelp);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    return words.empty() ? dispatch("", {}) : dispatch(words[0], std::span(words).subspan(1));
  } catch (const rondo::Error& error) {
    fmt::print(stderr, "rondo: {}: {}\n", rondo::error_name(error.kind()), error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "rondo: {}\n", error.what());
  }
  return 1;
}
