// The functions of libcuda.so.1 that the product calls.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "tests/support/ptx/machine.h"
#include "tests/support/stand_in/stream.h"

#define RONDO_EXPORT extern "C" [[gnu::visibility("default")]]

namespace rondo::stand_in {
namespace {

using Result = int;
using Handle = void*;
using Pointer = unsigned long long;

constexpr Result kSuccess = 0;
constexpr Result kInvalidValue = 1;
constexpr Result kOutOfMemory = 2;
constexpr Result kNotInitialised = 3;
constexpr Result kNoBinary = 209;
constexpr Result kInvalidPtx = 218;
constexpr Result kNotFound = 500;
constexpr Result kNotReady = 600;
constexpr Result kIllegalAddress = 700;
constexpr int kMultiprocessors = 3;

std::size_t setting(const char* name, std::size_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct LoadedFunction {
  ptx::Module* module;
  std::string name;
  std::size_t parameter_bytes;
};

/// The whole GPU. Never destroyed: streams may run while the process ends.
struct Gpu {
  std::mutex mutex;  // of memory, fault and tables
  ptx::DeviceMemory memory;
  std::string fault;
  std::string parse_error;
  std::map<Pointer, std::size_t> blocks;
  std::map<const std::byte*, std::size_t> pinned;
  std::size_t used_high = 0;
  std::vector<std::unique_ptr<ptx::Module>> modules;
  std::vector<std::unique_ptr<LoadedFunction>> functions;
  bool started = false;
  Stream default_stream;

  Gpu() { memory.set_limit(setting("RONDO_STAND_IN_MEMORY", std::size_t{4} << 30)); }
};

Gpu& gpu() {
  static Gpu* const instance = new Gpu;
  return *instance;
}

Stream& stream_of(Handle handle) {
  return handle == nullptr ? gpu().default_stream : *static_cast<Stream*>(handle);
}

Result state() {
  const std::lock_guard lock(gpu().mutex);
  return !gpu().started ? kNotInitialised : gpu().fault.empty() ? kSuccess : kIllegalAddress;
}

void fail(const std::string& text) {
  if (gpu().fault.empty()) {
    gpu().fault = text;
  }
}

/// Queues `work`, which runs with the GPU locked, unless something has failed.
Result enqueue(Handle stream, std::function<void(Gpu&)> work) {
  if (const Result now = state(); now != kSuccess) {
    return now;
  }
  stream_of(stream).add([work = std::move(work)] {
    const std::lock_guard lock(gpu().mutex);
    if (gpu().fault.empty()) {
      work(gpu());
    }
  });
  return kSuccess;
}

bool is_pinned(const void* memory, std::size_t bytes) {
  const std::lock_guard lock(gpu().mutex);
  const auto* begin = static_cast<const std::byte*>(memory);
  auto at = gpu().pinned.upper_bound(begin);
  return at != gpu().pinned.begin() && begin + bytes <= (--at)->first + at->second;
}

std::byte* access(Gpu& g, Pointer address, std::size_t bytes, bool write, const char* what) {
  std::string fault;
  std::byte* memory = g.memory.access(address, bytes, write, fault);
  if (memory == nullptr) {
    fail(fmt::format("{}: {}", what, fault));
  }
  return memory;
}

void run(Gpu& g, const LoadedFunction& function, const ptx::Launch& launch) {
  try {
    ptx::run_kernel(*function.module, function.name, launch, g.memory);
  } catch (const ptx::PtxError& error) {
    fail(error.what());
  }
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names of the driver.
RONDO_EXPORT Result cuInit(unsigned) {
  const std::lock_guard lock(gpu().mutex);
  gpu().started = true;
  return kSuccess;
}
RONDO_EXPORT Result cuDriverGetVersion(int* version) {
  *version = static_cast<int>(setting("RONDO_STAND_IN_VERSION", 13000));
  return kSuccess;
}
RONDO_EXPORT Result cuGetErrorName(Result error, const char** name) {
  const std::map<Result, const char*> names{
      {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},     {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {kNotInitialised, "CUDA_ERROR_NOT_INITIALIZED"}, {kNoBinary, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {kInvalidPtx, "CUDA_ERROR_INVALID_PTX"},         {kNotFound, "CUDA_ERROR_NOT_FOUND"},
      {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
  const auto found = names.find(error);
  *name = found == names.end() ? nullptr : found->second;
  return kSuccess;
}
RONDO_EXPORT Result cuGetErrorString(Result error, const char** text) {
  const std::lock_guard lock(gpu().mutex);
  *text = error == kIllegalAddress ? gpu().fault.c_str()
          : error == kInvalidPtx   ? gpu().parse_error.c_str()
                                   : "an error of the stand-in";
  return kSuccess;
}
/// NVRTC asks a driver that is loaded for tables that nobody has described. The first word of one
/// is its size: this one has nothing else.
RONDO_EXPORT Result cuGetExportTable(const void** table, const void*) {
  static constexpr std::size_t kEmpty[] = {2 * sizeof(std::size_t), 0};
  *table = kEmpty;
  return kSuccess;
}
RONDO_EXPORT Result cuDeviceGetCount(int* count) {
  *count = 1;
  return kSuccess;
}
RONDO_EXPORT Result cuDeviceGetName(char* name, int size, int) {
  std::snprintf(name, static_cast<std::size_t>(size), "stand-in");
  return kSuccess;
}
RONDO_EXPORT Result cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = gpu().memory.limit();
  return kSuccess;
}
RONDO_EXPORT Result cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 16 ? kMultiprocessors : attribute == 75 ? 99 : attribute == 115 ? 1 : 0;
  return kSuccess;
}
RONDO_EXPORT Result cuDevicePrimaryCtxRetain(Handle* context, int) {
  *context = &gpu();
  return state();
}
RONDO_EXPORT Result cuCtxSetCurrent(Handle) {
  return kSuccess;
}
RONDO_EXPORT Result cuCtxSynchronize() {
  gpu().default_stream.synchronize();
  return state();
}

RONDO_EXPORT Result cuStreamCreate(Handle* stream, unsigned) {
  *stream = new Stream;
  return state();
}
RONDO_EXPORT Result cuStreamDestroy_v2(Handle stream) {
  delete static_cast<Stream*>(stream);
  return kSuccess;
}
RONDO_EXPORT Result cuStreamSynchronize(Handle stream) {
  stream_of(stream).synchronize();
  return state();
}
RONDO_EXPORT Result cuStreamWaitEvent(Handle stream, Handle handle, unsigned) {
  auto* event = static_cast<Event*>(handle);
  const std::lock_guard lock(event->mutex);
  if (event->stream != nullptr) {
    stream_of(stream).add(
        [from = event->stream, number = event->number] { from->wait_for(number); });
  }
  return state();
}
RONDO_EXPORT Result cuEventCreate(Handle* event, unsigned) {
  *event = new Event;
  return state();
}
RONDO_EXPORT Result cuEventDestroy_v2(Handle event) {
  delete static_cast<Event*>(event);
  return kSuccess;
}
RONDO_EXPORT Result cuEventRecord(Handle handle, Handle stream) {
  auto* event = static_cast<Event*>(handle);
  const std::lock_guard lock(event->mutex);
  event->stream = &stream_of(stream);
  event->number = event->stream->last();
  return state();
}
RONDO_EXPORT Result cuEventQuery(Handle handle) {
  auto* event = static_cast<Event*>(handle);
  const std::lock_guard lock(event->mutex);
  const bool done = event->stream == nullptr || event->stream->is_done(event->number);
  return done ? state() : kNotReady;
}
RONDO_EXPORT Result cuEventSynchronize(Handle handle) {
  auto* event = static_cast<Event*>(handle);
  Stream* stream = nullptr;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(event->mutex);
    stream = event->stream;
    number = event->number;
  }
  if (stream != nullptr) {
    stream->wait_for(number);
  }
  return state();
}

RONDO_EXPORT Result cuDeviceGetDefaultMemPool(Handle* pool, int) {
  *pool = &gpu();
  return state();
}
RONDO_EXPORT Result cuMemPoolSetAttribute(Handle, int, void*) {
  return state();
}
RONDO_EXPORT Result cuMemPoolGetAttribute(Handle, int attribute, void* value) {
  const std::lock_guard lock(gpu().mutex);
  const std::size_t high = attribute == 6 || attribute == 8 ? gpu().used_high : 0;
  *static_cast<std::uint64_t*>(value) = std::max(high, gpu().memory.live_bytes());
  return kSuccess;
}
RONDO_EXPORT Result cuMemPoolTrimTo(Handle, std::size_t) {
  return state();
}
RONDO_EXPORT Result cuMemAllocAsync(Pointer* pointer, std::size_t bytes, Handle) {
  if (const Result now = state(); now != kSuccess) {
    return now;
  }
  const std::lock_guard lock(gpu().mutex);
  *pointer = gpu().memory.allocate(bytes);
  gpu().used_high = std::max(gpu().used_high, gpu().memory.live_bytes());
  return *pointer == 0 ? kOutOfMemory : kSuccess;
}
RONDO_EXPORT Result cuMemFreeAsync(Pointer pointer, Handle stream) {
  return enqueue(stream, [pointer](Gpu& g) {
    std::string fault;
    if (!g.memory.release(pointer, fault)) {
      fail("cuMemFreeAsync: no allocation begins there");
    } else if (!fault.empty()) {
      fail("cuMemFreeAsync: " + fault);
    }
  });
}

RONDO_EXPORT Result cuMemcpyHtoDAsync_v2(Pointer to, const void* from, std::size_t bytes,
                                         Handle stream) {
  const auto* begin = static_cast<const std::byte*>(from);
  std::vector<std::byte> taken;
  if (!is_pinned(from, bytes)) {
    taken.assign(begin, begin + bytes);
  }
  return enqueue(stream, [to, begin, bytes, taken = std::move(taken)](Gpu& g) {
    if (bytes == 0) {
      return;
    }
    std::byte* memory = access(g, to, bytes, true, "cuMemcpyHtoDAsync");
    if (memory != nullptr) {
      std::memcpy(memory, taken.empty() ? begin : taken.data(), bytes);
    }
  });
}
RONDO_EXPORT Result cuMemcpyDtoHAsync_v2(void* to, Pointer from, std::size_t bytes, Handle stream) {
  const Result queued = enqueue(stream, [to, from, bytes](Gpu& g) {
    const std::byte* memory =
        bytes == 0 ? nullptr : access(g, from, bytes, false, "cuMemcpyDtoHAsync");
    if (memory != nullptr) {
      std::memcpy(to, memory, bytes);
    }
  });
  if (queued == kSuccess && !is_pinned(to, bytes)) {
    stream_of(stream).synchronize();
    return state();
  }
  return queued;
}
RONDO_EXPORT Result cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, std::size_t bytes,
                                         Handle stream) {
  return enqueue(stream, [to, from, bytes](Gpu& g) {
    const std::byte* source =
        bytes == 0 ? nullptr : access(g, from, bytes, false, "cuMemcpyDtoDAsync");
    std::byte* target =
        source == nullptr ? nullptr : access(g, to, bytes, true, "cuMemcpyDtoDAsync");
    if (target != nullptr) {
      std::memmove(target, source, bytes);
    }
  });
}
RONDO_EXPORT Result cuMemsetD8Async(Pointer to, unsigned char value, std::size_t bytes,
                                    Handle stream) {
  return enqueue(stream, [to, value, bytes](Gpu& g) {
    std::byte* memory = bytes == 0 ? nullptr : access(g, to, bytes, true, "cuMemsetD8Async");
    if (memory != nullptr) {
      std::memset(memory, value, bytes);
    }
  });
}
RONDO_EXPORT Result cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  *memory = std::malloc(std::max<std::size_t>(bytes, 1));
  const std::lock_guard lock(gpu().mutex);
  gpu().pinned[static_cast<const std::byte*>(*memory)] = bytes;
  return kSuccess;
}
RONDO_EXPORT Result cuMemFreeHost(void* memory) {
  const std::lock_guard lock(gpu().mutex);
  gpu().pinned.erase(static_cast<const std::byte*>(memory));
  std::free(memory);
  return kSuccess;
}

RONDO_EXPORT Result cuModuleLoadDataEx(Handle* module, const void* image, unsigned, int*, void**) {
  const auto* text = static_cast<const char*>(image);
  if (std::strncmp(text, "\177ELF", 4) == 0) {
    return kNoBinary;
  }
  const std::lock_guard lock(gpu().mutex);
  try {
    gpu().modules.push_back(ptx::parse_ptx(text));
  } catch (const ptx::PtxError& error) {
    gpu().parse_error = error.what();
    return kInvalidPtx;
  }
  *module = gpu().modules.back().get();
  return kSuccess;
}
RONDO_EXPORT Result cuModuleUnload(Handle) {
  return state();
}
RONDO_EXPORT Result cuModuleGetFunction(Handle* function, Handle module, const char* name) {
  const std::lock_guard lock(gpu().mutex);
  auto* own = static_cast<ptx::Module*>(module);
  const auto found = own->functions.find(name);
  if (found == own->functions.end() || !found->second->entry) {
    return kNotFound;
  }
  const std::vector<ptx::Parameter>& parameters = found->second->parameters;
  const std::size_t bytes =
      parameters.empty()
          ? 0
          : static_cast<std::size_t>(parameters.back().offset + parameters.back().bytes);
  gpu().functions.push_back(std::make_unique<LoadedFunction>(LoadedFunction{own, name, bytes}));
  *function = gpu().functions.back().get();
  return kSuccess;
}
RONDO_EXPORT Result cuLaunchKernel(Handle handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned,
                                   Handle stream, void** parameters, void**) {
  const auto* function = static_cast<const LoadedFunction*>(handle);
  if (block_x * block_y * block_z == 0 || block_x * block_y * block_z > 1024 ||
      grid_x * grid_y * grid_z == 0) {
    return kInvalidValue;
  }
  // One parameter, taken at the call.
  const auto* begin = static_cast<const std::byte*>(parameters[0]);
  const std::vector<std::byte> taken(begin, begin + function->parameter_bytes);
  return enqueue(stream, [=](Gpu& g) {
    ptx::Launch launch;
    launch.grid = {grid_x, grid_y, grid_z};
    launch.threads = {block_x, block_y, block_z};
    launch.parameters = taken.data();
    launch.parameter_bytes = taken.size();
    run(g, *function, launch);
  });
}

// NOLINTEND(readability-identifier-naming)

}  // namespace rondo::stand_in
