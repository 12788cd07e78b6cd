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
void write(std::byte* memory, T value) {
  std::memcpy(memory, &value, sizeof(T));
}

using Vector = std::uint64_t __attribute__((vector_size(16)));

/// A copy of a few bytes that need no call: in pieces, the last of which overlaps.
void copy_line(std::byte* to, const std::byte* from, std::int64_t bytes) {
  if (bytes > 256) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  } else if (bytes >= 16) {
    const Vector last = read<Vector>(from + bytes - 16);
    for (std::int64_t i = 0; i + 16 <= bytes; i += 16) {
      write(to + i, read<Vector>(from + i));
    }
    write(to + bytes - 16, last);
  } else if (bytes >= 8) {
    const auto last = read<std::uint64_t>(from + bytes - 8);
    write(to, read<std::uint64_t>(from));
    write(to + bytes - 8, last);
  } else {
    for (std::int64_t i = 0; i < bytes; ++i) {
      to[i] = from[i];
    }
  }
}

template <class T>
void fill(std::int64_t n, void* out, const void* value) {
  const T item = read<T>(static_cast<const std::byte*>(value));
  T* to = static_cast<T*>(out);
  constexpr std::int64_t kPerVector = 16 / sizeof(T);
  if (n < kPerVector || n > 16 * kPerVector) {
    for (std::int64_t i = 0; i < n; ++i) {
      to[i] = item;
    }
    return;
  }
  T items[kPerVector];
  for (T& each : items) {
    each = item;
  }
  const auto vector = read<Vector>(reinterpret_cast<const std::byte*>(items));
  for (std::int64_t i = 0; i + kPerVector <= n; i += kPerVector) {
    write(reinterpret_cast<std::byte*>(to + i), vector);
  }
  write(reinterpret_cast<std::byte*>(to + n - kPerVector), vector);
}

/// Lines that are all the same: what is there already is doubled.
void repeat_line(std::byte* to, std::int64_t bytes, std::int64_t lines) {
  const std::int64_t total = bytes * lines;
  for (std::int64_t done = bytes; done < total; done *= 2) {
    copy_line(to + done, to, done < total - done ? done : total - done);
  }
}

template <class T>
void gather_line(T* out, const std::byte* memory, std::int64_t n, std::int64_t stride) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  if (stride == kSize) {
    copy_line(reinterpret_cast<std::byte*>(out), memory, n * kSize);
  } else if (stride == 0) {
    fill<T>(n, out, memory);
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = read<T>(memory + i * stride);
    }
  }
}

/// Whether the middle loop is the one along memory.
template <class T>
bool is_transposed(const Nest& nest) {
  return nest.stride[1] == static_cast<std::int64_t>(sizeof(T)) && nest.count[1] >= 4 &&
         nest.stride[2] != 0;
}

template <class T>
void gather_plane(T* to, const std::byte* memory, const Nest& nest) {
  const std::int64_t n = nest.count[2];
  const std::int64_t lines = nest.count[1];
  if (is_transposed<T>(nest)) {
    for (std::int64_t k = 0; k < n; ++k) {
      for (std::int64_t j = 0; j < lines; ++j) {
        to[j * n + k] =
            read<T>(memory + k * nest.stride[2] + j * static_cast<std::int64_t>(sizeof(T)));
      }
    }
    return;
  }
  gather_line(to, memory, n, nest.stride[2]);
  if (nest.stride[1] == 0) {
    repeat_line(reinterpret_cast<std::byte*>(to), n * static_cast<std::int64_t>(sizeof(T)), lines);
    return;
  }
  for (std::int64_t j = 1; j < lines; ++j) {
    gather_line(to + j * n, memory + j * nest.stride[1], n, nest.stride[2]);
  }
}

template <class T>
void gather(void* out, const std::byte* memory, const Nest& nest) {
  const Nest plain = simplified(nest);
  T* to = static_cast<T*>(out);
  for (std::int64_t i = 0; i < plain.count[0]; ++i) {
    gather_plane(to, memory + i * plain.stride[0], plain);
    to += plain.count[1] * plain.count[2];
  }
}

template <class T>
void scatter_plane(std::byte* memory, const T* from, const Nest& nest) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t n = nest.count[2];
  const std::int64_t lines = nest.count[1];
  if (is_transposed<T>(nest)) {
    for (std::int64_t k = 0; k < n; ++k) {
      for (std::int64_t j = 0; j < lines; ++j) {
        write(memory + k * nest.stride[2] + j * kSize, from[j * n + k]);
      }
    }
    return;
  }
  for (std::int64_t j = 0; j < lines; ++j, from += n) {
    std::byte* line = memory + j * nest.stride[1];
    if (nest.stride[2] == kSize) {
      copy_line(line, reinterpret_cast<const std::byte*>(from), n * kSize);
      continue;
    }
    for (std::int64_t k = 0; k < n; ++k) {
      write(line + k * nest.stride[2], from[k]);
    }
  }
}

template <class T>
void scatter(std::byte* memory, const void* in, const Nest& nest) {
  const Nest plain = simplified(nest);
  const T* from = static_cast<const T*>(in);
  for (std::int64_t i = 0; i < plain.count[0]; ++i) {
    scatter_plane(memory + i * plain.stride[0], from, plain);
    from += plain.count[1] * plain.count[2];
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
