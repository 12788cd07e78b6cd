// One run of a function that is traced, as a graph of the calls that it made.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/op/call.h"
#include "tracer/explicit_trace.h"

namespace rondo::tracer {

/// A run as a graph without symbols, and what is needed to compare runs.
class Recording final : public CallObserver {
 public:
  Recording(const TraceRequest& request, const std::vector<Tensor>& inputs);

  void called(const OpCall& call) override;
  void host_read(const Tensor& tensor) override;

  /// The value that a tensor is in the graph; -1 if it was not made by a call.
  int value(const Tensor& tensor) const;
  /// The same for a result: one that only shares the memory of a value is made a value of its own.
  int result(const Tensor& tensor);

  Graph graph;
  std::vector<NamedTensor> constants;
  std::vector<std::string> written;  // names of tensors that were written in place
  std::vector<Tensor> outputs;
  bool random = false;
  double work = 0;  // elements that calls read and write, and multiplications of products; roughly

 private:
  std::string source() const { return request_.source ? request_.source() : ""; }
  void define(const Tensor& tensor, int value);
  void add_node(GraphNode node, std::span<const Tensor> outputs);
  bool renews(const OpCall& call) const;
  void note_written(const OpCall& call, const std::string& at);
  GraphOperand operand(const Tensor& tensor);
  GraphOperand shared(const Tensor& tensor);

  const TraceRequest& request_;
  std::unordered_map<const TensorImpl*, int> values_;
  std::unordered_map<const TensorImpl*, std::string> names_;
  std::unordered_multimap<const Storage*, Tensor> by_storage_;  // values and named tensors
  std::vector<Tensor> kept_;  // an address must not be used again while it is a key
};

/// Keeps runs from leaving traces in the model. While it lives parameters and inputs do not require
/// gradients (so that calls are recorded whole, while gradients count as enabled wherever the
/// function does not turn them off); `restore` gives written tensors their first contents again.
class UnchangedTensors {
 public:
  explicit UnchangedTensors(const TraceRequest& request);
  ~UnchangedTensors();
  UnchangedTensors(const UnchangedTensors&) = delete;
  UnchangedTensors& operator=(const UnchangedTensors&) = delete;

  void restore();

 private:
  struct Kept {
    Tensor tensor;
    Tensor copy;
    std::uint32_t version;
  };
  std::vector<Tensor> required_grad_;
  std::vector<Kept> kept_;
};

/// Runs the function under a recording, drawing random numbers as the seed 0 gives them.
Recording record(const TraceRequest& request, const std::vector<Tensor>& inputs,
                 UnchangedTensors& unchanged);

}  // namespace rondo::tracer
