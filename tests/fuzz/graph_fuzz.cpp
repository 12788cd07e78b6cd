// libFuzzer on the text of graphs: what parses prints to text that parses to the same.
#include "core/base/error.h"
#include "core/graph/graph.h"
#include "jit/initialize.h"
#include "tests/fuzz/archives.h"
#include "tests/fuzz/fuzzer.h"

namespace rondo::fuzz {

std::vector<ByteVector> seeds() {
  std::vector<ByteVector> seeds;
  for (const std::string& text : seed_graphs()) {
    const auto bytes = std::as_bytes(std::span(text));
    seeds.emplace_back(bytes.begin(), bytes.end());
  }
  return seeds;
}

void run_one(std::span<const std::byte> bytes) {
  jit::initialize();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  is_read([&] {
    const Graph graph = parse_graph(text);
    verify(graph);
    const std::string printed = print(graph);
    invariant(print(parse_graph(printed)) == printed, "a graph changed on its way");
  });
}

void mutate_one(ByteVector& bytes, const MutateBytes& mutate, std::mt19937_64& random) {
  jit::initialize();
  if (random() % 4 == 0) {
    mutate(bytes);
  } else {
    mutate_graph(bytes, random);
  }
}

}  // namespace rondo::fuzz
