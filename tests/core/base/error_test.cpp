// The exceptions of the library: their classes, names and texts.
#include "core/base/error.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/check_error.h"

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

template <class E>
void check_kind(ErrorKind kind, const char* name) {
  check_error<E>([kind] { throw_error(kind, "the text"); }, "the text");
  EXPECT_STREQ(error_name(kind), name);
}

TEST(Error, EveryKindIsThrownAsTheClassOfItsName) {
  check_kind<ShapeError>(ErrorKind::shape, "ShapeError");
  check_kind<DtypeError>(ErrorKind::dtype, "DtypeError");
  check_kind<DeviceError>(ErrorKind::device, "DeviceError");
  check_kind<IndexError>(ErrorKind::index, "IndexError");
  check_kind<ArgumentError>(ErrorKind::argument, "ArgumentError");
  check_kind<OutOfMemoryError>(ErrorKind::out_of_memory, "OutOfMemoryError");
  check_kind<UnsupportedError>(ErrorKind::unsupported, "UnsupportedError");
  check_kind<CancelledError>(ErrorKind::cancelled, "CancelledError");
  check_kind<IoError>(ErrorKind::io, "IoError");
  check_kind<FormatError>(ErrorKind::format, "FormatError");
  check_kind<CompileError>(ErrorKind::compile, "CompileError");
  check_kind<InternalError>(ErrorKind::internal, "InternalError");
  check_kind<DeadlineError>(ErrorKind::deadline, "DeadlineError");
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
