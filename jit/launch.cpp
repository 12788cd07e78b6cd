#include "jit/launch.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <utility>

#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "jit/compile_queue.h"
#include "jit/params.h"
#include "jit/shadow.h"

namespace rondo::jit {
namespace {

using codegen::Schedule;

/// Elements of a cheap kernel below which another thread costs more than it brings.
constexpr std::int64_t kGrain = 16384;

/// How many cheap operations a call of a function takes, roughly: exp to erf in the table.
constexpr std::int64_t kFunctionWork = 16;
constexpr std::int64_t kCheapKernel = 8;  // operations

/// Operands that a kernel may have: more than grouping lets it load and store.
constexpr std::size_t kMaxOperands = 96;

bool is_function(const codegen::Instr& instr) {
  return instr.kind == codegen::InstrKind::op &&
         ((instr.scalar >= ScalarOp::exp && instr.scalar <= ScalarOp::erf) ||
          instr.scalar == ScalarOp::pow || scalar_op_info(instr.scalar).kind == ScalarKind::random);
}

/// The same for this kernel: the more there is to do for an element, the fewer.
std::int64_t grain_of(const codegen::Kernel& kernel) {
  std::int64_t work = 0;
  for (const codegen::Instr& instr : kernel.code) {
    if (instr.level == codegen::Level::element) {
      work += is_function(instr) ? kFunctionWork : 1;
    }
  }
  return kGrain / std::max<std::int64_t>(work / kCheapKernel, 1);
}

/// An axis, or several that lie behind one another in every operand.
struct Axis {
  std::int64_t size = 1;
  std::vector<std::int64_t> strides;  // of each operand
};

void append_axis(std::vector<Axis>& axes, std::int64_t size, std::vector<std::int64_t> strides) {
  if (size == 1) {
    return;
  }
  if (!axes.empty()) {
    Axis& last = axes.back();
    bool merges = true;
    for (std::size_t i = 0; i < strides.size(); ++i) {
      merges = merges && last.strides[i] == strides[i] * size;
    }
    if (merges) {
      last.size *= size;
      last.strides = std::move(strides);
      return;
    }
  }
  axes.push_back({size, std::move(strides)});
}

std::vector<std::int64_t> strides_at(const std::vector<BoundOperand>& operands, int f) {
  std::vector<std::int64_t> strides;
  strides.reserve(operands.size());
  for (const BoundOperand& operand : operands) {
    strides.push_back(operand.stride[static_cast<std::size_t>(f)]);
  }
  return strides;
}

/// The last run of neighbouring reduced axes is the inner one; the others together are the outer
/// one.
struct ReducedAxes {
  std::vector<int> inner;
  std::vector<int> outer;
};

ReducedAxes split_reduced(std::uint32_t mask, int rank) {
  ReducedAxes axes;
  int f = rank - 1;
  while (f >= 0 && ((mask >> f) & 1U) == 0) {
    --f;
  }
  for (; f >= 0 && ((mask >> f) & 1U) != 0; --f) {
    axes.inner.insert(axes.inner.begin(), f);
  }
  for (; f >= 0; --f) {
    if (((mask >> f) & 1U) != 0) {
      axes.outer.insert(axes.outer.begin(), f);
    }
  }
  return axes;
}

/// One stride that walks `list` in row-major order, if there is one for this operand.
bool walk(const std::vector<int>& list, const Shape& space, const BoundOperand& operand,
          std::int64_t& stride) {
  stride = 0;
  std::int64_t expected = 0;
  bool first = true;
  for (auto f = list.rbegin(); f != list.rend(); ++f) {
    const std::int64_t size = space[*f];
    const std::int64_t s = operand.stride[static_cast<std::size_t>(*f)];
    if (size == 1) {
      continue;
    }
    if (first) {
      stride = s;
    } else if (s != expected) {
      return false;
    }
    expected = first ? s * size : expected * size;
    first = false;
  }
  return true;
}

std::int64_t product_of(const std::vector<int>& list, const Shape& space) {
  std::int64_t n = 1;
  for (const int f : list) {
    n *= space[f];
  }
  return n;
}

/// Sets the strides of the reduced axes; operands that have none are laid out anew, and copied at
/// launch.
void bind_reduced(BoundKernel& bound, std::uint32_t mask, const Shape& space) {
  const ReducedAxes axes = split_reduced(mask, space.rank());
  bound.cols = product_of(axes.inner, space);
  bound.outer = product_of(axes.outer, space);
  bound.count = bound.cols * bound.outer;
  for (std::size_t i = 0; i < bound.operands.size(); ++i) {
    BoundOperand& operand = bound.operands[i];
    const bool even = walk(axes.inner, space, operand, bound.col_stride[i]) &&
                      walk(axes.outer, space, operand, bound.outer_stride[i]);
    operand.copied = operand.copied || !even;
  }
}

void lay_out_copies(BoundKernel& bound, const codegen::KernelPlan& plan, const Shape& space) {
  for (std::size_t i = 0; i < bound.operands.size(); ++i) {
    BoundOperand& operand = bound.operands[i];
    if (operand.copied) {
      operand.original = operand.stride;
      std::int64_t stride = size_bytes(plan.kernel.operands[i].dtype, 1);
      for (int f = space.rank() - 1; f >= 0; --f) {
        const auto axis = static_cast<std::size_t>(f);
        const bool varies = operand.stride[axis] != 0 && space[f] != 1;
        operand.stride[axis] = varies || ((plan.reduced >> f) & 1U) != 0 ? stride : 0;
        stride *= operand.stride[axis] != 0 ? space[f] : 1;
      }
    }
  }
}

Schedule choose_schedule(const BoundKernel& bound, const codegen::KernelPlan& plan) {
  const bool columns =
      plan.reduced != 0 && codegen::prefers_columns(plan.kernel, bound.rows, bound.cols,
                                                    bound.row_stride, bound.col_stride);
  return columns ? Schedule::columns : Schedule::rows;
}

void bind_kept(BoundKernel& bound, const codegen::KernelPlan& plan, const Shape& space) {
  std::vector<Axis> axes;
  for (int f = 0; f < space.rank(); ++f) {
    if (((plan.reduced >> f) & 1U) == 0) {
      append_axis(axes, space[f], strides_at(bound.operands, f));
    }
  }
  const auto take = [&](std::int64_t& size, std::vector<std::int64_t>& strides) {
    if (!axes.empty()) {
      size = axes.back().size;
      strides = axes.back().strides;
      axes.pop_back();
    }
  };
  if (plan.reduced == 0 && !plan.kernel.has_reduction()) {
    take(bound.cols, bound.col_stride);
  }
  take(bound.rows, bound.row_stride);
  const std::size_t operands = bound.operands.size();
  bound.loop_strides.resize(operands * axes.size());
  for (std::size_t l = 0; l < axes.size(); ++l) {
    bound.loop_sizes.push_back(axes[l].size);
    bound.loops *= axes[l].size;
    for (std::size_t i = 0; i < operands; ++i) {
      bound.loop_strides[i * axes.size() + l] = axes[l].strides[i];
    }
  }
}

std::byte* thread_scratch(std::int64_t bytes) {
  struct Buffer {
    std::byte* memory = nullptr;
    std::int64_t size = 0;
    ~Buffer() { std::free(memory); }
  };
  thread_local Buffer buffer;
  if (buffer.size < bytes) {
    std::free(buffer.memory);
    const std::int64_t size = (bytes + 4095) / 4096 * 4096;
    buffer.memory = static_cast<std::byte*>(std::aligned_alloc(64, static_cast<std::size_t>(size)));
    buffer.size = buffer.memory == nullptr ? 0 : size;
    check<OutOfMemoryError>(buffer.memory != nullptr,
                            "kernel: no memory for {} bytes that a thread needs beside tensors",
                            size);
  }
  return buffer.memory;
}

/// The bytes from operand i's origin to a row and column in iteration `loop` of the loops.
std::int64_t offset_of(const BoundKernel& kernel, std::size_t i, std::int64_t loop,
                       std::int64_t row, std::int64_t col) {
  const std::size_t loops = kernel.loop_sizes.size();
  std::int64_t offset = row * kernel.row_stride[i] + col * kernel.col_stride[i];
  for (std::size_t l = loops; l-- > 0;) {
    offset += loop % kernel.loop_sizes[l] * kernel.loop_strides[i * loops + l];
    loop /= kernel.loop_sizes[l];
  }
  return offset;
}

/// Runs rows begin..end-1 (counted over all loops) and columns from `col` on.
class Runner {
 public:
  Runner(const BoundKernel& kernel, const std::vector<std::byte*>& data,
         const std::uint64_t* scalars, codegen::KernelFunction compiled)
      : kernel_(kernel), data_(data), scalars_(scalars), compiled_(compiled) {}

