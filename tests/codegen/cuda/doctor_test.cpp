#include "codegen/cuda/doctor.h"

#include <gtest/gtest.h>

#include <fstream>

#include "codegen/cuda/nvrtc.h"
#include "codegen/cuda/shared_library.h"
#include "tests/codegen/cuda/stand_in.h"
#include "tests/support/temporary_folder.h"

namespace rondo::codegen::cuda {
namespace {

TEST(CudaDoctor, TellsDriverGpusAndCompiler) {
  std::string reason;
  DevicePlugin* plugin = stand_in_plugin(reason);
  ASSERT_NE(plugin, nullptr) << reason;
  bool good = false;
  const std::string report = plugin->report(good);
  EXPECT_NE(report.find("driver           CUDA 13.0"), std::string::npos) << report;
  EXPECT_NE(report.find("/stand_in/libcuda.so.1"), std::string::npos) << report;
  EXPECT_NE(report.find("GPU 0            sm_990     stand-in, 3 multiprocessors, 4.0 GiB"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("RONDO_CUDA_PATH"), std::string::npos) << report;
  EXPECT_EQ(good, Nvrtc::get(reason) != nullptr) << report;
}

TEST(CudaDoctor, KnowsAMachineWithAGpuFromOneWithout) {
  const TemporaryFolder folder;
  const auto add = [&](const char* name, const char* vendor, const char* kind) {
    std::filesystem::create_directory(folder.path() / name);
    std::ofstream(folder.path() / name / "vendor") << vendor << "\n";
    std::ofstream(folder.path() / name / "class") << kind << "\n";
  };
  EXPECT_FALSE(lists_gpu((folder.path() / "nowhere").string()));
  add("0000:00:01.0", "0x8086", "0x030000");
  add("0000:00:02.0", "0x10de", "0x020000");  // a network card
  EXPECT_FALSE(lists_gpu(folder.path().string()));
  add("0000:00:03.0", "0x10de", "0x030200");
  EXPECT_TRUE(lists_gpu(folder.path().string()));
}

TEST(CudaDoctor, TriesTheFoldersOfRondoCudaPathFirst) {
  EXPECT_EQ(library_files("libx.so.1", "/a::/b"),
            (std::vector<std::string>{"/a/libx.so.1", "/b/libx.so.1", "libx.so.1",
                                      "/usr/local/cuda/lib64/libx.so.1",
                                      "/usr/local/cuda/lib/libx.so.1"}));
  EXPECT_EQ(library_files("libx.so.1", nullptr).front(), "libx.so.1");
}

TEST(CudaDoctor, SaysWhichLibraryOfManyWasTaken) {
  const TemporaryFolder folder;
  const std::string first = folder.path().string() + "/first";
  const std::string second = folder.path().string() + "/second";
  for (const std::string& place : {first, second}) {
    std::filesystem::create_directory(place);
    std::ofstream(place + "/libx.so.1") << "x";
  }
  const std::vector<std::string> copies =
      copies_of("libx.so.1", first + ":" + second + ":" + first);
  EXPECT_EQ(copies.size(), 2U);
  EXPECT_EQ(conflict_of("libx.so.1", first + "/libx.so.1", {copies[0]}), "");
  EXPECT_EQ(conflict_of("libx.so.1", first + "/libx.so.1", copies),
            "libx.so.1 is on this machine more than once: " + copies[0] + " was taken, not " +
                copies[1] +
                "; set RONDO_CUDA_PATH to the folder that is wanted, or clear LD_LIBRARY_PATH");
}

}  // namespace
}  // namespace rondo::codegen::cuda
