// Flow: a run of calls as data, without sizes: what the tracer hands to the compiler.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/op/op_info.h"

namespace rondo {

/// How a use sees a value. `axes`: axis i of the use is axis `axis[i]` of the value, or a broadcast
/// (-1). `opaque`: anything else, known only from the tensor at run time.
struct UseView {
  enum class Kind : std::uint8_t { identity, axes, opaque };
  Kind kind = Kind::identity;
  std::int8_t rank = 0;
  std::uint8_t ones =
      0;  // axes of the use of size 1; a broadcast axis that is not one of them is expanded
  std::array<std::int8_t, kMaxRank> axis{};
  bool operator==(const UseView&) const = default;
};

struct FlowUse {
  int value = -1;  // -1: an absent operand
  UseView view;
  bool operator==(const FlowUse&) const = default;
};

/// What is known of a value without its sizes.
struct FlowValue {
  Dtype dtype = Dtype::float32;
  std::int8_t rank = 0;
  std::uint8_t ones = 0;        // axes of size 1
  bool weak = false;            // a Python number
  bool immediate = false;       // a number without a storage
  bool external = false;        // comes from outside
  bool first_of_group = false;  // external: the first view of its storage
  bool constant = false;        // an immediate with a fixed `number`, made by a composite's body
  Scalar number;
  Shape sample;         // the sizes when it was recorded; nothing may depend on them
  int alias_of = -1;    // another view, known at run time only, of the value `alias_of`
  int group = -1;       // values of one storage share it; -1 for immediates
  int node = -1;        // the producer
  int overwrites = -1;  // in place: the value whose memory this one takes
  // Where the tensor is found at run time: operand `slot` of call `call` (a result if `result`).
  int call = -1;
  int slot = -1;
  bool result = false;
};

struct FlowNode {
  const OpInfo* op = nullptr;
  std::vector<Attr> attrs;
  std::vector<FlowUse> inputs;
  std::vector<int> outputs;
  bool in_place = false;
  int call = -1;           // the call that it belongs to; a composite's body shares the composite's
  bool whole_call = true;  // it is the call itself, not a part of a composite's body
};

struct Flow {
  std::vector<FlowValue> values;
  std::vector<FlowNode> nodes;
  std::vector<char> live;  // for each value: somebody outside may read it afterwards
  int groups = 0;
};

/// The tensors of one call of a flow, when it is run.
struct CallTensors {
  std::span<const Tensor> inputs;
  std::span<const Tensor> outputs;
  std::span<const Attr> attrs;
};

/// How a tensor of geometry (shape, strides, offset) sees a value of another geometry over the same
/// storage.
UseView view_between(const Tensor& use, const Shape& shape, const Shape& strides,
                     std::int64_t offset);

/// The shape that a use sees of a value of shape `base`; `view` is not opaque, and a broadcast axis
/// has the size 1.
Shape shape_of_use(const UseView& view, const Shape& base);

/// Axes of size 1, as a mask.
std::uint8_t ones_mask(const Shape& shape);

/// The tensor as a value without a producer.
FlowValue describe(const Tensor& tensor);

/// One line a node, for people and tests; no parser reads it.
std::string print(const Flow& flow);

}  // namespace rondo
