// Compares the whole of an expected error of the C interface.
#pragma once

#include <gtest/gtest.h>

#include <rondo/rondo.hpp>
#include <string>

namespace rondo {

/// Passes if `body` throws an api::Error with this code, kind and text.
template <class Body>
void check_api_error(rondo_code code, const std::string& kind, const std::string& text,
                     const Body& body) {
  try {
    body();
    ADD_FAILURE() << "no error was thrown; expected: " << text;
  } catch (const api::Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_EQ(error.kind(), kind);
    EXPECT_EQ(error.what(), text);
  }
}

}  // namespace rondo
