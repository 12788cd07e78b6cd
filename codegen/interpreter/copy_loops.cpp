// Copies between strided memory and dense blocks; the table of one vector level.
#include <cstring>

#include "codegen/interpreter/block_loops_isa.h"

namespace rondo::codegen::interpreter::RONDO_ISA {
namespace {

/// The same nest with its loops of one iteration outermost and loops that continue each other
/// joined.
Nest simplified(const Nest& nest) {
  Nest out{{1, 1, 1}, {0, 0, 0}};
  int last = 3;  // the outermost loop that is in use
  for (int i = 2; i >= 0; --i) {
    if (nest.count[i] == 1) {
      continue;
    }
    if (last < 3 && nest.stride[i] == out.count[last] * out.stride[last]) {
      out.count[last] *= nest.count[i];
      continue;
    }
    --last;
    out.count[last] = nest.count[i];
    out.stride[last] = nest.stride[i];
  }
  return out;
}

template <class T>
T read(const std::byte* memory) {
  T value;
  std::memcpy(&value, memory, sizeof(T));
  return value;
}

template <class T>
void fill(std::int64_t n, void* out, const void* value) {
  const T item = read<T>(static_cast<const std::byte*>(value));
  T* to = static_cast<T*>(out);
  for (std::int64_t i = 0; i < n; ++i) {
    to[i] = item;
  }
}

template <class T>
void gather_line(T* out, const std::byte* memory, std::int64_t n, std::int64_t stride) {
  for (std::int64_t i = 0; i < n; ++i) {
    out[i] = read<T>(memory + i * stride);
  }
}

template <class T>
void gather(void* out, const std::byte* memory, const Nest& nest) {
  const Nest s = simplified(nest);
  const std::int64_t n = s.count[2];
  T* to = static_cast<T*>(out);
  for (std::int64_t i = 0; i < s.count[0]; ++i) {
    for (std::int64_t j = 0; j < s.count[1]; ++j, to += n) {
      const std::byte* line = memory + i * s.stride[0] + j * s.stride[1];
      if (s.stride[2] == static_cast<std::int64_t>(sizeof(T))) {
        std::memcpy(to, line, static_cast<std::size_t>(n) * sizeof(T));
      } else if (s.stride[2] == 0) {
        fill<T>(n, to, line);
      } else {
        gather_line(to, line, n, s.stride[2]);
      }
    }
  }
}

template <class T>
void scatter(std::byte* memory, const void* in, const Nest& nest) {
  const Nest s = simplified(nest);
  const std::int64_t n = s.count[2];
  const T* from = static_cast<const T*>(in);
  for (std::int64_t i = 0; i < s.count[0]; ++i) {
    for (std::int64_t j = 0; j < s.count[1]; ++j, from += n) {
      std::byte* line = memory + i * s.stride[0] + j * s.stride[1];
      if (s.stride[2] == static_cast<std::int64_t>(sizeof(T))) {
        std::memcpy(line, from, static_cast<std::size_t>(n) * sizeof(T));
        continue;
      }
      for (std::int64_t k = 0; k < n; ++k) {
        std::memcpy(line + k * s.stride[2], from + k, sizeof(T));
      }
    }
  }
}

void index(std::int64_t* out, std::int64_t first, const Nest& nest) {
  const Nest s = simplified(nest);
  const std::int64_t n = s.count[2];
  for (std::int64_t i = 0; i < s.count[0]; ++i) {
    for (std::int64_t j = 0; j < s.count[1]; ++j, out += n) {
      const std::int64_t line = first + i * s.stride[0] + j * s.stride[1];
      for (std::int64_t k = 0; k < n; ++k) {
        out[k] = line + k * s.stride[2];
      }
    }
  }
}

template <class T>
constexpr CopyLoops kCopy{&gather<T>, &scatter<T>, &fill<T>};

const CopyLoops& copy(std::int64_t bytes) {
  switch (bytes) {
    case 1:
      return kCopy<std::uint8_t>;
    case 2:
      return kCopy<std::uint16_t>;
    case 4:
      return kCopy<std::uint32_t>;
    default:
      return kCopy<std::uint64_t>;
  }
}

const ReduceLoops* reduce(ReduceKind kind, Reg reg) {
  const bool place = kind == ReduceKind::argmax || kind == ReduceKind::argmin;
  return place ? place_loops(kind, reg) : fold_loops(kind, reg);
}

}  // namespace

const BlockLoops kBlockLoops{&copy, &reduce, &index};

}  // namespace rondo::codegen::interpreter::RONDO_ISA
