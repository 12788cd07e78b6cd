// Sums, products, extremes and dots in the canonical order.
#include <cstring>
#include <type_traits>

#include "codegen/interpreter/block_loops_isa.h"
#include "codegen/interpreter/lanes.h"

namespace rondo::codegen::interpreter::RONDO_ISA {
namespace {

// A fold has the type of its lanes, their start, how two lanes combine (vectors and single values
// alike) and how an element enters a lane.

template <class T>
struct Sum {
  using Value = T;
  static constexpr bool kTwoInputs = false;
  static constexpr T identity() { return T{0}; }
  template <class V>
  static V combine(V a, V b) {
    return a + b;
  }
  template <class V>
  static V step(V lane, V a, V) {
    return lane + a;
  }
};

template <class T>
struct Product {
  using Value = T;
  static constexpr bool kTwoInputs = false;
  static constexpr T identity() { return T{1}; }
  template <class V>
  static V combine(V a, V b) {
    return a * b;
  }
  template <class V>
  static V step(V lane, V a, V) {
    return lane * a;
  }
};

/// The scalar `maximum`, or `minimum` if Least: NaN propagates, a tie gives the first.
template <class T, bool Least>
struct Extreme {
  using Value = T;
  static constexpr bool kTwoInputs = false;
  static constexpr T identity() { return extreme_identity<T, Least>(); }
  template <class V>
  static V combine(V a, V b) {
    if constexpr (Least) {
      return ((b < a) | (b != b)) ? b : a;
    } else {
      return ((b > a) | (b != b)) ? b : a;
    }
  }
  template <class V>
  static V step(V lane, V a, V) {
    return combine(lane, a);
  }
};

/// A sum of products. Its lanes are combined as those of a sum.
template <class T>
struct Dot : Sum<T> {
  static constexpr bool kTwoInputs = true;
  template <class V>
  static V step(V lane, V a, V b) {
    return fused(a, b, lane);
  }
};

template <class T>
constexpr std::int64_t kStepBytes = kLanes * static_cast<std::int64_t>(sizeof(T));

template <class Fold, class T = typename Fold::Value>
inline void add_step(Lanes<T>& lanes, const std::byte* a, const std::byte* b) {
  const Lanes<T> x = load<T>(a);
  Lanes<T> y = x;
  if constexpr (Fold::kTwoInputs) {
    y = load<T>(b);
  }
  for (int k = 0; k < Lanes<T>::kVectors; ++k) {
    lanes.v[k] = Fold::step(lanes.v[k], x.v[k], y.v[k]);
  }
}

/// The last step of some columns, which leaves the lanes beyond them alone.
template <class Fold, class T = typename Fold::Value>
inline void add_tail(Lanes<T>& lanes, const std::byte* a, const std::byte* b,
                     const LaneMask<T>& mask) {
  const Lanes<T> x = masked_load<T>(a, mask);
  Lanes<T> y = x;
  if constexpr (Fold::kTwoInputs) {
    y = masked_load<T>(b, mask);
  }
  for (int k = 0; k < Lanes<T>::kVectors; ++k) {
    const Vector<T> next = Fold::step(lanes.v[k], x.v[k], y.v[k]);
    lanes.v[k] = mask.v[k] ? next : lanes.v[k];
  }
}

/// One row under way, in registers.
template <class Fold>
class RowFold {
 public:
  using T = typename Fold::Value;

  void start() {
    lanes_ = splat<T>(Fold::identity());
    steps_ = 0;
    blocks_ = 0;
    result_ = Fold::identity();
  }

  /// Adds the columns of one o.
  void add(const std::byte* a, const std::byte* b, std::int64_t cols) {
    std::int64_t whole = cols / kLanes;
    while (whole > 0) {
      const std::int64_t left = kReduceBlockSteps - steps_;
      const std::int64_t now = whole < left ? whole : left;
      Lanes<T> lanes = lanes_;
      for (std::int64_t i = 0; i < now; ++i) {
        add_step<Fold>(lanes, a, b);
        a += kStepBytes<T>;
        b += Fold::kTwoInputs ? kStepBytes<T> : 0;
      }
      lanes_ = lanes;
      whole -= now;
      count(now);
    }
    if (cols % kLanes != 0) {
      add_tail<Fold>(lanes_, a, b, first_lanes<T>(cols % kLanes));
      count(1);
    }
  }

