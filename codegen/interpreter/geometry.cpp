#include "codegen/interpreter/geometry.h"

#include <algorithm>

#include "codegen/canonical_order.h"
#include "codegen/round_up.h"

namespace rondo::codegen::interpreter {
namespace {

// Columns order needs some rows to be worth it.
constexpr std::int64_t kFewRows = 8;
// Reductions over rows this short keep them whole in columns order.
constexpr std::int64_t kShortRow = kReduceLanes;
// Elements of the rows that several phases go over in columns order, and the fewest such rows.
constexpr std::int64_t kTileElements = 131072;
constexpr std::int64_t kSmallTile = 32;
// A block of a kernel that transposes: both sides touch whole cache lines.
constexpr std::int64_t kTransposedCols = 64;

/// `size` elements in equal pieces of at most `most`, a piece being whole steps of a reduction.
std::int64_t piece_of(std::int64_t size, std::int64_t most) {
  const std::int64_t piece = divide_up(size, divide_up(size, most));
  return round_up(piece, kReduceLanes);
}

class Cutter {
 public:
  Cutter(const InterpretedProgram& program, const KernelArgs& args, Schedule schedule, View* views,
         Geometry& geometry)
      : program_(program), count_(program.operands.size()), views_(views), g_(geometry) {
    for (std::size_t p = 0; p < count_; ++p) {
      views_[p] = {args.data[p],
                   args.row_stride[p],
                   args.outer_stride == nullptr ? 0 : args.outer_stride[p],
                   args.col_stride[p],
                   false,
                   false};
    }
    g_.rows = args.rows;
    g_.outer = args.outer;
    g_.cols = args.cols;
    g_.columns = schedule == Schedule::columns && args.rows >= kFewRows;
  }

  void cut() {
    if (program_.folds == 0) {
      cut_elements();
    } else if (g_.columns) {
      cut_columns();
    } else {
      cut_rows();
    }
    for (std::size_t p = 0; p < count_; ++p) {
      set_density(p);
    }
  }

 private:
  std::int64_t bytes(std::size_t operand) const { return program_.operands[operand].bytes; }
  bool is_element(std::size_t operand) const { return program_.operands[operand].is_element; }

  template <class Question>
  bool each_element(Question question) const {
    for (std::size_t p = 0; p < count_; ++p) {
      if (is_element(p) && !question(p)) {
        return false;
      }
    }
    return true;
  }

  /// Whether each column begins in memory where the one before ends, and no index can tell.
  bool columns_continue() const {
    return !program_.has_index &&
           each_element([&](std::size_t p) { return views_[p].col == g_.rows * views_[p].row; });
  }

  /// The same of rows, in the order of which indices rise.
  bool rows_continue() const {
    return each_element([&](std::size_t p) { return views_[p].row == g_.cols * views_[p].col; });
  }

  /// Rows and columns as one, where no operand and no index can tell.
  void join() {
    if (program_.has_row_memory || g_.outer != 1) {
      return;
    }
    if (g_.cols == 1 || (g_.columns && columns_continue())) {
      g_.columns = false;
      for (std::size_t p = 0; p < count_; ++p) {
        views_[p].col = views_[p].row;
      }
    } else if (g_.columns || !rows_continue()) {
      return;
    }
    g_.cols *= g_.rows;
    g_.rows = 1;
  }

  bool transposes() const {
    return g_.rows >= kFewRows && g_.cols >= kTransposedCols && !each_element([&](std::size_t p) {
             return views_[p].row != bytes(p) || views_[p].col == bytes(p);
           });
  }

  void cut_elements() {
    g_.body = &program_.streamed;
    join();
    const std::int64_t block = g_.body->block;
    std::int64_t& inner = g_.columns ? g_.tile_rows : g_.block_cols;
    std::int64_t& other = g_.columns ? g_.block_cols : g_.tile_rows;
    const std::int64_t inner_size = g_.columns ? g_.rows : g_.cols;
    const std::int64_t other_size = g_.columns ? g_.cols : g_.rows;
    if (!g_.columns && transposes()) {
      inner = kTransposedCols;
    } else if (inner_size > block) {
      inner = std::min(block, piece_of(inner_size, block));
    } else {
      inner = inner_size;
    }
    other = 1;
    if (other_size > 1) {
      other = std::clamp<std::int64_t>(block / std::max<std::int64_t>(inner, 1), 1, other_size);
    }
    g_.single = g_.block_cols >= g_.cols;
  }

