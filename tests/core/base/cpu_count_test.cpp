#include "core/base/cpu_count.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"

namespace rondo {
namespace {

// A directory that stands for /sys/fs/cgroup.
class Groups : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const auto file = root_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  int cpus(const std::string& proc_cgroup) {
    return cgroup_cpus(proc_cgroup, root_.path().string());
  }

 private:
  TemporaryFolder root_;
};

TEST_F(Groups, HaveNoLimitWhereNothingIsWritten) {
  EXPECT_EQ(cpus("0::/\n"), 0);
  EXPECT_EQ(cpus("0::/app\n"), 0);
  EXPECT_EQ(cpus("nonsense"), 0);
  write("app/cpu.max", "max 100000\n");
  EXPECT_EQ(cpus("0::/app\n"), 0);
}

TEST_F(Groups, OfVersionTwoAreLimitedByTheLeastQuotaOnThePath) {
  write("cpu.max", "800000 100000\n");
  write("app/cpu.max", "350000 100000\n");
  write("app/inner/cpu.max", "max 100000\n");
  EXPECT_EQ(cpus("0::/\n"), 8);
  EXPECT_EQ(cpus("0::/app\n"), 4);
  EXPECT_EQ(cpus("0::/app/inner\n"), 4);
}

TEST_F(Groups, OfVersionOneAreReadFromTheCpuController) {
  write("cpu/app/cpu.cfs_quota_us", "50000\n");
  write("cpu/app/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpus("5:memory:/app\n3:cpu,cpuacct:/app\n"), 1);
  EXPECT_EQ(cpus("5:cpuset:/app\n"), 0);
  write("cpu/app/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cpus("3:cpu,cpuacct:/app\n"), 0);
}

TEST(CpuCount, IsAtLeastOne) {
  EXPECT_GE(available_cpus(), 1);
}

}  // namespace
}  // namespace rondo
