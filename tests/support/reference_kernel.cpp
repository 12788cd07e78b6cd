#include "tests/support/reference_kernel.h"

#include <cstring>
#include <limits>
#include <vector>

#include "codegen/scalar/block.h"
#include "core/base/error.h"

namespace rondo::codegen {
namespace {

/// A value of any class, in its low bytes.
using Bits = std::uint64_t;

template <class T>
T as(Bits bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class T>
Bits bits_of(T value) {
  Bits bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

Bits apply(ScalarOp op, Reg reg, Bits a, Bits b = 0, Bits c = 0) {
  Bits out = 0;
  block_function(op, reg)(1, &out, &a, &b, &c);
  return out;
}

Bits load(Dtype dtype, const std::byte* memory) {
  Bits out = 0;
  load_function(dtype)(1, &out, memory, 0);
  return out;
}

/// Calls body(value) with a null of the type of `reg`.
template <class Body>
auto with_type(Reg reg, Body body) {
  switch (reg) {
    case Reg::i32:
      return body(std::int32_t{});
    case Reg::i64:
      return body(std::int64_t{});
    case Reg::f32:
      return body(float{});
    default:
      return body(double{});
  }
}

Bits one(Reg reg) {
  return with_type(reg, [](auto type) { return bits_of(static_cast<decltype(type)>(1)); });
}

/// The start of a maximum (largest: false) or a minimum (largest: true).
Bits extreme(Reg reg, bool largest) {
  return with_type(reg, [&](auto type) {
    using Limits = std::numeric_limits<decltype(type)>;
    if (Limits::has_infinity) {
      return bits_of(largest ? Limits::infinity() : -Limits::infinity());
    }
    return bits_of(largest ? Limits::max() : Limits::min());
  });
}

bool is_nan(Reg reg, Bits x) {
  return with_type(reg, [&](auto type) { return as<decltype(type)>(x) != as<decltype(type)>(x); });
}

bool is_less(Reg reg, Bits a, Bits b) {
  return with_type(reg, [&](auto type) { return as<decltype(type)>(a) < as<decltype(type)>(b); });
}

/// The lanes of a sum, product, maximum, minimum or dot.
class Fold {
 public:
  Fold(ReduceKind kind, Reg reg) : kind_(kind), reg_(reg) {}

  Bits identity() const {
    switch (kind_) {
      case ReduceKind::product:
        return one(reg_);
      case ReduceKind::maximum:
      case ReduceKind::minimum:
        return extreme(reg_, kind_ == ReduceKind::minimum);
      default:
        return 0;
    }
  }

  Bits combine(Bits a, Bits b) const {
    switch (kind_) {
      case ReduceKind::product:
        return apply(ScalarOp::mul, reg_, a, b);
      case ReduceKind::maximum:
        return apply(ScalarOp::maximum, reg_, a, b);
      case ReduceKind::minimum:
        return apply(ScalarOp::minimum, reg_, a, b);
      default:
        return apply(ScalarOp::add, reg_, a, b);
    }
  }

  Bits step(Bits lane, Bits a, Bits b) const {
    return kind_ == ReduceKind::dot ? apply(ScalarOp::fma, reg_, a, b, lane) : combine(lane, a);
  }

 private:
  ReduceKind kind_;
  Reg reg_;
};

/// The values of one instruction over a row: one of a row value, outer * cols of an element value.
struct Values {
  std::vector<Bits> bits;
  Bits at(std::int64_t element) const {
    return bits[bits.size() == 1 ? 0 : static_cast<std::size_t>(element)];
  }
};

Bits combined_lanes(const Fold& fold, std::vector<Bits> lanes) {
  for (std::size_t half = 8; half >= 1; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) {
      lanes[l] = fold.combine(lanes[l], lanes[l + half]);
    }
  }
  return lanes[0];
}

Bits fold_row(const Fold& fold, const Values& a, const Values& b, std::int64_t outer,
              std::int64_t cols) {
  constexpr int kSteps = 64;
  const std::vector<Bits> start(16, fold.identity());
  std::vector<Bits> lanes = start;
  std::vector<Bits> blocks;
  int steps = 0;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t first = 0; first < cols; first += 16) {
      for (std::int64_t c = first; c < first + 16 && c < cols; ++c) {
        Bits& lane = lanes[static_cast<std::size_t>(c - first)];
        lane = fold.step(lane, a.at(o * cols + c), b.at(o * cols + c));
      }
      if (++steps == kSteps) {
        blocks.push_back(combined_lanes(fold, lanes));
        lanes = start;
        steps = 0;
      }
    }
  }
  if (steps != 0) {
    blocks.push_back(combined_lanes(fold, lanes));
  }
  if (blocks.empty()) {
    return fold.identity();
  }
  Bits result = blocks[0];
  for (std::size_t n = 1; n < blocks.size(); ++n) {
    result = fold.combine(result, blocks[n]);
  }
  return result;
}

Bits place_of_extreme(ReduceKind kind, Reg reg, const Values& a, std::int64_t elements) {
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < elements; ++i) {
    const Bits x = a.at(i);
    const Bits y = a.at(best);
    const bool beyond = kind == ReduceKind::argmax ? is_less(reg, y, x) : is_less(reg, x, y);
    if (beyond || (is_nan(reg, x) && !is_nan(reg, y))) {
      best = i;
    }
  }
  return bits_of(best);
}

