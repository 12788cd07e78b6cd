#include "codegen/product/micro_kernel.h"

#include <utility>

namespace rondo::codegen::RONDO_ISA {
namespace {

// NOLINTBEGIN(bugprone-macro-parentheses): loops that must be unrolled for arrays to be registers
#define RONDO_EACH_ROW _Pragma("GCC unroll 16") for (int i = 0; i < R; ++i)
#define RONDO_EACH_VECTOR _Pragma("GCC unroll 8") for (int j = 0; j < V; ++j)
// NOLINTEND(bugprone-macro-parentheses)

// Three rows share a base pointer, so that rows of any stride need few registers.
template <class T, int R>
class StridedRows {
 public:
  explicit StridedRows(const MicroArgs<T>& args) : stride_(args.a_stride) {
    for (int i = 0; i < kBases; ++i) {
      bases_[i] = args.a + 3 * i * stride_;
    }
  }
  T at(int i) const { return bases_[i / 3][(i % 3) * stride_]; }
  void next() {
    for (int i = 0; i < kBases; ++i) {
      ++bases_[i];
    }
  }

 private:
  static constexpr int kBases = (R + 2) / 3;
  const T* bases_[kBases];
  Index stride_;
};

template <class T, int R>
class InterleavedRows {
 public:
  explicit InterleavedRows(const MicroArgs<T>& args) : a_(args.a), stride_(args.a_stride) {}
  T at(int i) const { return a_[i]; }
  void next() { a_ += stride_; }

 private:
  const T* a_;
  Index stride_;
};

template <class T, int R>
class RowsInRuns {
 public:
  explicit RowsInRuns(const MicroArgs<T>& args)
      : left_(args.first_run), run_(args.run), skip_(args.skip) {
    for (int i = 0; i < R; ++i) {
      rows_[i] = args.a_rows[i];
    }
  }
  T at(int i) const { return rows_[i][position_]; }
  void next() {
    ++position_;
    if (--left_ == 0) {
      position_ += skip_;
      left_ = run_;
    }
  }

 private:
  const T* rows_[R];
  Index position_ = 0;
  Index left_;
  Index run_;
  Index skip_;
};

template <class T>
class StridedColumns {
 public:
  StridedColumns(const MicroArgs<T>& args, const T* b) : b_(b), stride_(args.b_stride) {}
  const T* get() const { return b_; }
  void next() { b_ += stride_; }

 private:
  const T* b_;
  Index stride_;
};

template <class T>
class WindowColumns {
 public:
  WindowColumns(const MicroArgs<T>& args, const T* b) : b_(b), offset_(args.b_offsets) {}
  const T* get() const { return b_ + *offset_; }
  void next() { ++offset_; }

 private:
  const T* b_;
  const Index* offset_;
};

// R rows by V vectors; kMasked: the last vector is partly filled.
template <class T, int R, int V, class Rows, class Columns, bool kMasked>
void micro_kernel(const MicroArgs<T>& args) {
  using S = Simd<T>;
  const auto mask = S::mask(args.last_lanes);
  const auto load = [mask](const T* p, int j) {
    return kMasked && j == V - 1 ? S::load(p + j * S::kWidth, mask) : S::load(p + j * S::kWidth);
  };
  const Index to_stride = args.to_stride;
  for (Index panel = 0; panel < args.panels; ++panel) {
    T* const to = args.to + panel * V * S::kWidth;
    typename S::Vector acc[R][V];
    if (args.from == nullptr) {
      RONDO_EACH_ROW {
        __builtin_prefetch(to + i * to_stride, 1, 3);
        RONDO_EACH_VECTOR acc[i][j] = S::zero();
      }
    } else {
      const T* from = args.from + panel * V * S::kWidth;
      RONDO_EACH_ROW RONDO_EACH_VECTOR acc[i][j] = load(from + i * args.from_stride, j);
    }
    Rows rows(args);
    Columns columns(args, args.b + panel * args.b_step);
    Index left = args.k;
    do {
      const T* b = columns.get();
      typename S::Vector column[V];
      RONDO_EACH_VECTOR column[j] = load(b, j);
      RONDO_EACH_ROW {
        const auto row = S::broadcast(rows.at(i));
        RONDO_EACH_VECTOR acc[i][j] = S::fma(row, column[j], acc[i][j]);
      }
      columns.next();
      rows.next();
    } while (--left > 0);
    if (args.add) {
      RONDO_EACH_ROW RONDO_EACH_VECTOR acc[i][j] = S::add(load(to + i * to_stride, j), acc[i][j]);
    }
    RONDO_EACH_ROW RONDO_EACH_VECTOR {
      T* row = to + i * to_stride + j * S::kWidth;
      if (kMasked && j == V - 1) {
        S::store(row, acc[i][j], mask);
      } else {
        S::store(row, acc[i][j]);
      }
    }
  }
}

#undef RONDO_EACH_ROW
#undef RONDO_EACH_VECTOR

template <class T, int R, int V, Walk kWalk, bool kMasked>
constexpr MicroKernel<T> get() {
  using Kernels = MicroKernels<T>;
  if constexpr (V > Kernels::kVectors && R > Kernels::kWideRows) {
    return nullptr;
  } else if constexpr (kWalk == Walk::rows) {
    return micro_kernel<T, R, V, StridedRows<T, R>, StridedColumns<T>, kMasked>;
  } else if constexpr (kWalk == Walk::interleaved) {
    return micro_kernel<T, R, V, InterleavedRows<T, R>, StridedColumns<T>, kMasked>;
  } else if constexpr (kWalk == Walk::windows) {
    return micro_kernel<T, R, V, InterleavedRows<T, R>, WindowColumns<T>, kMasked>;
  } else if constexpr (kWalk == Walk::window_rows) {
    return micro_kernel<T, R, V, StridedRows<T, R>, WindowColumns<T>, kMasked>;
  } else if constexpr (R <= Kernels::kRunRows && V <= Kernels::kVectors) {
    return micro_kernel<T, R, V, RowsInRuns<T, R>, StridedColumns<T>, kMasked>;
  }
  return nullptr;
}

template <class T, int V, Walk kWalk, bool kMasked, int... R>
constexpr auto by_rows(std::integer_sequence<int, R...>) {
  return typename MicroKernels<T>::ByRows{{get<T, R + 1, V, kWalk, kMasked>()...}};
}

template <class T, int V, Walk kWalk, bool kMasked>
constexpr auto kByRows =
    by_rows<T, V, kWalk, kMasked>(std::make_integer_sequence<int, MicroKernels<T>::kRows>{});

}  // namespace

#define RONDO_BY_VECTORS(walk, masked)                                                    \
  {kByRows<T, 1, walk, masked>, kByRows<T, 2, walk, masked>, kByRows<T, 3, walk, masked>, \
   kByRows<T, 4, walk, masked>}
#define RONDO_BY_MASK(walk) {RONDO_BY_VECTORS(walk, false), RONDO_BY_VECTORS(walk, true)}
template <class T>
const typename MicroKernels<T>::ByRows MicroKernels<T>::kTable[kWalks][2][kWideVectors] = {
    RONDO_BY_MASK(Walk::rows), RONDO_BY_MASK(Walk::interleaved), RONDO_BY_MASK(Walk::windows),
    RONDO_BY_MASK(Walk::window_rows), RONDO_BY_MASK(Walk::runs)};
#undef RONDO_BY_MASK
#undef RONDO_BY_VECTORS

template class MicroKernels<float>;
template class MicroKernels<double>;

}  // namespace rondo::codegen::RONDO_ISA
