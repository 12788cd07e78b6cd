#include "core/ops/order.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/ops/create.h"
#include "core/ops/index.h"
#include "core/ops/join.h"
#include "core/ops/memory.h"

namespace rondo {
namespace {

using detail::AxisSplit;

int axis_of(const OpArgs& args) {
  return normalize_axis(args.attr("dim").as_int(), args.inputs[0].rank(), args.op.name);
}

/// True if `a` stands before `b` in rising order; NaN stands last.
template <class T>
bool rises(T a, T b) {
  return a < b || (b != b && a == a);
}

template <class T>
struct Keyed {
  T value;
  std::int64_t place;
};

/// Brings the first `count` keys to the front, in order; equal values keep the order of their
/// places.
template <class T>
void order_keys(std::vector<Keyed<T>>& keys, std::int64_t count, bool falling) {
  const auto before = [falling](const Keyed<T>& a, const Keyed<T>& b) {
    const bool first = falling ? rises(b.value, a.value) : rises(a.value, b.value);
    const bool last = falling ? rises(a.value, b.value) : rises(b.value, a.value);
    return first || (!last && a.place < b.place);
  };
  if (count * 4 < static_cast<std::int64_t>(keys.size())) {
    std::partial_sort(keys.begin(), keys.begin() + count, keys.end(), before);
  } else {
    std::sort(keys.begin(), keys.end(), before);
  }
}

/// Orders the elements along an axis and stores the first `count` of each line with their places.
void order_lines(const OpArgs& args, std::span<Tensor> outputs, bool falling, std::int64_t count) {
  const Tensor input = detail::dense(args.inputs[0]);
  const AxisSplit split = detail::split_axis(input.shape(), axis_of(args));
  detail::visit_element(input.dtype(), [&](auto element) {
    using Element = decltype(element);
    using Storage = typename Element::Storage;
    const auto* from = detail::elements<Storage>(input);
    auto* values = detail::raw_elements<Storage>(outputs[0]);
    auto* places = detail::raw_elements<std::int64_t>(outputs[1]);
    const auto order_line = [&](std::int64_t line, auto& keys) {
      const std::int64_t o = line / split.inner;
      const std::int64_t i = line % split.inner;
      const auto* source = from + o * split.size * split.inner + i;
      for (std::int64_t k = 0; k < split.size; ++k) {
        keys[static_cast<std::size_t>(k)] = {Element::load(source[k * split.inner]), k};
      }
      order_keys(keys, count, falling);
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t place = keys[static_cast<std::size_t>(k)].place;
        const std::int64_t to = (o * count + k) * split.inner + i;
        values[to] = source[place * split.inner];
        places[to] = place;
      }
    };
    const std::int64_t lines = split.outer * split.inner;
    parallel_for(lines, detail::grain_for(split.size * 8), [&](std::int64_t b, std::int64_t e) {
      std::vector<Keyed<typename Element::Compute>> keys(static_cast<std::size_t>(split.size));
      for (std::int64_t line = b; line < e; ++line) {
        order_line(line, keys);
      }
    });
  });
}

}  // namespace

void Sort::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  axis_of(args);
  outputs.push_back({args.inputs[0].shape(), args.inputs[0].dtype()});
  outputs.push_back({args.inputs[0].shape(), Dtype::int64});
}

void Sort::run(const OpArgs& args, std::span<Tensor> outputs) {
  const AxisSplit split = detail::split_axis(args.inputs[0].shape(), axis_of(args));
  order_lines(args, outputs, args.attr("descending").as_bool(), split.size);
}

void Sort::gradient(GradContext& g) {
  if (g.grad().defined()) {
    g.set("input", gather_backward(g.grad(), g.attr("dim"), g.output(1), g.meta(0).shape));
  }
}

void Argsort::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  outputs.push_back(sort(args.inputs[0], args.attrs[0], args.attrs[1])[1]);
}

void Topk::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Tensor& input = args.inputs[0];
  check_dtype(args.op, "input", input.dtype());
  const int axis = axis_of(args);
  const std::int64_t k = args.attr("k").as_int();
  const std::int64_t size = input.rank() == 0 ? 1 : input.shape()[axis];
  check<ArgumentError>(k >= 0 && k <= size, "topk: k is {}; axis {} of shape {} has {} elements", k,
                       axis, input.shape(), size);
  Shape shape = input.shape();
  if (input.rank() > 0) {
    shape[axis] = k;
  } else {
    check<ArgumentError>(k == 1, "topk: k is {}; a tensor of rank 0 has one element", k);
  }
  outputs.push_back({shape, input.dtype()});
  outputs.push_back({shape, Dtype::int64});
}

void Topk::run(const OpArgs& args, std::span<Tensor> outputs) {
  order_lines(args, outputs, args.attr("largest").as_bool(), args.attr("k").as_int());
}

void Topk::gradient(GradContext& g) {
  if (g.grad().defined()) {
    g.set("input", gather_backward(g.grad(), g.attr("dim"), g.output(1), g.meta(0).shape));
  }
}

void Cumsum::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Dtype own = args.inputs[0].dtype();
  const Dtype summed = is_floating(own) ? own : Dtype::int64;
  const Attr& asked = args.attrs[1];
  outputs.push_back(running_sum(
      to_dtype(args.inputs[0], asked.is_none() ? summed : asked.as_dtype()), args.attrs[0]));
}

void RunningSum::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  axis_of(args);
  infer_same(args, outputs);
}

void RunningSum::run(const OpArgs& args, std::span<Tensor> outputs) {
  const Tensor input = detail::dense(args.inputs[0]);
  const AxisSplit split = detail::split_axis(input.shape(), axis_of(args));
  detail::visit_element(input.dtype(), [&](auto element) {
    using Element = decltype(element);
    using Compute = typename Element::Compute;
    // int64 sums wrap.
    using Sum = std::conditional_t<std::is_same_v<Compute, std::int64_t>, std::uint64_t, Compute>;
    const auto* from = detail::elements<typename Element::Storage>(input);
    auto* to = detail::raw_elements<typename Element::Storage>(outputs[0]);
    const std::int64_t block = split.size * split.inner;
    parallel_for(split.outer, detail::grain_for(block), [&](std::int64_t b, std::int64_t e) {
      std::vector<Sum> sums(static_cast<std::size_t>(split.inner));
      for (std::int64_t o = b; o < e; ++o) {
        std::fill(sums.begin(), sums.end(), Sum{});
        for (std::int64_t p = o * block; p < (o + 1) * block;) {
          for (Sum& sum : sums) {
            sum += static_cast<Sum>(Element::load(from[p]));
            to[p] = Element::store(static_cast<Compute>(sum));
            ++p;
          }
        }
      }
    });
  });
}

void RunningSum::gradient(GradContext& g) {
  const Ints dims{g.attr("dim").as_int()};
  g.set("input", flip(running_sum(flip(g.grad(), dims), g.attr("dim")), dims));
}

}  // namespace rondo
