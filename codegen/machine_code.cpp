#include "codegen/machine_code.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "codegen/round_up.h"
#include "core/base/error.h"

namespace rondo::codegen {
namespace {

std::string refusal(const char* what) {
  return fmt::format("machine code: the system refuses {}: {}", what, std::strerror(errno));
}

}  // namespace

LoadedCode::LoadedCode(void* memory, std::size_t size_bytes, std::size_t entry)
    : memory_(memory),
      size_bytes_(size_bytes),
      function_(reinterpret_cast<KernelFunction>(static_cast<std::byte*>(memory) + entry)) {}

LoadedCode::~LoadedCode() {
  munmap(memory_, size_bytes_);
}

std::unique_ptr<LoadedCode> LoadedCode::load(const MachineCode& code, std::string& reason) {
  invariant(code.entry < code.bytes.size(), "machine code: the entry lies outside of the code");
  const auto size = static_cast<std::size_t>(
      round_up(static_cast<std::int64_t>(code.bytes.size()), sysconf(_SC_PAGESIZE)));
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    reason = refusal("memory");
    return nullptr;
  }
  std::memcpy(memory, code.bytes.data(), code.bytes.size());
  if (mprotect(memory, size, PROT_READ | PROT_EXEC) != 0) {
    reason = refusal("executable memory");
    munmap(memory, size);
    return nullptr;
  }
  return std::unique_ptr<LoadedCode>(new LoadedCode(memory, size, code.entry));
}

}  // namespace rondo::codegen
