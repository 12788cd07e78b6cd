// Tests of tensor sizes that come from files.
#include "serialize/tensor_size.h"

#include <gtest/gtest.h>

#include <vector>

namespace rondo::serialize {
namespace {

std::optional<std::int64_t> size_of(Dtype dtype, std::vector<std::int64_t> shape) {
  return tensor_size_bytes(dtype, shape);
}

TEST(TensorSize, IsTheProductOfItsDimensions) {
  EXPECT_EQ(size_of(Dtype::float32, {2, 3}), 24);
  EXPECT_EQ(size_of(Dtype::boolean, {5}), 5);
  EXPECT_EQ(size_of(Dtype::bfloat16, {5}), 10);
  EXPECT_EQ(size_of(Dtype::float64, {}), 8);
}

TEST(TensorSize, IsNothingWhereItDoesNotFit) {
  EXPECT_EQ(size_of(Dtype::uint8, {std::int64_t{1} << 62}), std::nullopt);
  EXPECT_EQ(size_of(Dtype::uint8, {std::int64_t{1} << 60}), std::nullopt);
  EXPECT_EQ(size_of(Dtype::uint8, {std::int64_t{1} << 59}), std::int64_t{1} << 59);
  EXPECT_EQ(size_of(Dtype::float32, {1 << 30, 1 << 30, 4}), std::nullopt);
  EXPECT_EQ(size_of(Dtype::float32, {3, -1}), std::nullopt);
}

TEST(TensorSize, IsZeroForAnyEmptyTensor) {
  EXPECT_EQ(size_of(Dtype::float32, {std::int64_t{1} << 62, 0, std::int64_t{1} << 62}), 0);
  EXPECT_EQ(size_of(Dtype::float32, {0, -1}), std::nullopt);
}

}  // namespace
}  // namespace rondo::serialize
