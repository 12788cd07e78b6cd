// The forms that go along rows: phase after phase, each a loop over the row's steps of 16 elements,
// with its reductions in the canonical order.
#include <algorithm>

#include "codegen/cuda/emitter.h"

namespace rondo::codegen::cuda {
namespace {

class RowProgram final : public Emitter {
 public:
  RowProgram(const Kernel& kernel, const CudaVariant& variant, const std::string& name)
      : Emitter(kernel, variant, name),
        columns_(variant.form == Form::columns),
        block_(variant.form == Form::block),
        partial_(variant.stage == Stage::partial),
        finish_(variant.stage == Stage::finish),
        outer_(kernel.has_reduction()) {}

 private:
  void emit_loops() override;
  void emit_threads();
  void open_rows();
  void emit_spill_addresses();
  void emit_phase(const Phase& phase, bool first);
  void emit_row_code(const Phase& phase);
  void emit_row_store(int n);
  void emit_partials(const Phase& phase);
  void emit_blocks(const Phase& phase);
  void emit_one_block(const Phase& phase);
  void emit_elements(const Phase& phase);
  void end_block(const Phase& phase);
  std::string fold_type(int n) const;
  std::string spill_address(int n) const;
  std::string partial_address() const {
    return fmt::format("p.scratch + (static_cast<I64>(r) * blocks) * {}",
                       8 * partial_words(kernel_));
  }
  bool has_work(const Phase& phase) const {
    return !phase.element_code.empty() || !phase.reductions.empty();
  }

