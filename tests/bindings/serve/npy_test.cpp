#include "bindings/serve/npy.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/check_error.h"
#include "tests/support/tensors.h"

namespace rondo::serve {
namespace {

/// What NumPy writes, with this header and data.
std::string file(std::string header, const std::string& data) {
  header.append(117 - header.size(), ' ');
  header += '\n';
  return std::string("\x93NUMPY\1\0\x76\0", 10) + header + data;
}

TEST(Npy, ReadsWhatItWrites) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{2, 0}, Shape{2, 2}}) {
    const Tensor tensor =
        test::floats(shape, std::vector<float>(static_cast<std::size_t>(shape.numel()), 1.5F));
    const std::string content = print_npy(tensor);
    EXPECT_EQ(content.find('\n') % 64, 63U);
    const Tensor read = parse_npy(content, "a.npy");
    EXPECT_EQ(read.shape(), shape);
    EXPECT_EQ(test::values(read), test::values(tensor));
  }
}

TEST(Npy, ReadsColumnsFirst) {
  test::floats({}, {0});
  const Tensor read = parse_npy(
      file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", "\1\4\2\5\3\6"), "a.npy");
  EXPECT_EQ(test::values(read), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Npy, SaysWhatIsWrong) {
  check_error<FormatError>([] { parse_npy("no numbers here", "a.npy"); },
                           "a.npy: this is no .npy file");
  check_error<FormatError>(
      [] {
        parse_npy(file("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "1234"),
                  "a.npy");
      },
      "a.npy: descr is '>f4'; expected one of |b1 |u1 |i1 <i2 <i4 <i8 <f2 |V2 <f4 <f8");
  check_error<FormatError>(
      [] {
        parse_npy(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234"),
                  "a.npy");
      },
      "a.npy: the data have 4 bytes; shape [2] of float32 needs 8");
}

}  // namespace
}  // namespace rondo::serve
