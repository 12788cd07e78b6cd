#include "codegen/machine_code.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/base/error.h"
#include "tests/support/check_error.h"

namespace rondo::codegen {
namespace {

/// One byte of filling, then: rows of the arguments are set to 7.
MachineCode store_seven() {
  const unsigned char bytes[] = {0xCC, 0x48, 0xC7, 0x47, offsetof(KernelArgs, rows),
                                 7,    0,    0,    0,    0xC3};
  MachineCode code;
  code.entry = 1;
  for (const unsigned char byte : bytes) {
    code.bytes.push_back(static_cast<std::byte>(byte));
  }
  return code;
}

TEST(LoadedCode, RunsFromItsEntry) {
  std::string reason;
  const std::unique_ptr<LoadedCode> loaded = LoadedCode::load(store_seven(), reason);
  ASSERT_NE(loaded, nullptr) << reason;
  EXPECT_EQ(loaded->size_bytes(), 4096U);
  KernelArgs args;
  loaded->function()(&args);
  EXPECT_EQ(args.rows, 7);
}

TEST(LoadedCode, RejectsAnEntryOutsideOfTheCode) {
  std::string reason;
  check_error<InternalError>([&] { LoadedCode::load(MachineCode{}, reason); },
                             "internal: machine code: the entry lies outside of the code: this is "
                             "a defect of Rondo; please report it");
}

TEST(LoadedCode, SaysWhyWhereTheSystemRefusesMemory) {
  const auto load_without_memory = [] {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_AS, &none);
    std::string reason;
    const bool refused = LoadedCode::load(store_seven(), reason) == nullptr;
    std::fputs(reason.c_str(), stderr);
    std::_Exit(refused ? 0 : 1);
  };
  EXPECT_EXIT(load_without_memory(), testing::ExitedWithCode(0),
              "^machine code: the system refuses memory: Cannot allocate memory$");
}

}  // namespace
}  // namespace rondo::codegen
