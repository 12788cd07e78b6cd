// Scratch memory of each thread, kept between products.
#include <array>
#include <cstdlib>
#include <memory>

#include "codegen/product/kernels.h"
#include "codegen/round_up.h"
#include "core/base/error.h"

namespace rondo::codegen {
namespace {

constexpr std::int64_t kAlignment = 64;

struct Block {
  std::unique_ptr<void, decltype(&std::free)> memory{nullptr, std::free};
  std::int64_t size_bytes = 0;
};

}  // namespace

void* product_workspace(std::int64_t size_bytes, Workspace use) {
  thread_local std::array<Block, kWorkspaces> blocks;
  Block& workspace = blocks[static_cast<std::size_t>(use)];
  if (workspace.size_bytes < size_bytes) [[unlikely]] {
    const std::int64_t rounded = round_up(size_bytes, kAlignment);
    workspace.memory.reset();
    workspace.size_bytes = 0;
    workspace.memory.reset(std::aligned_alloc(kAlignment, static_cast<std::size_t>(rounded)));
    check<OutOfMemoryError>(workspace.memory != nullptr,
                            "product: no memory for packing: {} bytes were asked for", rounded);
    workspace.size_bytes = rounded;
  }
  return workspace.memory.get();
}

}  // namespace rondo::codegen
