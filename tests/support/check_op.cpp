#include "tests/support/check_op.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/ops/create.h"
#include "core/ops/reshape.h"
#include "tests/support/check_gradient.h"
#include "tests/support/settings.h"
#include "tests/support/tensors.h"

namespace rondo::test {
namespace {

Args in_dtype(const Args& args, Dtype from, Dtype to) {
  return map_tensors(args, [&](const Tensor& t) { return t.dtype() == from ? cast(t, to) : t; });
}

/// Fresh copies, so that an op in place leaves the case as it was.
Args copied(const Args& args) {
  return map_tensors(args, [](const Tensor& t) { return clone(t); });
}

/// The same values with the first and the last axis exchanged in memory, and gaps between elements.
Tensor scattered(const Tensor& t) {
  if (t.rank() == 0) {
    return t;
  }
  Shape wide = t.shape();
  const int last = t.rank() - 1;
  std::swap(wide[0], wide[last]);
  wide[last] *= 2;
  const Tensor memory = zeros(wide, t.dtype());
  const Tensor gaps = slice(memory, last, 0, std::nullopt, 2);
  const Tensor view = last == 0 ? gaps : transpose(gaps, 0, last);
  copy.in_place(view, t);
  return view;
}

double element(const Tensor& t, std::int64_t i) {
  return read_element(t.data() + size_bytes(t.dtype(), i), t.dtype()).to_double();
}

std::vector<Values> elementwise_reference(const OpCase& c, const Args& args) {
  Shape shape;
  for (const ArgValue& arg : args) {
    if (const auto* t = std::get_if<Tensor>(&arg.value()); t != nullptr && t->defined()) {
      shape = broadcast_shapes(shape, t->shape(), c.op);
    }
  }
  std::vector<Values> columns;
  for (const ArgValue& arg : args) {
    if (const auto* t = std::get_if<Tensor>(&arg.value()); t != nullptr && t->defined()) {
      columns.push_back(values(expand(materialize(*t), shape)));
    } else if (const auto* number = std::get_if<double>(&arg.value())) {
      columns.emplace_back(static_cast<std::size_t>(shape.numel()), *number);
    } else if (const auto* integer = std::get_if<std::int64_t>(&arg.value())) {
      columns.emplace_back(static_cast<std::size_t>(shape.numel()), static_cast<double>(*integer));
    }
  }
  Values result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.numel()); ++i) {
    Values row;
    for (const Values& column : columns) {
      row.push_back(column[i]);
    }
    result.push_back(c.scalar(row));
  }
  return {result};
}

std::vector<Values> reference_of(const OpCase& c, const Args& args) {
  return c.reference ? c.reference(args) : elementwise_reference(c, args);
}

void expect_near(const std::vector<Tensor>& results, const std::vector<Values>& expected,
                 double tolerance, const std::string& what) {
  ASSERT_LE(expected.size(), results.size()) << what;
  for (std::size_t o = 0; o < expected.size(); ++o) {
    const Values got = values(results[o]);
    ASSERT_EQ(got.size(), expected[o].size()) << what << ", result " << o;
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(is_near(got[i], expected[o][i], tolerance))
          << what << ", result " << o << ", element " << i << ": " << got[i] << ", expected "
          << expected[o][i];
    }
  }
}

void check_values(const OpInfo& op, const OpCase& c, const Args& args) {
  if (!c.reference && !c.scalar) {
    return;
  }
  expect_near(call_op(op, copied(args)), reference_of(c, args), c.tolerance, "float64");
  if (op.dtypes.contains(Dtype::float32)) {
    const Args narrow = in_dtype(args, Dtype::float64, Dtype::float32);
    const Args rounded = in_dtype(narrow, Dtype::float32, Dtype::float64);
    std::vector<Values> expected = reference_of(c, rounded);
    for (Values& list : expected) {
      for (double& x : list) {
        x = static_cast<double>(static_cast<float>(x));
      }
    }
    expect_near(call_op(op, copied(narrow)), expected, c.float_tolerance, "float32");
  }
}