  void run_rows(std::int64_t begin, std::int64_t end) const {
    while (begin < end) {
      const std::int64_t loop = begin / kernel_.rows;
      const std::int64_t row = begin % kernel_.rows;
      const std::int64_t rows = std::min(end - begin, kernel_.rows - row);
      run(loop, row, rows, 0, kernel_.cols);
      begin += rows;
    }
  }

  void run(std::int64_t loop, std::int64_t row, std::int64_t rows, std::int64_t col,
           std::int64_t cols) const {
    std::array<std::byte*, kMaxOperands> addresses;  // NOLINT(*-member-init)
    for (std::size_t i = 0; i < data_.size(); ++i) {
      addresses[i] = data_[i] + offset_of(kernel_, i, loop, row, col);
    }
    codegen::KernelArgs args;
    args.data = addresses.data();
    args.row_stride = kernel_.row_stride.data();
    args.outer_stride = kernel_.outer_stride.data();
    args.col_stride = kernel_.col_stride.data();
    args.scalars = scalars_;
    args.rows = rows;
    args.outer = kernel_.outer;
    args.cols = cols;
    args.first_index = (loop * kernel_.rows + row) * kernel_.outer * kernel_.cols + col;
    args.scratch = kernel_.scratch > 0 ? thread_scratch(kernel_.scratch) : nullptr;
    if (compiled_ != nullptr) {
      compiled_(&args);
    } else {
      kernel_.entry->interpret(args);
    }
  }