  const bool columns_, block_, partial_, finish_, outer_;
};

void RowProgram::emit_loops() {
  emit_threads();
  open_rows();
  emit_row_addresses("r", true);
  emit_spill_addresses();
  for (std::size_t q = 0; q < (partial_ ? 1 : phases_.size()); ++q) {
    emit_phase(phases_[q], q == 0);
  }
  source_.close();
}

/// Which lane a thread is, and the steps of a row.
void RowProgram::emit_threads() {
  if (columns_) {
    source_.line("const int x = threadIdx.x % {};", kColumnRows);
    source_.line("const int lane = threadIdx.x / {};", kColumnRows);
    source_.line("const I tiles = (static_cast<I>(p.all_rows) + {}) / {};", kColumnRows - 1,
                 kColumnRows);
  } else {
    source_.line("const int lane = threadIdx.x & 15;");
    source_.line("const int half_warp = threadIdx.x / 16;");
    source_.line("const unsigned mask = 0xFFFFU << (threadIdx.x & 16);");
  }
  source_.line("const I all_rows = static_cast<I>(p.all_rows);");
  source_.line("const I cols = static_cast<I>(p.cols);");
  source_.line("const I line_steps = (cols + 15) / 16;");
  source_.line("const I steps = {}line_steps;", outer_ ? "static_cast<I>(p.outer) * " : "");
  source_.line("const I blocks = (steps + {}) / {};", 63, 64);
}

void RowProgram::open_rows() {
  const char* first = "static_cast<I>(blockIdx.x)";
  const char* grid = "static_cast<I>(gridDim.x)";
  if (columns_) {
    source_.line("const I items = tiles{};", partial_ ? " * blocks" : "");
    source_.open("for (I item = {}; item < items; item += {})", first, grid);
    source_.line("const I tile = item{};", partial_ ? " / blocks" : "");
    source_.line("const I own_row = tile * {} + x;", kColumnRows);
    source_.line("const bool active = own_row < all_rows;");
    source_.line("const I r = active ? own_row : all_rows - 1;");
  } else if (block_) {
    source_.open("for (I r = {}; r < all_rows; r += {})", first, grid);
  } else {
    source_.line("const I items = all_rows{};", partial_ ? " * blocks" : "");
    source_.open("for (I item = {} * {} + half_warp; item < items; item += {} * {})", first,
                 kHalfWarps, grid, kHalfWarps);
    source_.line("const I r = item{};", partial_ ? " / blocks" : "");
  }
  if (partial_) {
    source_.line("const I b = item % blocks;");
  }
}

/// Registers of 8 bytes come first, so that all are aligned.
void RowProgram::emit_spill_addresses() {
  const int bytes = spill_bytes(kernel_);
  if (bytes == 0) {
    return;
  }
  const char* slot = columns_ ? "blockIdx.x"
                     : block_ ? "blockIdx.x"
                              : "(blockIdx.x * 16 + half_warp)";
  source_.line("const I64 kept = (static_cast<I64>(p.outer) * p.cols + 1) / 2 * {};",
               columns_ ? 2 * kColumnRows : 2);
  source_.line("char* const spills = p.scratch + static_cast<I64>({}) * kept * {};", slot, bytes);
  int before = 0;
  for (const std::int64_t size : {8, 4}) {
    for (std::size_t n = 0; n < kernel_.code.size(); ++n) {
      if (kernel_.code[n].spill && reg_bytes(kernel_.code[n].reg) == size) {
        source_.line("char* const s{} = spills + kept * {};", n, before);
        before += static_cast<int>(size);
      }
    }
  }
}

std::string RowProgram::spill_address(int n) const {
  const char* type = reg_type(instr(n).reg);
  const std::string at =
      columns_ ? fmt::format("static_cast<I64>(e) * {} + x", kColumnRows) : std::string("e");
  return fmt::format("reinterpret_cast<{}*>(s{})[{}]", type, n, at);
}

std::string RowProgram::fold_type(int n) const {
  const Instr& in = instr(n);
  return fmt::format("Fold<FoldKind::{}, {}>", reduce_name(in.reduce), reg_type(instr(in.a).reg));
}

void RowProgram::emit_phase(const Phase& phase, bool first) {
  emit_row_code(phase);
  if (!has_work(phase)) {
    return;
  }
  for (const int n : phase.reductions) {
    source_.line("auto r{} = {}::identity();", n, fold_type(n));
  }
  if (first && finish_) {
    emit_partials(phase);
  } else if (partial_) {
    emit_one_block(phase);
    end_block(phase);
  } else {
    emit_blocks(phase);
  }
  if (!partial_) {
    for (const int n : phase.reductions) {
      if (columns_) {
        source_.line("r{} = from_lane_0<{}>(r{}, lane, x);", n, kColumnRows, n);
      }
      source_.line("const {} v{} = r{}.result();", reg_type(instr(n).reg), n, n);
    }
  }
}

void RowProgram::emit_row_code(const Phase& phase) {
  for (const int n : phase.row_code) {
    const Instr& in = instr(n);
    if (in.kind == InstrKind::store) {
      if (!partial_) {
        emit_row_store(n);
      }
    } else if (is_uniform(n)) {
      continue;
    } else if (in.kind == InstrKind::load) {
      emit_load(n, fmt::format("a{}", in.operand));
    } else {
      emit_op(n);
    }
  }
}

/// All threads of the row have read what one of them may overwrite.
void RowProgram::emit_row_store(int n) {
  source_.line("{};", columns_ || block_ ? "__syncthreads()" : "__syncwarp(mask)");
  source_.open("if ({})", columns_ ? "lane == 0 && active"
                          : block_ ? "threadIdx.x == 0"
                                   : "lane == 0");
  emit_store(n, fmt::format("a{}", instr(n).operand));
  source_.close();
}

void RowProgram::emit_partials(const Phase& phase) {
  int words = 0;
  for (const int n : phase.reductions) {
    source_.line("r{} = fold_partials<{}, {}>({} + {}, blocks, {});", n, kThreads, fold_type(n),
                 partial_address(), 8 * words, 8 * partial_words(kernel_));
    words += gives_place(instr(n).reduce) ? 2 : 1;
  }
}

void RowProgram::emit_blocks(const Phase& phase) {
  if (!block_) {
    source_.open("for (I b = 0; b < blocks; ++b)");
    emit_one_block(phase);
    end_block(phase);
    source_.close();
    return;
  }
  source_.open("for (I begin = 0; begin < blocks; begin += {})", kHalfWarps);
  source_.line("const I b = begin + half_warp;");
  emit_one_block(phase);
  end_block(phase);
  source_.close();
}

/// The steps of block b: lanes f<n>.
void RowProgram::emit_one_block(const Phase& phase) {
  for (const int n : phase.reductions) {
    source_.line("auto f{} = {}::identity();", n, fold_type(n));
  }
  source_.line("const I b_end = b * 64 + 64 < steps ? b * 64 + 64 : steps;");
  if (outer_) {
    source_.line("I o = b * 64 / line_steps;");
    source_.line("I j = b * 64 - o * line_steps;");
  } else {
    source_.line("I j = b * 64;");
  }
  source_.open("for (I s = b * 64; s < b_end; ++s)");
  source_.line("const I c = j * 16 + lane;");
  source_.open("if (c < cols{})", columns_ ? " && active" : "");
  emit_elements(phase);
  source_.close();
  if (outer_) {
    source_.open("if (++j == line_steps)");
    source_.line("j = 0;");
    source_.line("++o;");
    source_.close();
  } else {
    source_.line("++j;");
  }
  source_.close();
}

void RowProgram::emit_elements(const Phase& phase) {
  const std::string o = outer_ ? "o" : "";
  source_.line("const I e = {}c;", outer_ ? "o * cols + " : "");
  for (const int n : phase.reloads) {
    source_.line("const {} v{} = {};", reg_type(instr(n).reg), n, spill_address(n));
  }
  for (const int n : phase.element_code) {
    const Instr& in = instr(n);
    if (in.kind == InstrKind::op) {
      emit_op(n);
    } else if (in.kind == InstrKind::index) {
      source_.line("const I64 v{} = p.first_index + static_cast<I64>(r) * p.outer * p.cols + e;",
                   n);
    } else if (in.kind == InstrKind::load) {
      emit_load(n, element_address(in.operand, o, "c"));
    } else {
      emit_store(n, element_address(in.operand, o, "c"));
    }
    if (std::find(phase.spills.begin(), phase.spills.end(), n) != phase.spills.end()) {
      source_.line("{} = v{};", spill_address(n), n);
    }
  }
  for (const int n : phase.reductions) {
    const Instr& in = instr(n);
    source_.line("f{}.take(v{}, v{}, e);", n, in.a, in.b < 0 ? in.a : in.b);
  }
}

void RowProgram::end_block(const Phase& phase) {
  if (partial_) {
    source_.line("char* const kept = {} + static_cast<I64>(b) * {};", partial_address(),
                 8 * partial_words(kernel_));
  }
  int words = 0;
  for (const int n : phase.reductions) {
    if (columns_) {
      source_.line("const auto t{} = over_lanes_of_columns<{}>(f{}, lane, x);", n, kColumnRows, n);
    } else {
      source_.line("const auto t{} = f{}.over_lanes(mask);", n, n);
    }
    if (partial_) {
      source_.open("if (lane == 0{})", columns_ ? " && active" : "");
      source_.line("put_partial(kept + {}, t{});", 8 * words, n);
      source_.close();
      words += gives_place(instr(n).reduce) ? 2 : 1;
    } else if (block_) {
      source_.line(
          "append_round<{}>(r{}, t{}, half_warp, blocks - begin < {} ? blocks - begin : {}, "
          "begin == 0);",
          kHalfWarps, n, n, kHalfWarps, kHalfWarps);
    } else {
      source_.line("r{}.append(t{}, b == 0);", n, n);
    }
  }
}

}  // namespace

std::string emit_row_program(const Kernel& kernel, const CudaVariant& variant,
                             const std::string& name) {
  return RowProgram(kernel, variant, name).emit();
}

}  // namespace rondo::codegen::cuda