  T finish() {
    if (steps_ != 0 || blocks_ == 0) {
      close();
    }
    return result_;
  }

  void read(const LaneState& state) {
    lanes_ = load<T>(state.lanes);
    steps_ = state.steps;
    blocks_ = state.blocks;
    std::memcpy(&result_, state.result, sizeof(T));
  }

  void write(LaneState& state) const {
    store(lanes_, state.lanes);
    state.steps = steps_;
    state.blocks = blocks_;
    std::memcpy(state.result, &result_, sizeof(T));
  }

 private:
  void count(std::int64_t steps) {
    steps_ += steps;
    if (steps_ == kReduceBlockSteps) {
      close();
    }
  }

  void close() {
    const T block = tree<Fold>(lanes_);
    result_ = blocks_ == 0 ? block : Fold::combine(result_, block);
    ++blocks_;
    steps_ = 0;
    lanes_ = splat<T>(Fold::identity());
  }

  Lanes<T> lanes_;
  std::int64_t steps_;
  std::int64_t blocks_;
  T result_;
};

template <class Fold>
void add_row(RowFold<Fold>& fold, const ReduceBlock& block, std::int64_t row) {
  const std::byte* a = block.a.data + row * block.a.row_stride;
  const std::byte* b = block.b.data + row * block.b.row_stride;
  for (std::int64_t o = 0; o < block.outer; ++o) {
    fold.add(a + o * block.a.outer_stride, b + o * block.b.outer_stride, block.cols);
  }
}

/// Rows of one canonical block: no counting of steps.
template <class Fold>
void whole_short(const ReduceBlock& block, typename Fold::Value* out) {
  using T = typename Fold::Value;
  const std::int64_t steps = block.cols / kLanes;
  const std::int64_t tail = block.cols % kLanes;
  const LaneMask<T> mask = first_lanes<T>(tail);
  for (std::int64_t r = 0; r < block.rows; ++r) {
    const std::byte* a = block.a.data + r * block.a.row_stride;
    const std::byte* b = block.b.data + r * block.b.row_stride;
    Lanes<T> lanes = splat<T>(Fold::identity());
    for (std::int64_t i = 0; i < steps; ++i) {
      add_step<Fold>(lanes, a, b);
      a += kStepBytes<T>;
      b += Fold::kTwoInputs ? kStepBytes<T> : 0;
    }
    if (tail != 0) {
      add_tail<Fold>(lanes, a, b, mask);
    }
    out[r] = tree<Fold>(lanes);
  }
}

template <class Fold>
void whole(const ReduceBlock& block, void* out) {
  if (block.outer == 1 && block.cols <= kReduceBlockSteps * kLanes) {
    whole_short<Fold>(block, static_cast<typename Fold::Value*>(out));
    return;
  }
  for (std::int64_t r = 0; r < block.rows; ++r) {
    RowFold<Fold> fold;
    fold.start();
    add_row(fold, block, r);
    static_cast<typename Fold::Value*>(out)[r] = fold.finish();
  }
}

template <class Fold>
void start(LaneState& state) {
  RowFold<Fold> fold;
  fold.start();
  fold.write(state);
}

template <class Fold>
void accumulate(LaneState& state, const ReduceBlock& block) {
  RowFold<Fold> fold;
  fold.read(state);
  add_row(fold, block, 0);
  fold.write(state);
}

template <class Fold>
void finish(LaneState& state, void* out) {
  RowFold<Fold> fold;
  fold.read(state);
  *static_cast<typename Fold::Value*>(out) = fold.finish();
}

template <class Fold>
void add_line(typename Fold::Value* __restrict lane, const typename Fold::Value* __restrict a,
              const typename Fold::Value* __restrict b, std::int64_t rows) {
  for (std::int64_t r = 0; r < rows; ++r) {
    lane[r] = Fold::step(lane[r], a[r], b[r]);
  }
}

template <class Fold>
void combine_line(typename Fold::Value* __restrict to, const typename Fold::Value* __restrict from,
                  std::int64_t rows) {
  for (std::int64_t r = 0; r < rows; ++r) {
    to[r] = Fold::combine(to[r], from[r]);
  }
}

template <class T>
void set_lines(T* __restrict to, T value, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    to[i] = value;
  }
}

template <class Fold>
void column_close(ColumnState& state) {
  using T = typename Fold::Value;
  T* lanes = reinterpret_cast<T*>(state.lanes);
  T* results = reinterpret_cast<T*>(state.results);
  for (std::int64_t half = kLanes / 2; half >= 1; half /= 2) {
    combine_line<Fold>(lanes, lanes + half * state.rows, half * state.rows);
  }
  if (state.blocks == 0) {
    std::memcpy(results, lanes, static_cast<std::size_t>(state.rows) * sizeof(T));
  } else {
    combine_line<Fold>(results, lanes, state.rows);
  }
  ++state.blocks;
  state.steps = 0;
  set_lines(lanes, Fold::identity(), kLanes * state.rows);
}

template <class Fold>
void column_start(ColumnState& state) {
  state.steps = 0;
  state.blocks = 0;
  set_lines(reinterpret_cast<typename Fold::Value*>(state.lanes), Fold::identity(),
            kLanes * state.rows);
}

template <class Fold>
void column_accumulate(ColumnState& state, const ReduceBlock& block) {
  using T = typename Fold::Value;
  T* lanes = reinterpret_cast<T*>(state.lanes);
  for (std::int64_t o = 0; o < block.outer; ++o) {
    const std::byte* a = block.a.data + o * block.a.outer_stride;
    const std::byte* b = block.b.data + o * block.b.outer_stride;
    for (std::int64_t i = 0; i < block.cols; ++i) {
      const T* x = reinterpret_cast<const T*>(a + i * block.a.col_stride);
      const T* y = Fold::kTwoInputs ? reinterpret_cast<const T*>(b + i * block.b.col_stride) : x;
      const std::int64_t col = block.first_col + i;
      add_line<Fold>(lanes + col % kLanes * state.rows, x, y, state.rows);
      if (col % kLanes == kLanes - 1 || col + 1 == block.row_cols) {
        if (++state.steps == kReduceBlockSteps) {
          column_close<Fold>(state);
        }
      }
    }
  }
}

template <class Fold>
void column_finish(ColumnState& state, void* out) {
  if (state.steps != 0 || state.blocks == 0) {
    column_close<Fold>(state);
  }
  std::memcpy(out, state.results,
              static_cast<std::size_t>(state.rows) * sizeof(typename Fold::Value));
}

template <class Fold>
constexpr ReduceLoops kLoops{&whole<Fold>,        &start<Fold>,        &accumulate<Fold>,
                             &finish<Fold>,       &column_start<Fold>, &column_accumulate<Fold>,
                             &column_finish<Fold>};

/// T is the class of the values, W the one that wraps around.
template <class T, class W>
const ReduceLoops* loops_of(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::sum:
      return &kLoops<Sum<W>>;
    case ReduceKind::product:
      return &kLoops<Product<W>>;
    case ReduceKind::maximum:
      return &kLoops<Extreme<T, false>>;
    case ReduceKind::minimum:
      return &kLoops<Extreme<T, true>>;
    default:
      if constexpr (std::is_floating_point_v<T>) {
        return &kLoops<Dot<T>>;
      } else {
        return nullptr;
      }
  }
}

}  // namespace

const ReduceLoops* fold_loops(ReduceKind kind, Reg reg) {
  switch (reg) {
    case Reg::i32:
      return loops_of<std::int32_t, std::uint32_t>(kind);
    case Reg::i64:
      return loops_of<std::int64_t, std::uint64_t>(kind);
    case Reg::f32:
      return loops_of<float, float>(kind);
    default:
      return loops_of<double, double>(kind);
  }
}

}  // namespace rondo::codegen::interpreter::RONDO_ISA