/// A result in a 16-bit dtype is what float32 gives, rounded once.
void check_halves(const OpInfo& op, const OpCase& c, const Args& args) {
  for (const Dtype half : {Dtype::float16, Dtype::bfloat16}) {
    if (!op.dtypes.contains(half) || !c.exact_halves) {
      continue;
    }
    const Args narrow = in_dtype(args, Dtype::float64, half);
    const std::vector<Tensor> results = call_op(op, copied(narrow));
    const std::vector<Tensor> wide = call_op(op, in_dtype(narrow, half, Dtype::float32));
    for (std::size_t o = 0; o < results.size(); ++o) {
      expect_same(results[o], to_dtype(wide[o], results[o].dtype()),
                  std::string(dtype_name(half)) + " against float32");
    }
  }
}

void check_integers(const OpInfo& op, const OpCase& c, const Args& args) {
  for (int d = 0; d < kDtypeCount && c.integers; ++d) {
    const auto dtype = static_cast<Dtype>(d);
    if (is_floating(dtype) || !op.dtypes.contains(dtype)) {
      continue;
    }
    const Args whole = in_dtype(args, Dtype::float64, dtype);
    const std::vector<Values> expected = reference_of(c, in_dtype(whole, dtype, Dtype::float64));
    const std::vector<Tensor> results = call_op(op, copied(whole));
    for (std::size_t o = 0; o < expected.size(); ++o) {
      const Dtype out = results[o].dtype();
      const auto count = static_cast<std::int64_t>(expected[o].size());
      const Tensor rounded = cast(numbers({count}, expected[o]), out);
      expect_same(reshape(results[o], Shape{count}), rounded, std::string(dtype_name(dtype)));
    }
  }
}

/// Layouts, threads and vector levels change no bit.
void check_same_bits(const OpInfo& op, const OpCase& c, const Args& args) {
  const std::vector<Tensor> plain = call_op(op, copied(args));
  const auto compare = [&](const std::vector<Tensor>& other, const std::string& what) {
    for (std::size_t o = 0; o < plain.size(); ++o) {
      expect_same(other[o], plain[o], what);
    }
  };
  if (c.layouts) {
    compare(call_op(op, map_tensors(args, scattered)), "strided operands");
  }
  for (const int threads : {1, 2, 3}) {
    const ThreadsSetting setting(threads);
    compare(call_op(op, copied(args)), std::to_string(threads) + " threads");
  }
}

const Values& special_numbers() {
  static const Values list{0.0,      -0.0,      1.0,    -1.0,  0.5,    -2.5,  3.0,      1e-310,
                           -1e-310,  1e300,     -1e300, 700.0, -750.0, 1e-40, 1.5e38,   -3e-45,
                           INFINITY, -INFINITY, NAN,    2.0,   1e18,   -7.0,  0.999999, 88.8};
  return list;
}

void check_special(const OpInfo& op, const OpCase& c, const Args& args) {
  const Args tried = special_args(c, args);
  if (!tried.empty()) {
    check_values(op, c, tried);
  }
}

/// A result depends on no element but its own: also not on how many there are.
void check_lengths(const OpInfo& op, const OpCase& c, const Args& args) {
  if (op.kind != OpKind::elementwise || op.in_place || op.uses_index) {
    return;
  }
  const auto stretched = [&](std::int64_t length) {
    return map_tensors(args, [&](const Tensor& t) {
      const Tensor flat = reshape(t, Shape{t.numel()});
      Values list = values(flat);
      Values repeated;
      for (std::int64_t i = 0; i < length; ++i) {
        repeated.push_back(list[static_cast<std::size_t>(i) % list.size()]);
      }
      return cast(numbers({length}, repeated), t.dtype());
    });
  };
  const std::vector<Tensor> longest = call_op(op, stretched(67));
  for (const std::int64_t length : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65}) {
    const std::vector<Tensor> results = call_op(op, stretched(length));
    expect_same(results[0], contiguous(slice(longest[0], 0, 0, length)),
                c.op + " of length " + std::to_string(length));
  }
}

}  // namespace

const OpInfo& op_named(const std::string& name) {
  jit::initialize();
  const OpInfo* op = OpTable::instance().find(name);
  if (op == nullptr) {
    throw std::runtime_error("there is no op " + name);
  }
  return *op;
}

std::vector<Tensor> call_op(const OpInfo& op, const Args& args) {
  const BoundArgs bound = bind_args(op, args);
  std::vector<Tensor> outputs(static_cast<std::size_t>(op.schema.outputs));
  call(op, bound.inputs, bound.attrs, outputs);
  return outputs;
}

