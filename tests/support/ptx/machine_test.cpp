// The emulated GPU finds what a GPU would do wrong, or what it would not tell.
#include "tests/support/ptx/machine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rondo::ptx {
namespace {

/// A kernel of one pointer in %rd1 and the thread's number in %r1.
std::string kernel(const std::string& body) {
  return fmt::format(R"(
.version 9.0
.target sm_75
.address_size 64
.visible .entry test(.param .u64 test_param_0)
{{
  .reg .b32 %r<9>;
  .shared .align 4 .b8 words[128];
  ld.param.u64 %rd1, [test_param_0];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
  {}
  ret;
}}
)",
                     body);
}

/// What running it on `count` threads says; empty if it is fine.
std::string fault_of(const std::string& body, unsigned count, std::uint64_t address,
                     DeviceMemory& memory) {
  try {
    const auto module = parse_ptx(kernel(body));
    Launch launch;
    launch.threads[0] = count;
    launch.parameters = reinterpret_cast<const std::byte*>(&address);
    launch.parameter_bytes = sizeof(address);
    run_kernel(*module, "test", launch, memory);
  } catch (const PtxError& error) {
    return error.what();
  }
  return "";
}

std::string fault_of(const std::string& body, unsigned count = 1) {
  DeviceMemory memory;
  return fault_of(body, count, memory.allocate(64), memory);
}

TEST(PtxMachine, RunsWhatIsRight) {
  EXPECT_EQ(fault_of("mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;"
                     "st.global.u32 [%rd3], %r1; ld.global.u32 %r2, [%rd3];",
                     16),
            "");
}

TEST(PtxMachine, FindsAccessesOutsideOfMemory) {
  EXPECT_EQ(fault_of("st.global.u32 [%rd1+64], %r1;"),
            "test: block 0, thread 0: st.global.u32 [%rd1+64], %r1: write of 4 bytes at byte 64 of "
            "an allocation of 64 bytes");
  EXPECT_EQ(
      fault_of("ld.global.u64 %rd2, [%rd1+-8];"),
      "test: block 0, thread 0: ld.global.u64 %rd2, [%rd1+-8]: read of 8 bytes outside of all "
      "allocations");
}

TEST(PtxMachine, FindsReadsOfFreedMemory) {
  DeviceMemory memory;
  const std::uint64_t address = memory.allocate(64);
  std::string guard;
  ASSERT_TRUE(memory.release(address, guard));
  EXPECT_EQ(fault_of("ld.global.u32 %r2, [%rd1+4];", 1, address, memory),
            "test: block 0, thread 0: ld.global.u32 %r2, [%rd1+4]: read of 4 bytes at byte 4 of a "
            "freed allocation of 64 bytes");
}

TEST(PtxMachine, FindsReadsOfWhatNobodyWrote) {
  EXPECT_EQ(fault_of("st.global.u32 [%rd1], %r1; ld.global.u64 %rd2, [%rd1];"),
            "test: block 0, thread 0: ld.global.u64 %rd2, [%rd1]: read of bytes that nothing has "
            "written: 8 at byte 0 of an allocation of 64 bytes");
  EXPECT_EQ(fault_of("mov.u32 %r3, words; ld.shared.u32 %r2, [%r3];"),
            "test: block 0, thread 0: ld.shared.u32 %r2, [%r3]: shared memory that nothing has "
            "written");
}

TEST(PtxMachine, FindsAddressesThatAreNotAligned) {
  EXPECT_EQ(fault_of("st.global.v4.u32 [%rd1+8], {%r1, %r1, %r1, %r1};"),
            "test: block 0, thread 0: st.global.v4.u32 [%rd1+8], {%r1, %r1, %r1, %r1}: an address "
            "is no multiple of 16");
}

TEST(PtxMachine, FindsBarriersThatNotAllThreadsReach) {
  EXPECT_EQ(fault_of("setp.eq.s32 %p1, %r1, 3; @%p1 bra $L__end; bar.sync 0; $L__end:", 4),
            "test: block 0, thread 0: bar.sync 0: thread 3 has ended");
}

TEST(PtxMachine, FindsShufflesWhoseThreadsAreElsewhere) {
  EXPECT_EQ(fault_of("setp.eq.s32 %p1, %r1, 3; @%p1 bra $L__end;"
                     "shfl.sync.down.b32 %r2|%p2, %r1, 1, 31, 15; $L__end:",
                     4),
            "test: block 0, thread 0: shfl.sync.down.b32 %r2|%p2, %r1, 1, 31, 15: not all threads "
            "of the mask come");
}

TEST(PtxMachine, NamesInstructionsThatItDoesNotKnow) {
  EXPECT_EQ(fault_of("add.rn.ftz.f32 %f1, %f2, %f3;"),
            "test: unknown instruction: add.rn.ftz.f32 %f1, %f2, %f3");
  EXPECT_EQ(fault_of("ex2.approx.f32 %f1, %f2;"),
            "test: unknown instruction: ex2.approx.f32 %f1, %f2");
}

}  // namespace
}  // namespace rondo::ptx