 private:
  const BoundKernel& kernel_;
  const std::vector<std::byte*>& data_;
  const std::uint64_t* scalars_;
  codegen::KernelFunction compiled_;
};

/// Counts a launch, asks for the compiled form when it is worth it, and gives it if it is there.
codegen::KernelFunction choose_form(KernelEntry& entry) {
  const Mode mode = params().mode;
  if (mode == Mode::background) [[likely]] {
    const std::uint64_t launches = entry.launches.fetch_add(1, std::memory_order_relaxed) + 1;
    if (launches == params().compile_after) {
      request_compile(entry);
    }
    return entry.compiled();
  }
  if (mode == Mode::interpreted) {
    return nullptr;
  }
  if (!entry.requested.exchange(true)) {
    compile_now(entry);
  }
  thread_local std::minstd_rand coin(7);
  return mode == Mode::switching && coin() % 2 == 0 ? nullptr : entry.compiled();
}

codegen::Variant make_variant(const BoundKernel& bound, const codegen::KernelPlan& plan,
                              Schedule schedule) {
  codegen::Variant variant;
  variant.schedule = schedule;
  for (std::size_t i = 0; i < bound.operands.size(); ++i) {
    const std::int64_t stride =
        schedule == Schedule::rows ? bound.col_stride[i] : bound.row_stride[i];
    variant.strides.push_back(codegen::stride_class(stride, plan.kernel.operands[i].dtype));
  }
  return variant;
}

/// A kernel of these operands without strides.
BoundKernel unbound_kernel(std::vector<BoundOperand> operands) {
  invariant(operands.size() <= kMaxOperands, "a kernel has more operands than a launch has room");
  BoundKernel kernel;
  kernel.row_stride.assign(operands.size(), 0);
  kernel.outer_stride.assign(operands.size(), 0);
  kernel.col_stride.assign(operands.size(), 0);
  kernel.operands = std::move(operands);
  return kernel;
}

}  // namespace

BoundKernel bind_kernel(const codegen::KernelPlan& plan, const Shape& space,
                        std::vector<BoundOperand> operands) {
  BoundKernel bound = unbound_kernel(std::move(operands));
  if (plan.reduced != 0) {
    bind_reduced(bound, plan.reduced, space);
    lay_out_copies(bound, plan, space);
    bind_reduced(bound, plan.reduced, space);
  }
  bind_kept(bound, plan, space);
  const codegen::Variant variant = make_variant(bound, plan, choose_schedule(bound, plan));
  bound.entry = &KernelCache::instance().find(plan.kernel, variant);
  bound.grain = grain_of(plan.kernel);
  bound.scratch = scratch_bytes(plan.kernel, variant.schedule, bound.outer, bound.cols);
  bound.empty = bound.rows * bound.loops == 0 || (plan.reduced == 0 && bound.cols == 0);
  bound.splits_cols =
      bound.rows * bound.loops == 1 && plan.reduced == 0 && !plan.kernel.has_reduction();
  return bound;
}

BoundKernel bind_epilogue(const codegen::KernelPlan& plan, const Shape& space, const TileAxes& axes,
                          int tile_operand, std::vector<BoundOperand> operands) {
  BoundKernel bound = unbound_kernel(std::move(operands));
  const std::size_t n = bound.operands.size();
  std::vector<int> cols;
  for (int f = axes.first_col; f < space.rank(); ++f) {
    cols.push_back(f);
  }
  for (const bool copied : {false, true}) {
    for (std::size_t i = 0; i < n; ++i) {
      BoundOperand& operand = bound.operands[i];
      const bool even = walk(cols, space, operand, bound.col_stride[i]);
      operand.copied = operand.copied || !even;
      bound.row_stride[i] = axes.row < 0 ? 0 : operand.stride[static_cast<std::size_t>(axes.row)];
    }
    if (!copied) {
      lay_out_copies(bound, plan, space);
    }
  }
  const auto tile = static_cast<std::size_t>(tile_operand);
  bound.col_stride[tile] = size_bytes(plan.kernel.operands[tile].dtype, 1);
  const int batch_end = axes.row >= 0 ? axes.row : axes.first_col;
  for (int f = 0; f < batch_end; ++f) {
    bound.loop_sizes.push_back(space[f]);
    bound.loops *= space[f];
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (int f = 0; f < batch_end; ++f) {
      bound.loop_strides.push_back(bound.operands[i].stride[static_cast<std::size_t>(f)]);
    }
  }
  bound.entry =
      &KernelCache::instance().find(plan.kernel, make_variant(bound, plan, Schedule::rows));
  bound.grain = grain_of(plan.kernel);
  return bound;
}

void launch_tile(const BoundKernel& kernel, const std::vector<std::byte*>& data,
                 const std::uint64_t* scalars, int tile_operand, const codegen::ProductTile& tile) {
  std::array<std::byte*, kMaxOperands> addresses;      // NOLINT(*-member-init)
  std::array<std::int64_t, kMaxOperands> row_strides;  // NOLINT(*-member-init)
  for (std::size_t i = 0; i < data.size(); ++i) {
    row_strides[i] = kernel.row_stride[i];
    if (static_cast<int>(i) == tile_operand) {
      continue;
    }
    addresses[i] = data[i] + offset_of(kernel, i, tile.batch, tile.row, tile.col);
  }
  const auto own = static_cast<std::size_t>(tile_operand);
  addresses[own] = static_cast<std::byte*>(tile.data);
  row_strides[own] = tile.row_stride * kernel.col_stride[own];
  codegen::KernelArgs args;
  args.data = addresses.data();
  args.row_stride = row_strides.data();
  args.outer_stride = kernel.outer_stride.data();
  args.col_stride = kernel.col_stride.data();
  args.scalars = scalars;
  args.rows = tile.rows;
  args.cols = tile.cols;
  const codegen::KernelFunction compiled = choose_form(*kernel.entry);
  if (compiled != nullptr) {
    compiled(&args);
  } else {
    kernel.entry->interpret(args);
  }
}

void launch_form(const BoundKernel& kernel, const std::vector<std::byte*>& data,
                 const std::uint64_t* scalars, codegen::KernelFunction compiled) {
  const Runner runner(kernel, data, scalars, compiled);
  const std::int64_t per_row = std::max<std::int64_t>(kernel.cols * kernel.outer, 1);
  const std::int64_t rows = kernel.rows * kernel.loops;
  const std::int64_t grain = worth_a_thread(kernel.grain);
  if (rows * per_row <= grain) {
    runner.run_rows(0, rows);
  } else if (kernel.splits_cols) {
    parallel_for(kernel.cols, grain, [&](std::int64_t begin, std::int64_t end) {
      runner.run(0, 0, 1, begin, end - begin);
    });
  } else {
    // Columns are taken many at a time: a part of a few would read a line of memory for each
    // element.
    const bool columns = kernel.entry->variant().schedule == Schedule::columns;
    const std::int64_t least = columns ? codegen::kColumnTile / 2 : 1;
    parallel_for(rows, std::max(grain / per_row, least),
                 [&](std::int64_t begin, std::int64_t end) { runner.run_rows(begin, end); });
  }
}

bool launch(const BoundKernel& kernel, const std::vector<std::byte*>& data,
            const std::uint64_t* scalars) {
  if (kernel.empty) {
    return false;
  }
  const codegen::KernelFunction compiled = choose_form(*kernel.entry);
  if (compiled != nullptr && kernel.entry->shadow_left.load(std::memory_order_relaxed) > 0 &&
      shadow_launch(kernel, data, scalars)) {
    return false;
  }
  launch_form(kernel, data, scalars, compiled);
  return compiled != nullptr;
}

}  // namespace rondo::jit