Args map_tensors(const Args& args, const std::function<Tensor(const Tensor&)>& map) {
  Args result;
  for (const ArgValue& arg : args) {
    if (const auto* tensor = std::get_if<Tensor>(&arg.value())) {
      const bool keeps = !tensor->defined() || tensor->is_immediate();
      result.emplace_back(keeps ? *tensor : map(*tensor));
    } else if (const auto* list = std::get_if<std::vector<Tensor>>(&arg.value())) {
      std::vector<Tensor> tensors;
      for (const Tensor& t : *list) {
        tensors.push_back(t.defined() ? map(t) : t);
      }
      result.emplace_back(tensors);
    } else {
      result.push_back(arg);
    }
  }
  return result;
}

Args special_args(const OpCase& c, const Args& args) {
  std::vector<std::size_t> operands;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto* t = std::get_if<Tensor>(&args[i].value());
    if (t != nullptr && t->defined() && t->dtype() == Dtype::float64 && !t->is_immediate()) {
      operands.push_back(i);
    }
  }
  if (!c.special || !c.scalar || operands.empty() || operands.size() > 2) {
    return {};
  }
  const auto count = static_cast<std::int64_t>(special_numbers().size());
  Args tried = args;
  tried[operands[0]] = numbers({count}, special_numbers());
  if (operands.size() == 2) {
    tried[operands[1]] = numbers({count, 1}, special_numbers());
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto* t = std::get_if<Tensor>(&args[i].value());
    if (t != nullptr && t->defined() && t->dtype() == Dtype::boolean) {
      tried[i] = bools({}, {1});
    }
  }
  return tried;
}

Tensor uniform(const Shape& shape, double low, double high, unsigned seed) {
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 12345;
  Values list;
  for (std::int64_t i = 0; i < shape.numel(); ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    list.push_back(low + (high - low) * static_cast<double>(state >> 11) * 0x1p-53);
  }
  return numbers(shape, list);
}

Tensor numbers(const Shape& shape, const Values& list) {
  jit::initialize();
  const Tensor t = Tensor::empty(shape, Dtype::float64);
  if (!list.empty()) {
    std::memcpy(t.data(), list.data(), list.size() * sizeof(double));
  }
  return t;
}

Tensor integers(const Shape& shape, const std::vector<std::int64_t>& list) {
  jit::initialize();
  const Tensor t = Tensor::empty(shape, Dtype::int64);
  if (!list.empty()) {
    std::memcpy(t.data(), list.data(), list.size() * sizeof(std::int64_t));
  }
  return t;
}

Tensor bools(const Shape& shape, const std::vector<int>& list) {
  jit::initialize();
  const Tensor t = Tensor::empty(shape, Dtype::boolean);
  for (std::size_t i = 0; i < list.size(); ++i) {
    t.data()[i] = static_cast<std::byte>(list[i]);
  }
  return t;
}

const Tensor& tensor_arg(const Args& args, std::size_t i) {
  return std::get<Tensor>(args.at(i).value());
}

bool is_near(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) && std::isnan(b);
  }
  if (std::isinf(a) || std::isinf(b)) {
    return a == b;
  }
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

void expect_same(const Tensor& a, const Tensor& b, const std::string& what) {
  ASSERT_EQ(a.shape(), b.shape()) << what;
  ASSERT_EQ(dtype_name(a.dtype()), dtype_name(b.dtype())) << what;
  const Tensor x = contiguous(a);
  const Tensor y = contiguous(b);
  const auto size = static_cast<std::size_t>(size_bytes(a.dtype(), 1));
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    const auto at = static_cast<std::size_t>(i) * size;
    const bool nan = std::isnan(element(x, i)) && std::isnan(element(y, i));
    EXPECT_TRUE(nan || std::memcmp(x.data() + at, y.data() + at, size) == 0)
        << what << ", element " << i << ": " << element(x, i) << " and " << element(y, i);
  }
}

void check_op(const OpCase& c) {
  const OpInfo& op = op_named(c.op);
  const Args args = c.args();
  check_values(op, c, args);
  check_same_bits(op, c, args);
  check_halves(op, c, args);
  check_integers(op, c, args);
  check_special(op, c, args);
  check_lengths(op, c, args);
  if (op.differentiable && c.first) {
    check_gradients(op, args, c.second);
  }
}

}  // namespace rondo::test
