// Reductions in the canonical order (docs/numerics.md): 16 lanes, which are 16 threads, blocks of
// 64 steps, a tree over the lanes, and the blocks in order.
#pragma once

#include "codegen/cuda/device/memory.h"

namespace rondo::codegen::device {

inline constexpr int kFoldLanes = 16;
inline constexpr int kBlockSteps = 64;

enum class FoldKind { sum, product, maximum, minimum, argmax, argmin, dot };

/// The value that every other one is above (Upper) or below.
template <class T, bool Upper>
RONDO_DEVICE T extreme() {
  if constexpr (kFloating<T>) {
    return static_cast<T>(Upper ? -__builtin_inf() : __builtin_inf());
  } else {
    constexpr T kLeast = static_cast<T>(T{1} << (8 * sizeof(T) - 1));
    return Upper ? kLeast : static_cast<T>(~kLeast);
  }
}

/// What a lane, a block or a row has come to.
template <FoldKind Kind, class T>
struct Fold {
  static constexpr bool kPlaces = Kind == FoldKind::argmax || Kind == FoldKind::argmin;
  static constexpr bool kUpper = Kind == FoldKind::maximum || Kind == FoldKind::argmax;

  T value;
  I64 place;

  RONDO_DEVICE static Fold identity() {
    if constexpr (Kind == FoldKind::sum || Kind == FoldKind::dot) {
      return {T(0), 0};
    } else if constexpr (Kind == FoldKind::product) {
      return {T(1), 0};
    } else {
      return {extreme<T, kUpper>(), 0};
    }
  }

  /// Strictly better; NaN is better than all but NaN.
  RONDO_DEVICE bool better(const Fold& other) const {
    const bool beyond = kUpper ? value > other.value : value < other.value;
    return beyond | ((value != value) & (other.value == other.value));
  }

  /// One more element.
  RONDO_DEVICE void take(T a, T b, I64 at) {
    const Fold element{a, at};
    if constexpr (Kind == FoldKind::dot) {
      value = scalar::fma(a, b, value);
    } else if constexpr (kPlaces) {  // Places rise along a lane, so that of equals the first stays.
      *this = element.better(*this) ? element : *this;
    } else {
      *this = combine(*this, element);
    }
  }

  RONDO_DEVICE static Fold combine(const Fold& low, const Fold& high) {
    if constexpr (kPlaces) {
      const bool earlier = !low.better(high) & (high.place < low.place);
      return high.better(low) | earlier ? high : low;
    } else if constexpr (Kind == FoldKind::maximum) {
      return {scalar::maximum(low.value, high.value), 0};
    } else if constexpr (Kind == FoldKind::minimum) {
      return {scalar::minimum(low.value, high.value), 0};
    } else if constexpr (Kind == FoldKind::product) {
      return {scalar::mul(low.value, high.value), 0};
    } else {
      return {scalar::add(low.value, high.value), 0};
    }
  }

  RONDO_DEVICE auto result() const {
    if constexpr (kPlaces) {
      return place;
    } else {
      return value;
    }
  }

  /// The tree over the lanes of half a warp, `mask`; all of them get the result.
  RONDO_DEVICE Fold over_lanes(unsigned mask) const {
    Fold lanes = *this;
    for (int width = kFoldLanes / 2; width > 0; width /= 2) {
      Fold high = lanes;
      high.value = __shfl_down_sync(mask, lanes.value, width, kFoldLanes);
      if constexpr (kPlaces) {
        high.place = __shfl_down_sync(mask, lanes.place, width, kFoldLanes);
      }
      lanes = combine(lanes, high);
    }
    lanes.value = __shfl_sync(mask, lanes.value, 0, kFoldLanes);
    if constexpr (kPlaces) {
      lanes.place = __shfl_sync(mask, lanes.place, 0, kFoldLanes);
    }
    return lanes;
  }

