// A plug-in of another version.
#include <stddef.h>

void* rondo_open_target(const char* library_abi, const char** abi) {
  (void)library_abi;
  *abi = "rondo 0.0";
  return NULL;
}