  /// Whether the reductions can read rows in memory as they are.
  bool is_bare() const {
    return program_.streamed.bare && each_element([&](std::size_t p) { return is_lined(p); });
  }

  void whole_rows(const Body& body, std::int64_t rows) {
    g_.body = &body;
    g_.tile_rows = std::clamp<std::int64_t>(rows, 1, g_.rows);
    g_.block_outer = g_.outer;
    g_.block_cols = g_.cols;
  }

  void cut_rows() {
    const std::int64_t total = g_.outer * g_.cols;
    const std::int64_t block = program_.resident.block;
    if (is_bare()) {
      whole_rows(program_.streamed, program_.streamed.block);
    } else if (total <= block) {
      whole_rows(program_.resident, block / std::max<std::int64_t>(total, 1));
    } else {
      stream(program_.streamed.block);
    }
  }

  void cut_columns() {
    const std::int64_t total = g_.outer * g_.cols;
    if (is_bare()) {
      whole_rows(program_.streamed, std::min(kColumnTile, program_.streamed.block));
    } else if (total <= kShortRow) {
      whole_rows(program_.resident,
                 std::min(kColumnTile, program_.resident.block / std::max<std::int64_t>(total, 1)));
    } else {
      g_.tile_rows = std::min({kColumnTile, program_.streamed.block, g_.rows});
      if (program_.streamed.phases.size() > 1) {  // the next phase should find the tile in cache
        g_.tile_rows =
            std::clamp(kTileElements / total, std::min(kSmallTile, g_.tile_rows), g_.tile_rows);
      }
      stream(std::max<std::int64_t>(program_.streamed.block / g_.tile_rows, 1));
    }
  }

  /// Rows in pieces of up to `block` elements: columns of one o, or some o's.
  void stream(std::int64_t block) {
    g_.body = &program_.streamed;
    g_.single = false;
    if (g_.cols <= block) {
      g_.block_cols = g_.cols;
      g_.block_outer = std::min(g_.outer, block / g_.cols);
    } else if (block < kReduceLanes) {
      g_.block_cols = block;
    } else {
      const std::int64_t whole_steps = block / kReduceLanes * kReduceLanes;
      g_.block_cols = std::min(whole_steps, piece_of(g_.cols, block));
    }
  }

  bool is_lined(std::size_t p) const {
    return g_.columns ? views_[p].row == bytes(p) : g_.cols == 1 || views_[p].col == bytes(p);
  }

  void set_density(std::size_t p) {
    View& view = views_[p];
    view.lined = is_lined(p);
    const std::int64_t size = bytes(p);
    if (!is_element(p)) {
      return;
    }
    const std::int64_t rows = g_.tile_rows;
    const std::int64_t cols = g_.block_cols;
    const bool whole_cols = cols >= g_.cols;
    if (g_.columns) {
      const bool alone = g_.block_outer == 1 && cols == 1;
      view.dense = view.lined && (alone || rows == g_.rows) &&
                   (cols == 1 || view.col == rows * size) &&
                   (g_.block_outer == 1 || view.outer == cols * rows * size);
    } else {
      view.dense = view.lined && (rows == 1 || whole_cols) &&
                   (g_.block_outer == 1 || view.outer == cols * size) &&
                   (rows == 1 || view.row == g_.block_outer * cols * size);
    }
  }

  const InterpretedProgram& program_;
  std::size_t count_;
  View* views_;
  Geometry& g_;
};

}  // namespace

void cut(const InterpretedProgram& program, const KernelArgs& args, Schedule schedule, View* views,
         Geometry& geometry) {
  Cutter(program, args, schedule, views, geometry).cut();
}

}  // namespace rondo::codegen::interpreter
