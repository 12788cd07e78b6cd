// Uses an installed Rondo from outside the tree, through its C++ wrapper.
#include <iostream>
#include <rondo/rondo.hpp>

int main() {
  if (rondo_version() / 1000 != RONDO_VERSION_MAJOR * 1000 + RONDO_VERSION_MINOR) {
    std::cerr << "the library is " << rondo_version_text() << ", not the header's version\n";
    return 1;
  }
  try {
    rondo::api::Module::load("no_such_file.rondo");
  } catch (const rondo::api::Error& error) {
    std::cout << rondo_version_text() << ": " << error.kind() << ": " << error.what() << '\n';
    return error.code() == RONDO_IO_ERROR ? 0 : 1;
  }
  return 1;
}
