#include "codegen/cuda/call.h"

#include <algorithm>
#include <cstdlib>

namespace rondo::codegen::cuda {
namespace {

/// Indices of 32 bits keep this far from their end, so that a grid's step cannot pass it.
constexpr std::int64_t kNarrowEnd = std::int64_t{1} << 30;
constexpr int kBlocksPerMultiprocessor = 8;  // of 256 threads: what fills a multiprocessor
constexpr std::int64_t kBlockElements = 1024;

std::int64_t reach(std::int64_t size, std::int64_t stride) {
  return size <= 1 ? 0 : (size - 1) * std::abs(stride);
}

bool needs_wide(const DeviceCall& call) {
  if (call.all_rows() * std::max<std::int64_t>(call.row_elements(), 1) >= kNarrowEnd) {
    return true;
  }
  const std::size_t loops = call.loop_sizes.size();
  for (std::size_t k = 0; k < call.data.size(); ++k) {
    std::int64_t bytes = reach(call.rows, call.row_stride[k]) +
                         reach(call.outer, call.outer_stride[k]) +
                         reach(call.cols, call.col_stride[k]);
    for (std::size_t l = 0; l < loops; ++l) {
      bytes += reach(call.loop_sizes[l], call.loop_strides[k * loops + l]);
    }
    if (bytes >= kNarrowEnd) {
      return true;
    }
  }
  return false;
}

/// Instructions of an operation, roughly.
int weight(const Instr& in) {
  switch (scalar_op_info(in.scalar).kind) {
    case ScalarKind::compare:
    case ScalarKind::select:
    case ScalarKind::convert:
    case ScalarKind::integer:
    case ScalarKind::round:
      return 1;
    case ScalarKind::narrow:
      return 4;
    default:
      break;
  }
  switch (in.scalar) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::fma:
    case ScalarOp::neg:
    case ScalarOp::abs:
    case ScalarOp::minimum:
    case ScalarOp::maximum:
      return 1;
    default:
      return 12;
  }
}

/// What packing multiplies in registers and code.
int weight(const Kernel& kernel) {
  int total = 0;
  for (const Instr& in : kernel.code) {
    total += in.kind == InstrKind::op ? weight(in) : 0;
  }
  return total;
}

/// Elements that a thread takes at once: as many as 16 bytes of the widest operand hold.
int choose_pack(const Kernel& kernel, const DeviceCall& call, const CudaVariant& variant) {
  std::int64_t widest = 1;
  bool any = false;
  for (std::size_t k = 0; k < kernel.operands.size(); ++k) {
    if (variant.strides[k] == StrideClass::unit && kernel.operands[k].level == Level::element) {
      widest = std::max(widest, size_bytes(kernel.operands[k].dtype, 1));
      any = true;
    }
  }
  int pack = static_cast<int>(16 / widest);
  while (pack > 1 && pack * weight(kernel) > 128) {
    pack /= 2;
  }
  const auto fits = [&](std::int64_t stride, std::int64_t bytes) { return stride % bytes == 0; };
  for (std::size_t k = 0; k < kernel.operands.size() && pack > 1; ++k) {
    if (variant.strides[k] != StrideClass::unit || kernel.operands[k].level == Level::row) {
      continue;
    }
    const std::size_t loops = call.loop_sizes.size();
    const auto aligned = [&](std::int64_t bytes) {
      bool all = call.data[k] % static_cast<std::uint64_t>(bytes) == 0 &&
                 (call.rows <= 1 || fits(call.row_stride[k], bytes));
      for (std::size_t l = 0; l < loops; ++l) {
        all = all && fits(call.loop_strides[k * loops + l], bytes);
      }
      return all;
    };
    while (pack > 1 && !aligned(pack * size_bytes(kernel.operands[k].dtype, 1))) {
      pack /= 2;
    }
  }
  while (pack > 1 && call.cols % pack != 0) {
    pack /= 2;
  }
  return any ? std::max(pack, 1) : 1;
}

std::int64_t blocks_of(const DeviceCall& call) {
  const std::int64_t steps = call.outer * ((call.cols + 15) / 16);
  return (steps + 63) / 64;
}

Form choose_form(const Kernel& kernel, const DeviceCall& call, const LaunchLimits& limits) {
  if (!limits.choose_form) {
    return limits.form;
  }
  if (can_flatten(kernel)) {
    return Form::flat;
  }
  if (prefers_columns(kernel, call.rows, call.cols, call.row_stride, call.col_stride)) {
    return Form::columns;
  }
  const std::int64_t busy =
      std::int64_t{limits.multiprocessors} * kBlocksPerMultiprocessor * kHalfWarps;
  const bool many = call.all_rows() >= busy;
  return blocks_of(call) <= (many ? 4 : 1) ? Form::rows : Form::block;
}

/// Whether so few rows are so long that their blocks should go over the whole GPU.
bool choose_split(const Kernel& kernel, const DeviceCall& call, Form form,
                  const LaunchLimits& limits) {
  if (!can_split(kernel) || form == Form::flat || blocks_of(call) == 0) {
    return false;
  }
  if (!limits.choose_split) {
    return limits.split;
  }
  const std::int64_t groups = (call.all_rows() + rows_at_once(form) - 1) / rows_at_once(form);
  return groups < limits.multiprocessors && call.row_elements() >= 32 * kBlockElements;
}

unsigned grid_of(std::int64_t items, const LaunchLimits& limits) {
  const std::int64_t most = std::int64_t{limits.multiprocessors} * kBlocksPerMultiprocessor;
  return static_cast<unsigned>(std::clamp<std::int64_t>(items, 1, most));
}

std::int64_t groups_of(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

/// The launch of the form of `variant`; columns and rows are the forms of partial results.
CudaLaunch make_launch(const DeviceCall& call, CudaVariant variant, const LaunchLimits& limits) {
  const std::int64_t rows = call.all_rows();
  const std::int64_t blocks = blocks_of(call);
  std::int64_t items = 0;
  switch (variant.form) {
    case Form::flat:
      items = groups_of(rows * call.cols / variant.pack, kThreads);
      break;
    case Form::rows:
      items = groups_of(variant.stage == Stage::partial ? rows * blocks : rows, kHalfWarps);
      break;
    case Form::block:
      items = rows;
      break;
    default:
      items = groups_of(rows, kColumnRows) * (variant.stage == Stage::partial ? blocks : 1);
  }
  const auto threads = static_cast<unsigned>(threads_of(variant.form));
  return {std::move(variant), grid_of(items, limits), threads};
}

}  // namespace

CudaPlan plan_call(const Kernel& kernel, const DeviceCall& call, const LaunchLimits& limits) {
  CudaPlan plan;
  if (call.all_rows() == 0 || (can_flatten(kernel) && call.row_elements() == 0)) {
    return plan;
  }
  CudaVariant variant;
  variant.form = choose_form(kernel, call, limits);
  variant.wide = limits.force_wide || needs_wide(call);
  variant.loops = static_cast<int>(call.loop_sizes.size());
  for (std::size_t k = 0; k < kernel.operands.size(); ++k) {
    variant.strides.push_back(stride_class(call.col_stride[k], kernel.operands[k].dtype));
  }
  if (choose_split(kernel, call, variant.form, limits)) {
    variant.stage = Stage::partial;
    variant.form = variant.form == Form::columns ? Form::columns : Form::rows;
    plan.launches.push_back(make_launch(call, variant, limits));
    variant.stage = Stage::finish;
    variant.form = Form::block;
    plan.launches.push_back(make_launch(call, variant, limits));
    plan.scratch_bytes = call.all_rows() * blocks_of(call) * partial_words(kernel) * 8;
    return plan;
  }
  if (variant.form == Form::flat) {
    variant.one_row = call.all_rows() == 1;
    variant.pack = limits.allow_packs ? choose_pack(kernel, call, variant) : 1;
  }
  plan.launches.push_back(make_launch(call, variant, limits));
  if (const int bytes = spill_bytes(kernel); bytes > 0) {
    const std::int64_t kept = (call.row_elements() + 1) / 2 * 2;
    plan.scratch_bytes = plan.launches[0].grid * rows_at_once(variant.form) * kept * bytes;
  }
  return plan;
}

std::vector<std::uint64_t> pack_parameters(const DeviceCall& call, std::uint64_t scratch) {
  std::vector<std::uint64_t> words;
  const auto put = [&](std::int64_t word) { words.push_back(static_cast<std::uint64_t>(word)); };
  put(call.rows);
  put(call.outer);
  put(call.cols);
  put(call.all_rows());
  put(call.first_index);
  words.push_back(scratch);
  const std::size_t loops = call.loop_sizes.size();
  for (const std::int64_t size : call.loop_sizes) {
    put(size);
  }
  if (loops == 0) {
    put(1);
  }
  words.insert(words.end(), call.scalars.begin(), call.scalars.end());
  if (call.scalars.empty()) {
    put(0);
  }
  for (std::size_t k = 0; k < call.data.size(); ++k) {
    words.push_back(call.data[k]);
    put(call.row_stride[k]);
    put(call.outer_stride[k]);
    put(call.col_stride[k]);
    for (std::size_t l = 0; l < loops; ++l) {
      put(call.loop_strides[k * loops + l]);
    }
    if (loops == 0) {
      put(0);
    }
  }
  return words;
}

}  // namespace rondo::codegen::cuda
