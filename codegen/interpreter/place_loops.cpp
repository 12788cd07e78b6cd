// argmax and argmin. "Larger, then first" is a total order (NaN above all), so the result does not
// depend on the order of combining, and these loops take whichever is quick.
#include <cstring>

#include "codegen/interpreter/block_loops_isa.h"
#include "codegen/interpreter/lanes.h"

namespace rondo::codegen::interpreter::RONDO_ISA {
namespace {

/// Counters of places are as wide as the values; beyond this they are folded into 64 bits, so that
/// 32 bits hold them.
constexpr std::int64_t kMaxCount = std::int64_t{1} << 15;

template <class T, bool Least>
struct Place {
  using Value = T;
  static constexpr T identity() { return extreme_identity<T, Least>(); }
  /// Whether x goes before best, whatever their places.
  template <class V>
  static auto beats(V x, V best) {
    if constexpr (Least) {
      return (x < best) | ((x != x) & (best == best));
    } else {
      return (x > best) | ((x != x) & (best == best));
    }
  }
};

/// The best so far, with its place in the row.
template <class P>
struct Best {
  typename P::Value value = P::identity();
  std::int64_t place = 0;

  void offer(typename P::Value x, std::int64_t at) {
    if (P::beats(x, value) || (!P::beats(value, x) && at < place)) {
      value = x;
      place = at;
    }
  }
};

/// The best of each lane over some steps: how many steps before it, instead of its place.
template <class P>
class LaneBest {
 public:
  using T = typename P::Value;

  explicit LaneBest(const ReduceBlock& block)
      : block_(block), steps_of_outer_((block.cols + kLanes - 1) / kLanes) {
    restart();
  }

  void add(const std::byte* a, std::int64_t outer) {
    if (steps_ + steps_of_outer_ > kMaxCount) {
      flush();
      base_outer_ = outer;
    }
    const std::int64_t whole = block_.cols / kLanes;
    for (std::int64_t i = 0; i < whole; ++i) {
      const Lanes<T> x = load<T>(a + i * kLanes * static_cast<std::int64_t>(sizeof(T)));
      for (int k = 0; k < Lanes<T>::kVectors; ++k) {
        const Mask<T> better = P::beats(x.v[k], value_.v[k]);
        take(k, x.v[k], better);
      }
      now_ += 1;
    }
    const std::int64_t tail = block_.cols % kLanes;
    if (tail != 0) {
      const LaneMask<T> mask = first_lanes<T>(tail);
      const Lanes<T> x =
          masked_load<T>(a + whole * kLanes * static_cast<std::int64_t>(sizeof(T)), mask);
      for (int k = 0; k < Lanes<T>::kVectors; ++k) {
        const Mask<T> better = P::beats(x.v[k], value_.v[k]) & mask.v[k];
        take(k, x.v[k], better);
      }
      now_ += 1;
    }
    steps_ += steps_of_outer_;
  }

  Best<P> best() {
    flush();
    return best_;
  }

 private:
  void take(int k, Vector<T> x, Mask<T> better) {
    value_.v[k] = better ? x : value_.v[k];
    count_.v[k] = better ? now_ : count_.v[k];
  }

  void restart() {
    value_ = splat<T>(P::identity());
    count_ = splat<Int<T>>(0);
    now_ = Mask<T>{};
    steps_ = 0;
  }

  void flush() {
    T values[kLanes];
    Int<T> counts[kLanes];
    std::memcpy(values, &value_, sizeof(values));
    std::memcpy(counts, &count_, sizeof(counts));
    const std::int64_t lanes = steps_ == 0 ? 0 : (block_.cols < kLanes ? block_.cols : kLanes);
    for (std::int64_t l = 0; l < lanes; ++l) {
      const std::int64_t outer = base_outer_ + counts[l] / steps_of_outer_;
      const std::int64_t step = counts[l] % steps_of_outer_;
      best_.offer(values[l], (block_.first_outer + outer) * block_.row_cols + block_.first_col +
                                 step * kLanes + l);
    }
    restart();
  }

