// The exceptions of the library: their classes, names and texts.
#include "core/base/error.h"

#include <gtest/gtest.h>

#include <string>

namespace rondo {
namespace {

TEST(Error, CheckThrowsTheClassOfItsKindWithTheFormattedText) {
  try {
    check<ShapeError>(false, "matmul: inner sizes differ: {} and {}", 3, 4);
    FAIL() << "check returned";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "matmul: inner sizes differ: 3 and 4");
    EXPECT_EQ(error.kind(), ErrorKind::shape);
  }
}

TEST(Error, CheckReturnsWhenItsConditionHolds) {
  EXPECT_NO_THROW(check<IndexError>(true, "index: {}", 1));
}

TEST(Error, EveryKindIsThrownAsTheClassOfItsName) {
  EXPECT_THROW(throw_error(ErrorKind::dtype, ""), DtypeError);
  EXPECT_THROW(throw_error(ErrorKind::out_of_memory, ""), OutOfMemoryError);
  EXPECT_THROW(throw_error(ErrorKind::internal, ""), InternalError);
  EXPECT_STREQ(error_name(ErrorKind::shape), "ShapeError");
  EXPECT_STREQ(error_name(ErrorKind::internal), "InternalError");
}

TEST(Error, AnInvariantSaysThatTheFaultIsOurs) {
  try {
    invariant(false, "a plan has no kernels");
    FAIL() << "invariant returned";
  } catch (const InternalError& error) {
    EXPECT_STREQ(error.what(),
                 "internal: a plan has no kernels: this is a defect of Rondo; please report it");
  }
}

}  // namespace
}  // namespace rondo
