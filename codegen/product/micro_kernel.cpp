#include "codegen/product/micro_kernel.h"

#include <utility>

namespace rondo::codegen::RONDO_ISA {
namespace {

// NOLINTBEGIN(bugprone-macro-parentheses): loops that must be unrolled for arrays to be registers
#define RONDO_EACH_ROW _Pragma("GCC unroll 16") for (int i = 0; i < R; ++i)
#define RONDO_EACH_VECTOR _Pragma("GCC unroll 8") for (int j = 0; j < V; ++j)
// NOLINTEND(bugprone-macro-parentheses)

// R rows by V vectors; kMasked: the last vector is partly filled.
template <class T, int R, int V, LayoutA kLayout, bool kMasked>
void micro_kernel(const MicroArgs<T>& args) {
  using S = Simd<T>;
  const auto mask = S::mask(args.last_lanes);
  const auto load = [mask](const T* p, int j) {
    return kMasked && j == V - 1 ? S::load(p + j * S::kWidth, mask) : S::load(p + j * S::kWidth);
  };
  const Index to_stride = args.to_stride;
  T* const to = args.to;
  typename S::Vector acc[R][V];
  if (args.from == nullptr) {
    RONDO_EACH_ROW {
      __builtin_prefetch(to + i * to_stride, 1, 3);
      RONDO_EACH_VECTOR acc[i][j] = S::zero();
    }
  } else {
    RONDO_EACH_ROW RONDO_EACH_VECTOR acc[i][j] = load(args.from + i * args.from_stride, j);
  }
  const T* a = args.a;
  const T* b = args.b;
  const Index a_stride = args.a_stride;
  const Index b_stride = args.b_stride;
  // Three rows share a base pointer, so that rows of any stride need few registers.
  constexpr int kBases = (R + 2) / 3;
  const T* bases[kBases];
  for (int i = 0; i < kBases; ++i) {
    bases[i] = a + 3 * i * a_stride;
  }
  Index left = args.k;
  do {
    typename S::Vector column[V];
    RONDO_EACH_VECTOR column[j] = load(b, j);
    RONDO_EACH_ROW {
      const T* from = kLayout == LayoutA::rows ? bases[i / 3] + (i % 3) * a_stride : a + i;
      const auto row = S::broadcast(*from);
      RONDO_EACH_VECTOR acc[i][j] = S::fma(row, column[j], acc[i][j]);
    }
    b += b_stride;
    if constexpr (kLayout == LayoutA::rows) {
      for (int i = 0; i < kBases; ++i) {
        ++bases[i];
      }
    } else {
      a += a_stride;
    }
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

#undef RONDO_EACH_ROW
#undef RONDO_EACH_VECTOR

template <class T, int R, int V, LayoutA kLayout, bool kMasked>
constexpr MicroKernel<T> get() {
  if constexpr (V <= MicroKernels<T>::kVectors || R <= MicroKernels<T>::kWideRows) {
    return micro_kernel<T, R, V, kLayout, kMasked>;
  }
  return nullptr;
}

template <class T, int V, LayoutA kLayout, bool kMasked, int... R>
constexpr auto by_rows(std::integer_sequence<int, R...>) {
  return typename MicroKernels<T>::ByRows{{get<T, R + 1, V, kLayout, kMasked>()...}};
}

template <class T, int V, LayoutA kLayout, bool kMasked>
constexpr auto kByRows =
    by_rows<T, V, kLayout, kMasked>(std::make_integer_sequence<int, MicroKernels<T>::kRows>{});

}  // namespace

#define RONDO_BY_VECTORS(layout, masked)                                                        \
  {kByRows<T, 1, layout, masked>, kByRows<T, 2, layout, masked>, kByRows<T, 3, layout, masked>, \
   kByRows<T, 4, layout, masked>}
template <class T>
const typename MicroKernels<T>::ByRows MicroKernels<T>::kTable[2][2][kWideVectors] = {
    {RONDO_BY_VECTORS(LayoutA::rows, false), RONDO_BY_VECTORS(LayoutA::rows, true)},
    {RONDO_BY_VECTORS(LayoutA::interleaved, false), RONDO_BY_VECTORS(LayoutA::interleaved, true)}};
#undef RONDO_BY_VECTORS

template class MicroKernels<float>;
template class MicroKernels<double>;

}  // namespace rondo::codegen::RONDO_ISA