  /// The next block of a row.
  RONDO_DEVICE void append(const Fold& block, bool first) {
    *this = first ? block : combine(*this, block);
  }
};

/// Folds that threads of a block exchange. Each function is called by all of them; it uses shared
/// memory, and leaves it free for the next call.
template <class F, int Count>
struct Exchange {
  decltype(F::value) values[Count];
  I64 places[F::kPlaces ? Count : 1];

  RONDO_DEVICE void put(int at, const F& fold) {
    values[at] = fold.value;
    if constexpr (F::kPlaces) {
      places[at] = fold.place;
    }
  }
  RONDO_DEVICE F get(int at) const {
    if constexpr (F::kPlaces) {
      return {values[at], places[at]};
    } else {
      return {values[at], 0};
    }
  }
};

/// Block form: appends the blocks that `count` half warps have folded, in order.
template <int HalfWarps, class F>
RONDO_DEVICE void append_round(F& total, const F& own, int half_warp, int count, bool first) {
  __shared__ Exchange<F, HalfWarps> shared;
  if ((threadIdx.x & 15) == 0 && half_warp < count) {
    shared.put(half_warp, own);
  }
  __syncthreads();
  for (int i = 0; i < count; ++i) {
    total.append(shared.get(i), first && i == 0);
  }
  __syncthreads();
}

/// Columns form: the tree over the lanes of row x. Threads of lane 0 get the result.
template <int Rows, class F>
RONDO_DEVICE F over_lanes_of_columns(const F& own, int lane, int x) {
  __shared__ Exchange<F, Rows * kFoldLanes> shared;
  shared.put(lane * Rows + x, own);
  __syncthreads();
  constexpr int kHalf = kFoldLanes / 2;
  F lanes[kHalf];
  if (lane == 0) {
#pragma unroll
    for (int l = 0; l < kHalf; ++l) {
      lanes[l] = F::combine(shared.get(l * Rows + x), shared.get((l + kHalf) * Rows + x));
    }
#pragma unroll
    for (int width = kHalf / 2; width > 0; width /= 2) {
#pragma unroll
      for (int l = 0; l < width; ++l) {
        lanes[l] = F::combine(lanes[l], lanes[l + width]);
      }
    }
  } else {
    lanes[0] = own;
  }
  __syncthreads();
  return lanes[0];
}

/// Columns form: what lane 0 has, for all lanes.
template <int Rows, class F>
RONDO_DEVICE F from_lane_0(const F& own, int lane, int x) {
  __shared__ Exchange<F, Rows> shared;
  if (lane == 0) {
    shared.put(x, own);
  }
  __syncthreads();
  const F result = shared.get(x);
  __syncthreads();
  return result;
}

/// The results of a row's blocks between two launches: words of 8 bytes.
template <class F>
RONDO_DEVICE void put_partial(char* at, const F& fold) {
  *reinterpret_cast<decltype(F::value)*>(at) = fold.value;
  if constexpr (F::kPlaces) {
    *reinterpret_cast<I64*>(at + 8) = fold.place;
  }
}

template <class F>
RONDO_DEVICE F get_partial(const char* at) {
  F fold = F::identity();
  fold.value = *reinterpret_cast<const decltype(F::value)*>(at);
  if constexpr (F::kPlaces) {
    fold.place = *reinterpret_cast<const I64*>(at + 8);
  }
  return fold;
}

/// All of a row's blocks in order; `stride` bytes lie between those of two blocks.
template <int Threads, class F, class I>
RONDO_DEVICE F fold_partials(const char* first, I blocks, int stride) {
  __shared__ Exchange<F, Threads> shared;
  F total = F::identity();
  for (I begin = 0; begin < blocks; begin += Threads) {
    const I own = begin + static_cast<I>(threadIdx.x);
    if (own < blocks) {
      shared.put(threadIdx.x, get_partial<F>(first + static_cast<I64>(own) * stride));
    }
    __syncthreads();
    const I count = blocks - begin < Threads ? blocks - begin : Threads;
    for (I i = 0; i < count; ++i) {
      total.append(shared.get(static_cast<int>(i)), begin + i == 0);
    }
    __syncthreads();
  }
  return total;
}

}  // namespace rondo::codegen::device
