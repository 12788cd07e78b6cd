// The gradient of a convolution's weights: windows of the input times the gradient of the output,
// summed over images and positions.
#pragma once

#include "codegen/product/finish.h"
#include "codegen/product/micro_kernel.h"
#include "codegen/product/planes.h"

namespace rondo::codegen::RONDO_ISA {

/// Computes one WindowGradient of elements E. Lanes run over output channels, rows are read in
/// place from the planes of the input, line by line.
template <class E>
class WindowGradients {
 public:
  using T = Compute<E>;

  explicit WindowGradients(const WindowGradient& g)
      : g_(g),
        blocks_(g.rows, Kernels::kRunRows),
        positions_(g.lines * g.cols),
        panels_(divide_up(g.lanes, kPanel)) {}

  /// Elements of scratch that run() needs.
  Index scratch_size() const {
    return g_.planes.size() + panels_ * kPanel * kProductBlock + g_.rows * g_.lanes + 16;
  }

  void run(T* scratch) {
    planes_ = scratch;
    packed_ = planes_ + g_.planes.size();
    chains_ = packed_ + panels_ * kPanel * kProductBlock + 16;
    const Index steps = g_.images * positions_;
    for (Index block = g_.first_block; block < g_.end_block; ++block) {
      const Index begin = block * kProductBlock;
      const Index end = least(steps, begin + kProductBlock);
      for (Index step = begin; step < end;) {
        const Index image = step / positions_;
        const Index depth = least(end - step, (image + 1) * positions_ - step);
        run_part(block, image, step - image * positions_, depth, step == begin,
                 step + depth == end);
        step += depth;
      }
    }
  }

 private:
  using Kernels = MicroKernels<T>;
  static constexpr Index kPanel = Kernels::kVectors * Kernels::kWidth;

  void run_part(Index block, Index image, Index position, Index depth, bool begins, bool ends);
  void run_panel(Index panel, Index position, MicroArgs<T> args, T* to);
  void read_image(Index image);
  void pack_gradient(Index image, Index position, Index depth);

  const WindowGradient& g_;
  RowBlocks blocks_;
  Index positions_;
  Index panels_;
  Index image_ = -1;  // whose planes are filled
  T* planes_ = nullptr;
  T* packed_ = nullptr;
  T* chains_ = nullptr;
};

// Steps of one block that lie in one image.
template <class E>
void WindowGradients<E>::run_part(Index block, Index image, Index position, Index depth,
                                  bool begins, bool ends) {
  read_image(image);
  pack_gradient(image, position, depth);
  const Index apart = g_.apart ? block - g_.first_block : 0;
  T* to = ends ? static_cast<T*>(g_.sums) + apart * g_.rows * g_.lanes : chains_;
  MicroArgs<T> args;
  args.k = depth;
  args.b_stride = kPanel;
  args.run = g_.cols;
  args.first_run = g_.cols - position % g_.cols;
  args.skip = g_.planes.cols - g_.cols;
  args.from = begins ? nullptr : chains_;
  args.from_stride = g_.lanes;
  args.to_stride = g_.lanes;
  args.add = ends && !g_.apart && block > g_.first_block;
  for (Index panel = 0; panel < panels_; ++panel) {
    args.b = packed_ + panel * kPanel * depth;
    run_panel(panel, position, args, to);
  }
}

// All rows against one panel of lanes.
template <class E>
void WindowGradients<E>::run_panel(Index panel, Index position, MicroArgs<T> args, T* to) {
  const Index lane = panel * kPanel;
  const Index lanes = least(kPanel, g_.lanes - lane);
  const Index vectors = divide_up(lanes, Kernels::kWidth);
  args.last_lanes = lanes - (vectors - 1) * Kernels::kWidth;
  const auto& kernels = Kernels::table(vectors, Walk::runs, args.last_lanes != Kernels::kWidth);
  const bool resumes = args.from != nullptr;
  const T* origin = planes_ + position / g_.cols * g_.planes.cols + position % g_.cols;
  const T* rows[Kernels::kRunRows];
  args.a_rows = rows;
  Index row = 0;
  for (Index g = 0; g < blocks_.count; ++g) {
    const Index height = blocks_.height(g);
    for (Index i = 0; i < height; ++i) {
      rows[i] = origin + g_.offsets[row + i];
    }
    args.from = resumes ? chains_ + row * g_.lanes + lane : nullptr;
    args.to = to + row * g_.lanes + lane;
    kernels[height](args);
    row += height;
  }
}

template <class E>
void WindowGradients<E>::read_image(Index image) {
  if (image_ != image) {
    const auto* input = static_cast<const E*>(g_.input) + image * g_.input_image_stride;
    fill_planes<E>(g_.planes, 0, input, planes_);
    image_ = image;
  }
}

template <class E>
void WindowGradients<E>::pack_gradient(Index image, Index position, Index depth) {
  const E* from = static_cast<const E*>(g_.gradient) + image * g_.gradient_image_stride + position;
  for (Index panel = 0; panel < panels_; ++panel) {
    const Index lane = panel * kPanel;
    pack_along_k(PackSource<E>{from + lane * positions_, positions_, 1},
                 least(kPanel, g_.lanes - lane), depth, packed_ + lane * depth, kPanel);
  }
}

template <class E>
void run_window_gradient(const WindowGradient& g) {
  using T = Compute<E>;
  WindowGradients<E> gradients(g);
  const Index bytes = gradients.scratch_size() * static_cast<Index>(sizeof(T));
  gradients.run(static_cast<T*>(product_workspace(bytes)));
}

/// See ConvolutionKernels.
template <class E>
void store_gradient(void* all_sums, Index blocks, Index rows, Index lanes, void* out,
                    Index lane_stride) {
  using T = Compute<E>;
  auto* sums = static_cast<T*>(all_sums);
  auto* to = static_cast<E*>(out);
  add_blocks(sums, blocks, rows * lanes);
  // Squares, so that both sides of the transposition use their cache lines up.
  constexpr Index kSide = 16;
  for (Index row = 0; row < rows; row += kSide) {
    const Index height = least(kSide, rows - row);
    for (Index lane = 0; lane < lanes; lane += kSide) {
      const Index width = least(kSide, lanes - lane);
      T square[kSide * kSide];
      pack_along_k(PackSource<T>{sums + row * lanes + lane, lanes, 1}, height, width, square,
                   kSide);
      for (Index i = 0; i < width; ++i) {
        store_row(square + i * kSide, height, to + (lane + i) * lane_stride + row);
      }
    }
  }
}

}  // namespace rondo::codegen::RONDO_ISA
