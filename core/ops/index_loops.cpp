#include "core/ops/index_loops.h"

#include <algorithm>
#include <cstring>

#include "core/base/thread_pool.h"

namespace rondo::detail {
namespace {

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// Runs body(begin, end) on as many parts of 0..count-1 as there are threads, if the whole work is
/// worth it: for loops that pass over all places in each part.
template <class Body>
void in_few_parts(std::int64_t count, std::int64_t work, const Body& body) {
  const std::int64_t threads = work < 2 * worth_a_thread(kGrain) ? 1 : num_threads();
  parallel_for(count, std::max<std::int64_t>((count + threads - 1) / threads, 1), body);
}

/// Calls walk(sums) with the elements of `output` in the type that they are added in; 16-bit floats
/// and narrow integers are rounded once, at the end.
template <class Element, class Walk>
void with_sums(const Tensor& output, const Walk& walk) {
  using Storage = typename Element::Storage;
  using Compute = typename Element::Compute;
  auto* data = raw_elements<Storage>(output);
  if constexpr (std::is_same_v<Storage, Compute>) {
    walk(data);
  } else {
    std::vector<Compute> sums(at(output.numel()));
    std::transform(data, data + output.numel(), sums.begin(), Element::load);
    walk(sums.data());
    std::transform(sums.begin(), sums.end(), data, Element::store);
  }
}

/// int64 sums wrap.
template <class T>
T add_wrapping(T a, T b) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return a + b;
  }
}

}  // namespace

void select_rows(const Tensor& output, const Tensor& input, const AxisSplit& split,
                 const Places& places) {
  const std::int64_t block = size_bytes(input.dtype(), split.inner);
  const auto count = static_cast<std::int64_t>(places.size());
  auto* to = raw_elements<std::byte>(output);
  const auto* from = elements<std::byte>(input);
  parallel_for(split.outer * count, grain_for(split.inner), [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t row = b; row < e; ++row) {
      const std::int64_t source = row / count * split.size + places[row % count];
      std::memcpy(to + row * block, from + source * block, at(block));
    }
  });
}

void put_rows(const Tensor& output, const Tensor& source, const AxisSplit& split,
              const Places& places) {
  const std::int64_t block = size_bytes(output.dtype(), split.inner);
  const auto count = static_cast<std::int64_t>(places.size());
  auto* to = raw_elements<std::byte>(output);
  const auto* from = elements<std::byte>(source);
  for (std::int64_t row = 0; row < split.outer * count; ++row) {
    const std::int64_t target = row / count * split.size + places[row % count];
    std::memcpy(to + target * block, from + row * block, at(block));
  }
}

void add_rows(const Tensor& output, const Tensor& source, const AxisSplit& split,
              const Places& places) {
  const auto count = static_cast<std::int64_t>(places.size());
  visit_element(output.dtype(), [&](auto element) {
    using Element = decltype(element);
    const auto* from = elements<typename Element::Storage>(source);
    const auto add = [&](auto* sums, std::int64_t o, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t place = places[k];
        if (place < begin || place >= end) {
          continue;
        }
        auto* target = sums + (o * split.size + place) * split.inner;
        const auto* row = from + (o * count + k) * split.inner;
        for (std::int64_t i = 0; i < split.inner; ++i) {
          target[i] = add_wrapping(target[i], Element::load(row[i]));
        }
      }
    };
    with_sums<Element>(output, [&](auto* sums) {
      // Each part owns a range of places, so that equal places add in one thread, in order.
      in_few_parts(split.size, count * split.inner, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t o = 0; o < split.outer; ++o) {
          add(sums, o, begin, end);
        }
      });
    });
  });
}

namespace {

/// Calls body(o, k, first place) for each row of places of each outer element, outer elements in
/// parallel: rows (o, k, 0 .. inner - 1).
template <class Body>
void for_rows(const AxisSplit& split, std::int64_t count, const Body& body) {
  const std::int64_t grain = grain_for(count * split.inner);
  parallel_for(split.outer, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t o = begin; o < end; ++o) {
      for (std::int64_t k = 0; k < count; ++k) {
        body(o, (o * count + k) * split.inner);
      }
    }
  });
}

}  // namespace

void gather_elements(const Tensor& output, const Tensor& input, const AxisSplit& split,
                     std::int64_t count, const Places& places) {
  visit_width(input.dtype(), [&](auto width) {
    using T = decltype(width);
    auto* to = raw_elements<T>(output);
    const auto* from = elements<T>(input);
    const std::int64_t inner = split.inner;
    for_rows(split, count, [&](std::int64_t o, std::int64_t first) {
      const auto* base = from + o * split.size * inner;
      for (std::int64_t i = 0; i < inner; ++i) {
        to[first + i] = base[places[first + i] * inner + i];
      }
    });
  });
}

void put_elements(const Tensor& output, const Tensor& source, const AxisSplit& split,
                  std::int64_t count, const Places& places) {
  visit_width(output.dtype(), [&](auto width) {
    using T = decltype(width);
    auto* to = raw_elements<T>(output);
    const auto* from = elements<T>(source);
    const std::int64_t inner = split.inner;
    for_rows(split, count, [&](std::int64_t o, std::int64_t first) {
      auto* base = to + o * split.size * inner;
      for (std::int64_t i = 0; i < inner; ++i) {
        base[places[first + i] * inner + i] = from[first + i];
      }
    });
  });
}

void add_elements(const Tensor& output, const Tensor& source, const AxisSplit& split,
                  std::int64_t count, const Places& places) {
  visit_element(output.dtype(), [&](auto element) {
    using Element = decltype(element);
    const auto* from = elements<typename Element::Storage>(source);
    const std::int64_t inner = split.inner;
    with_sums<Element>(output, [&](auto* sums) {
      for_rows(split, count, [&](std::int64_t o, std::int64_t first) {
        auto* base = sums + o * split.size * inner;
        for (std::int64_t i = 0; i < inner; ++i) {
          auto& target = base[places[first + i] * inner + i];
          target = add_wrapping(target, Element::load(from[first + i]));
        }
      });
    });
  });
}

void fill_zero(const Tensor& output) {
  std::memset(raw_elements<std::byte>(output), 0, at(size_bytes(output.dtype(), output.numel())));
}

}  // namespace rondo::detail
