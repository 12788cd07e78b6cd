#include "codegen/plugin.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"

namespace rondo::codegen {
namespace {

TEST(Plugin, IsSoughtBesideTheProgramThenInThePathThenByTheDynamicLinker) {
  const std::vector<std::string> files = plugin_files("librondo_x.so", "/a::/b/");
  ASSERT_EQ(files.size(), 4U);
  const std::filesystem::path beside(files[0]);
  EXPECT_EQ(beside.filename(), "librondo_x.so");
  EXPECT_TRUE(std::filesystem::equivalent(
      beside.parent_path(), std::filesystem::canonical("/proc/self/exe").parent_path()))
      << files[0];
  EXPECT_EQ(files[1], "/a/librondo_x.so");
  EXPECT_EQ(files[2], "/b//librondo_x.so");
  EXPECT_EQ(files[3], "librondo_x.so");
}

TEST(Plugin, ThatIsMissingIsNoErrorButHasAReason) {
  const OpenedTarget opened = open_plugin({"/nowhere/librondo_x.so"});
  EXPECT_EQ(opened.target, nullptr);
  EXPECT_EQ(opened.reason, "plug-in: not found");
  const OpenedTarget searched = open_plugin({"/nowhere/librondo_x.so", "librondo_x.so"});
  EXPECT_EQ(searched.target, nullptr);
  EXPECT_EQ(searched.reason,
            "plug-in: librondo_x.so: cannot open shared object file: No such file or directory");
}

TEST(Plugin, ThatIsNoLibraryIsRefused) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "librondo_x.so").string();
  std::ofstream(file) << "no library";
  const OpenedTarget opened = open_plugin({file});
  EXPECT_EQ(opened.target, nullptr);
  EXPECT_EQ(opened.reason, "plug-in: " + file + ": file too short");
}

TEST(Plugin, ThatIsAnotherLibraryIsRefused) {
  const OpenedTarget opened = open_plugin({"libm.so.6"});
  EXPECT_EQ(opened.target, nullptr);
  EXPECT_EQ(opened.reason, "plug-in: libm.so.6 is none: it has no rondo_open_target");
}

TEST(Plugin, OfAnotherVersionIsRefused) {
  const OpenedTarget opened = open_plugin({RONDO_OLD_PLUGIN});
  EXPECT_EQ(opened.target, nullptr);
  EXPECT_EQ(opened.reason, std::string("plug-in: ") + RONDO_OLD_PLUGIN +
                               " is made for another library: rondo 0.0; " + plugin_abi() +
                               " is required");
}

TEST(Plugin, IsTurnedOffByTheEnvironment) {
  const auto open_without_jit = [] {
    setenv("RONDO_JIT", "0", 1);
    std::fputs(llvm_target().reason.c_str(), stderr);
    std::_Exit(llvm_target().target == nullptr ? 0 : 1);
  };
  EXPECT_EXIT(open_without_jit(), testing::ExitedWithCode(0),
              "^plug-in: turned off by RONDO_JIT=0$");
}

}  // namespace
}  // namespace rondo::codegen
