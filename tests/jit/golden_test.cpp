// Archives of released formats load, and give the bits that they hold, for ever.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/error.h"
#include "jit/session.h"
#include "tests/support/check_error.h"

namespace rondo::jit {
namespace {

TEST(Golden, ArchivesOfEveryFormatLoadAndGiveTheirBits) {
  int found = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(RONDO_GOLDEN)) {
    if (file.path().extension() == ".rondo") {
      ++found;
      const auto module = Module::load_file(file.path());
      EXPECT_FALSE(module->manifest().golden.empty()) << file.path();
      EXPECT_EQ(module->verify(), std::vector<std::string>{}) << file.path();
    }
  }
  EXPECT_GE(found, 6);
}

TEST(Golden, GuardsAndSymbolsOfTheFirstFormatHold) {
  const auto module = Module::load_file(RONDO_GOLDEN "/v1/sizes.rondo");
  Session session(module);
  const auto run = [&](std::int64_t batch, std::int64_t seq) {
    return session.run("forward", {Tensor::empty({batch, seq, 3}, Dtype::float32)})[0].shape();
  };
  EXPECT_EQ(run(5, 6), (Shape{15, 2, 3}));
  check_error<ShapeError>(
      [&] { run(5, 7); },
      "forward: the sizes break a guard: seq//2*2 == seq, where seq is 7: the trace holds "
      "for sizes in steps of 2: between them the function fails");
  check_error<ShapeError>(
      [&] { run(5, 18); },
      "forward: the sizes break a guard: seq <= 10, where seq is 18: the trace does not hold "
      "for 12: the function fails");
}

}  // namespace
}  // namespace rondo::jit
