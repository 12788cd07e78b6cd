#include "core/base/isa.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/check_error.h"
#include "tests/support/settings.h"

namespace rondo {
namespace {

TEST(Isa, IsTheBestLevelOfTheMachineUnlessOneIsNamed) {
  EXPECT_EQ(choose_isa(nullptr), is_supported(Isa::v4) ? Isa::v4 : Isa::v3);
  EXPECT_EQ(choose_isa("v3"), Isa::v3);
}

TEST(Isa, RejectsAnUnknownName) {
  check_error<ArgumentError>([] { choose_isa("v5"); },
                             "isa: unknown level in RONDO_ISA: 'v5'; expected v3 or v4");
}

TEST(Isa, CanBeChangedToWhatTheMachineHasOnly) {
  const IsaSetting restored(Isa::v3);
  EXPECT_EQ(current_isa(), Isa::v3);
  if (is_supported(Isa::v4)) {
    set_isa(Isa::v4);
    EXPECT_EQ(current_isa(), Isa::v4);
  } else {
    check_error<UnsupportedError>(
        [] { set_isa(Isa::v4); },
        "isa: this CPU cannot run x86-64-v4 code; x86-64-v3 (AVX2 and FMA) is required, and v4 "
        "needs AVX-512");
    EXPECT_EQ(current_isa(), Isa::v3);
  }
}

}  // namespace
}  // namespace rondo
