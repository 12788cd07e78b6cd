// Explicit tracing: a function becomes a graph that can be exported.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace rondo::tracer {

using TracedFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// An axis of an input whose size is a symbol.
struct DynamicAxis {
  int input = 0;
  int axis = 0;
  std::string symbol;
};

struct NamedTensor {
  std::string name;
  Tensor tensor;
  bool writable = false;  // a buffer, which the function may write in place
};

struct TraceRequest {
  std::string method = "forward";
  TracedFunction function;
  std::vector<Tensor> inputs;  // examples
  std::vector<DynamicAxis> dynamic;
  std::vector<NamedTensor> tensors;     // parameters and buffers, by name
  std::function<std::string()> source;  // gives "file:line" of the caller's code; may be null
  std::function<void()> forget_error;   // called when what the function threw is dropped; or null
};

/// A size that may depend on the symbols, as text ("2*batch+1", "batch*seq", "seq//2").
using SizeText = std::string;

/// A condition over the symbols that the trace relies on.
struct TraceGuard {
  std::string condition;  // "seq <= 512"
  std::string source;     // the line that needs it, where it is known
  std::string message;    // why
};

struct TraceResult {
  Graph graph;
  std::vector<TraceGuard> guards;
  std::vector<NamedTensor> constants;  // tensors that the function made of its own
  std::vector<std::vector<SizeText>> input_shapes;
  std::vector<std::vector<SizeText>> output_shapes;
  std::vector<Dtype> output_dtypes;
  std::vector<Tensor> outputs;       // of the example run, drawing as the seed 0 gives it
  std::vector<std::string> written;  // the buffers that it writes
  bool random = false;               // it draws random numbers
};

/// Runs the function on the examples and on inputs of other sizes of the symbols: what differs
/// between the runs and follows the sizes becomes an expression, sizes for which that does not hold
/// are kept out by guards, and anything else that differs is an error.
///
/// Errors: ArgumentError, naming the line, if the number of calls depends on a size, if a value is
/// read on the host, or if an integer follows no such expression; UnsupportedError for
/// writes in place into anything but buffers, and for draws from another generator. Buffers and the
/// process's generator are afterwards as they were.
TraceResult trace(const TraceRequest& request);

}  // namespace rondo::tracer
