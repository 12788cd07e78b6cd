// The loops of the index ops, over memory in row-major order.
#pragma once

#include <cstdint>

#include "core/ops/memory.h"

namespace rondo::detail {

/// output[o][k] = input[o][places[k]], blocks of `split.inner` elements; `split` is that of input.
void select_rows(const Tensor& output, const Tensor& input, const AxisSplit& split,
                 const Places& places);

/// output[o][places[k]] = source[o][k], blocks of `split.inner` elements, in rising k.
void put_rows(const Tensor& output, const Tensor& source, const AxisSplit& split,
              const Places& places);

/// output[o][places[k]] += source[o][k], blocks of `split.inner` elements, in rising k.
void add_rows(const Tensor& output, const Tensor& source, const AxisSplit& split,
              const Places& places);

/// output[o][k][i] = input[o][places[o][k][i]][i]; `split` is that of input, places has `count`
/// along the axis.
void gather_elements(const Tensor& output, const Tensor& input, const AxisSplit& split,
                     std::int64_t count, const Places& places);

/// output[o][places[o][k][i]][i] = source[o][k][i], in rising k; `split` is that of output.
void put_elements(const Tensor& output, const Tensor& source, const AxisSplit& split,
                  std::int64_t count, const Places& places);

/// output[o][places[o][k][i]][i] += source[o][k][i], in rising k; `split` is that of output.
void add_elements(const Tensor& output, const Tensor& source, const AxisSplit& split,
                  std::int64_t count, const Places& places);

/// Sets all bytes of a new result to 0.
void fill_zero(const Tensor& output);

}  // namespace rondo::detail
