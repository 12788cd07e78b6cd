// Copies between strided memory and dense blocks; the table of one vector level.
#include <cstring>

#include "codegen/interpreter/block_loops_isa.h"

namespace rondo::codegen::interpreter::RONDO_ISA {
namespace {

/// One of the loops of a nest.
struct Loop {
  std::int64_t count;
  std::int64_t stride;
};
constexpr Loop kOnce{1, 0};

/// A nest with its loops of one iteration outermost and loops that continue each other joined.
struct Loops {
  Loop outer, middle, inner;

  explicit Loops(const Nest& nest)
      : outer{nest.count[0], nest.stride[0]},
        middle{nest.count[1], nest.stride[1]},
        inner{nest.count[2], nest.stride[2]} {
    if (inner.count == 1) {
      inner = middle;
      drop_middle();
    }
    if (inner.count == 1) {
      inner = middle;
      drop_middle();
    }
    if (middle.count == 1) {
      drop_middle();
    }
    for (int i = 0; i < 2 && middle.stride == inner.count * inner.stride; ++i) {
      inner.count *= middle.count;
      drop_middle();
    }
    if (outer.stride == middle.count * middle.stride) {
      middle.count *= outer.count;
      outer = kOnce;
    }
  }

 private:
  void drop_middle() {
    middle = outer;
    outer = kOnce;
  }
};

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
bool is_transposed(const Loops& loops) {
  return loops.middle.stride == static_cast<std::int64_t>(sizeof(T)) && loops.middle.count >= 4 &&
         loops.inner.stride != 0;
}

template <class T>
void gather_plane(T* to, const std::byte* memory, const Loops& loops) {
  const std::int64_t n = loops.inner.count;
  const std::int64_t lines = loops.middle.count;
  if (is_transposed<T>(loops)) {
    for (std::int64_t k = 0; k < n; ++k) {
      for (std::int64_t j = 0; j < lines; ++j) {
        to[j * n + k] =
            read<T>(memory + k * loops.inner.stride + j * static_cast<std::int64_t>(sizeof(T)));
      }
    }
    return;
  }
  gather_line(to, memory, n, loops.inner.stride);
  if (loops.middle.stride == 0) {
    repeat_line(reinterpret_cast<std::byte*>(to), n * static_cast<std::int64_t>(sizeof(T)), lines);
    return;
  }
  for (std::int64_t j = 1; j < lines; ++j) {
    gather_line(to + j * n, memory + j * loops.middle.stride, n, loops.inner.stride);
  }
}

template <class T>
void gather(void* out, const std::byte* memory, const Nest& nest) {
  const Loops loops(nest);
  T* to = static_cast<T*>(out);
  for (std::int64_t i = 0; i < loops.outer.count; ++i) {
    gather_plane(to, memory + i * loops.outer.stride, loops);
    to += loops.middle.count * loops.inner.count;
  }
}

template <class T>
void scatter_plane(std::byte* memory, const T* from, const Loops& loops) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t n = loops.inner.count;
  const std::int64_t lines = loops.middle.count;
  if (is_transposed<T>(loops)) {
    for (std::int64_t k = 0; k < n; ++k) {
      for (std::int64_t j = 0; j < lines; ++j) {
        write(memory + k * loops.inner.stride + j * kSize, from[j * n + k]);
      }
    }
    return;
  }
  for (std::int64_t j = 0; j < lines; ++j, from += n) {
    std::byte* line = memory + j * loops.middle.stride;
    if (loops.inner.stride == kSize) {
      copy_line(line, reinterpret_cast<const std::byte*>(from), n * kSize);
      continue;
    }
    for (std::int64_t k = 0; k < n; ++k) {
      write(line + k * loops.inner.stride, from[k]);
    }
  }
}

template <class T>
void scatter(std::byte* memory, const void* in, const Nest& nest) {
  const Loops loops(nest);
  const T* from = static_cast<const T*>(in);
  for (std::int64_t i = 0; i < loops.outer.count; ++i) {
    scatter_plane(memory + i * loops.outer.stride, from, loops);
    from += loops.middle.count * loops.inner.count;
  }
}

void index(std::int64_t* out, std::int64_t first, const Nest& nest) {
  const Loops loops(nest);
  const std::int64_t n = loops.inner.count;
  for (std::int64_t i = 0; i < loops.outer.count; ++i) {
    for (std::int64_t j = 0; j < loops.middle.count; ++j, out += n) {
      const std::int64_t line = first + i * loops.outer.stride + j * loops.middle.stride;
      for (std::int64_t k = 0; k < n; ++k) {
        out[k] = line + k * loops.inner.stride;
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
  return gives_place(kind) ? place_loops(kind, reg) : fold_loops(kind, reg);
}

}  // namespace

const BlockLoops kBlockLoops{&copy, &reduce, &index};

}  // namespace rondo::codegen::interpreter::RONDO_ISA
