#include "jit/shadow.h"

#include <algorithm>
#include <cstring>

#include "core/tensor/equal.h"
#include "jit/compile_queue.h"
#include "jit/params.h"

namespace rondo::jit {
namespace {

/// The memory that a written operand spans, and a copy of it.
struct Region {
  std::byte* low = nullptr;
  std::int64_t size = 0;
  Dtype dtype = Dtype::float32;
  std::vector<std::byte> copy;
  bool contains(const std::byte* p) const { return p >= low && p < low + size; }
};

Region region_of(const BoundKernel& kernel, std::size_t i, std::byte* data) {
  Region region;
  region.dtype = kernel.entry->kernel().operands[i].dtype;
  std::int64_t low = 0;
  std::int64_t high = 0;
  const auto reach = [&](std::int64_t count, std::int64_t stride) {
    (stride < 0 ? low : high) += (count - 1) * stride;
  };
  reach(kernel.rows, kernel.row_stride[i]);
  reach(kernel.outer, kernel.outer_stride[i]);
  reach(kernel.cols, kernel.col_stride[i]);
  const std::size_t loops = kernel.loop_sizes.size();
  for (std::size_t l = 0; l < loops; ++l) {
    reach(kernel.loop_sizes[l], kernel.loop_strides[i * loops + l]);
  }
  region.low = data + low;
  region.size = high - low + size_bytes(region.dtype, 1);
  return region;
}

/// Adds a region; those that share memory become one, which is compared once.
void add_region(std::vector<Region>& regions, Region region) {
  for (std::size_t i = 0; i < regions.size();) {
    const Region& other = regions[i];
    if (region.low < other.low + other.size && other.low < region.low + region.size) {
      std::byte* const high = std::max(region.low + region.size, other.low + other.size);
      region.low = std::min(region.low, other.low);
      region.size = high - region.low;
      regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  regions.push_back(std::move(region));
}

bool same_results(const Region& region) {
  if (std::memcmp(region.low, region.copy.data(), static_cast<std::size_t>(region.size)) == 0) {
    return true;
  }
  const std::int64_t element = size_bytes(region.dtype, 1);
  for (std::int64_t at = 0; at + element <= region.size; at += element) {
    if (!same_element(region.low + at, region.copy.data() + at, region.dtype)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool shadow_launch(const BoundKernel& kernel, const std::vector<std::byte*>& data,
                   const std::uint64_t* scalars) {
  std::vector<Region> regions;
  std::int64_t total = 0;
  const std::vector<codegen::KernelOperand>& operands = kernel.entry->kernel().operands;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (operands[i].written) {
      add_region(regions, region_of(kernel, i, data[i]));
    }
  }
  for (const Region& region : regions) {
    total += region.size;
  }
  if (total > params().shadow_bytes) {
    return false;
  }
  std::vector<std::byte*> scratch = data;
  for (Region& region : regions) {
    region.copy.assign(region.low, region.low + region.size);
  }
  for (std::byte*& address : scratch) {
    for (Region& region : regions) {
      if (region.contains(address)) {
        address = region.copy.data() + (address - region.low);
        break;
      }
    }
  }
  launch_form(kernel, scratch, scalars, kernel.entry->compiled());
  launch_form(kernel, data, scalars, nullptr);
  if (std::all_of(regions.begin(), regions.end(), same_results)) {
    --kernel.entry->shadow_left;
  } else {
    // Not counted: a thread that has just taken the compiled form must compare it too.
    note_rejected(*kernel.entry, "it differed from the interpreter:\n" + kernel.entry->key());
  }
  return true;
}

}  // namespace rondo::jit