struct Write {
  std::byte* to;
  Dtype dtype;
  Bits bits;
};

class Reference {
 public:
  Reference(const Kernel& kernel, const KernelArgs& args) : kernel_(kernel), args_(args) {}

  void run() {
    for (std::int64_t r = 0; r < args_.rows; ++r) {
      std::vector<Values> row;
      for (const Instr& in : kernel_.code) {
        row.push_back(in.kind == InstrKind::reduce ? reduce(in, row) : evaluate(in, row, r));
      }
    }
    for (const Write& write : writes_) {
      store_function(write.dtype)(1, write.to, 0, &write.bits);
    }
  }

 private:
  std::byte* place(int operand, std::int64_t r, std::int64_t o, std::int64_t c) const {
    const bool element =
        kernel_.operands[static_cast<std::size_t>(operand)].level == Level::element;
    std::byte* row = args_.data[operand] + r * args_.row_stride[operand];
    return element ? row + o * args_.outer_stride[operand] + c * args_.col_stride[operand] : row;
  }

  Values reduce(const Instr& in, const std::vector<Values>& row) const {
    const auto a = static_cast<std::size_t>(in.a);
    const auto b = static_cast<std::size_t>(in.b < 0 ? in.a : in.b);
    const Reg reg = kernel_.code[a].reg;
    if (in.reduce == ReduceKind::argmax || in.reduce == ReduceKind::argmin) {
      return {{place_of_extreme(in.reduce, reg, row[a], args_.outer * args_.cols)}};
    }
    return {{fold_row(Fold(in.reduce, reg), row[a], row[b], args_.outer, args_.cols)}};
  }

  Values evaluate(const Instr& in, const std::vector<Values>& row, std::int64_t r) {
    Values out;
    if (in.level == Level::row) {
      out.bits.push_back(value(in, row, r, 0, 0));
      return out;
    }
    for (std::int64_t o = 0; o < args_.outer; ++o) {
      for (std::int64_t c = 0; c < args_.cols; ++c) {
        out.bits.push_back(value(in, row, r, o, c));
      }
    }
    return out;
  }

  Bits value(const Instr& in, const std::vector<Values>& row, std::int64_t r, std::int64_t o,
             std::int64_t c) {
    const std::int64_t element = o * args_.cols + c;
    const auto use = [&](int i) {
      return i < 0 ? Bits{0} : row[static_cast<std::size_t>(i)].at(element);
    };
    switch (in.kind) {
      case InstrKind::constant:
        return in.bits;
      case InstrKind::scalar:
        return args_.scalars[in.operand];
      case InstrKind::load:
        return load(dtype_of(in), place(in.operand, r, o, c));
      case InstrKind::index:
        return bits_of(args_.first_index + r * args_.outer * args_.cols + element);
      case InstrKind::op: {
        const int typed = in.scalar == ScalarOp::select ? in.b : in.a;
        return apply(in.scalar, kernel_.code[static_cast<std::size_t>(typed)].reg, use(in.a),
                     use(in.b), use(in.c));
      }
      default:
        writes_.push_back({place(in.operand, r, o, c), dtype_of(in), use(in.a)});
        return 0;
    }
  }

  Dtype dtype_of(const Instr& in) const {
    return kernel_.operands[static_cast<std::size_t>(in.operand)].dtype;
  }

  const Kernel& kernel_;
  const KernelArgs& args_;
  std::vector<Write> writes_;
};

}  // namespace

void run_reference(const Kernel& kernel, const KernelArgs& args) {
  Reference(kernel, args).run();
}

}  // namespace rondo::codegen
