// Compares the whole text of an expected error.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

namespace rondo {

/// Passes if `body` throws an E whose text is exactly `text`.
template <class E, class Body>
void check_error(Body&& body, std::string_view text) {
  try {
    body();
  } catch (const E& error) {
    EXPECT_EQ(std::string_view(error.what()), text);
    return;
  }
  ADD_FAILURE() << "no error was thrown; expected: " << text;
}

}  // namespace rondo
