// The declarations of driver.h are those of cuda.h.
#include <cuda.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "codegen/cuda/driver.h"

namespace rondo::codegen::cuda {
namespace {

// NOLINTBEGIN(bugprone-sizeof-expression): sizes of pointers are meant.
template <class A, class B>
constexpr bool kAlike = sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>;
// NOLINTEND(bugprone-sizeof-expression)

/// As many parameters, each of the same size, pointers where there are pointers.
template <class A, class B>
constexpr bool kSameCall = false;
template <class RA, class... A, class RB, class... B>
  requires(sizeof...(A) == sizeof...(B))
constexpr bool kSameCall<RA (*)(A...), RB (*)(B...)> = kAlike<RA, RB> && (... && kAlike<A, B>);

// NOLINTBEGIN(bugprone-macro-parentheses): a declarator and its parameters.
#define RONDO_SAME_CALL(member, symbol, parameters) \
  static_assert(kSameCall<decltype(&::symbol), DriverResult(*) parameters>);
// NOLINTEND(bugprone-macro-parentheses)
RONDO_DRIVER_FUNCTIONS(RONDO_SAME_CALL)
#undef RONDO_SAME_CALL

TEST(CudaDriverHeader, HasTheSameNumbers) {
  EXPECT_EQ(int{CUDA_SUCCESS}, kDriverSuccess);
  EXPECT_EQ(int{CUDA_ERROR_OUT_OF_MEMORY}, kDriverOutOfMemory);
  EXPECT_EQ(int{CUDA_ERROR_NOT_READY}, kDriverNotReady);
  EXPECT_EQ(int{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT}, kMultiprocessorCount);
  EXPECT_EQ(int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR}, kCapabilityMajor);
  EXPECT_EQ(int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR}, kCapabilityMinor);
  EXPECT_EQ(int{CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED}, kMemoryPoolsSupported);
  EXPECT_EQ(int{CU_MEMPOOL_ATTR_RELEASE_THRESHOLD}, kPoolReleaseThreshold);
  EXPECT_EQ(int{CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT}, kPoolReserved);
  EXPECT_EQ(int{CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH}, kPoolReservedHigh);
  EXPECT_EQ(int{CU_MEMPOOL_ATTR_USED_MEM_CURRENT}, kPoolUsed);
  EXPECT_EQ(int{CU_MEMPOOL_ATTR_USED_MEM_HIGH}, kPoolUsedHigh);
  EXPECT_EQ(unsigned{CU_STREAM_NON_BLOCKING}, kStreamNonBlocking);
  EXPECT_EQ(unsigned{CU_EVENT_DISABLE_TIMING}, kEventDisableTiming);
}

}  // namespace
}  // namespace rondo::codegen::cuda
