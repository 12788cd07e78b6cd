// Static objects of the plug-in, those of LLVM among them, are never destroyed: compiler threads
// may still run while the process exits.

/// The linker prefers it to the C library's, inside the plug-in alone.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" [[gnu::visibility("hidden")]] int __cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}