  const ReduceBlock& block_;
  std::int64_t steps_of_outer_;
  std::int64_t base_outer_ = 0;
  std::int64_t steps_ = 0;
  Lanes<T> value_;
  Lanes<Int<T>> count_;
  Mask<T> now_;
  Best<P> best_;
};

template <class P>
Best<P> best_of_row(const ReduceBlock& block, std::int64_t row) {
  LaneBest<P> lanes(block);
  for (std::int64_t o = 0; o < block.outer; ++o) {
    lanes.add(block.a.data + row * block.a.row_stride + o * block.a.outer_stride, o);
  }
  return lanes.best();
}

template <class P>
void whole(const ReduceBlock& block, void* out) {
  for (std::int64_t r = 0; r < block.rows; ++r) {
    static_cast<std::int64_t*>(out)[r] = best_of_row<P>(block, r).place;
  }
}

template <class P>
void start(LaneState& state) {
  const Best<P> best;
  std::memcpy(state.result, &best.value, sizeof(best.value));
  state.place = best.place;
}

template <class P>
void accumulate(LaneState& state, const ReduceBlock& block) {
  Best<P> best;
  std::memcpy(&best.value, state.result, sizeof(best.value));
  best.place = state.place;
  const Best<P> next = best_of_row<P>(block, 0);
  best.offer(next.value, next.place);
  std::memcpy(state.result, &best.value, sizeof(best.value));
  state.place = best.place;
}

void finish(LaneState& state, void* out) {
  *static_cast<std::int64_t*>(out) = state.place;
}

/// The lines that the pieces of a ColumnState hold.
template <class P>
struct Lines {
  using T = typename P::Value;
  explicit Lines(const ColumnState& state)
      : values(reinterpret_cast<T*>(state.lanes)),
        counts(reinterpret_cast<Int<T>*>(state.lanes + state.rows * 8)),
        results(reinterpret_cast<T*>(state.results)) {}
  T* values;
  Int<T>* counts;
  T* results;
};

template <class P>
void column_restart(ColumnState& state, std::int64_t base) {
  const Lines<P> lines(state);
  for (std::int64_t r = 0; r < state.rows; ++r) {
    lines.values[r] = P::identity();
    lines.counts[r] = 0;
  }
  state.base = base;
}

template <class P>
void column_flush(ColumnState& state, std::int64_t base) {
  const Lines<P> lines(state);
  for (std::int64_t r = 0; r < state.rows; ++r) {
    Best<P> best{lines.results[r], state.places[r]};
    best.offer(lines.values[r], state.base + lines.counts[r]);
    lines.results[r] = best.value;
    state.places[r] = best.place;
  }
  column_restart<P>(state, base);
}

template <class P>
void column_start(ColumnState& state) {
  const Lines<P> lines(state);
  for (std::int64_t r = 0; r < state.rows; ++r) {
    lines.results[r] = P::identity();
    state.places[r] = 0;
  }
  column_restart<P>(state, 0);
}

template <class P, class T>
void take_line(T* __restrict values, Int<T>* __restrict counts, const T* __restrict x, Int<T> now,
               std::int64_t rows) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const bool better = P::beats(x[r], values[r]);
    values[r] = better ? x[r] : values[r];
    counts[r] = better ? now : counts[r];
  }
}

template <class P>
void column_accumulate(ColumnState& state, const ReduceBlock& block) {
  using T = typename P::Value;
  const Lines<P> lines(state);
  for (std::int64_t o = 0; o < block.outer; ++o) {
    const std::byte* a = block.a.data + o * block.a.outer_stride;
    for (std::int64_t i = 0; i < block.cols; ++i) {
      const std::int64_t place = (block.first_outer + o) * block.row_cols + block.first_col + i;
      if (place - state.base > kMaxCount) {
        column_flush<P>(state, place);
      }
      take_line<P, T>(lines.values, lines.counts,
                      reinterpret_cast<const T*>(a + i * block.a.col_stride),
                      static_cast<Int<T>>(place - state.base), state.rows);
    }
  }
}

template <class P>
void column_finish(ColumnState& state, void* out) {
  column_flush<P>(state, 0);
  std::memcpy(out, state.places, static_cast<std::size_t>(state.rows) * sizeof(std::int64_t));
}

template <class P>
constexpr ReduceLoops kLoops{&whole<P>,        &start<P>,        &accumulate<P>,
                             &finish,          &column_start<P>, &column_accumulate<P>,
                             &column_finish<P>};

template <class T>
const ReduceLoops* loops_of(ReduceKind kind) {
  return kind == ReduceKind::argmin ? &kLoops<Place<T, true>> : &kLoops<Place<T, false>>;
}

}  // namespace

const ReduceLoops* place_loops(ReduceKind kind, Reg reg) {
  switch (reg) {
    case Reg::i32:
      return loops_of<std::int32_t>(kind);
    case Reg::i64:
      return loops_of<std::int64_t>(kind);
    case Reg::f32:
      return loops_of<float>(kind);
    default:
      return loops_of<double>(kind);
  }
}

}  // namespace rondo::codegen::interpreter::RONDO_ISA
