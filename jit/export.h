// Writing archives: traced methods with their tensors, signature and golden cases.
#pragma once

#include <string>
#include <vector>

#include "serialize/manifest.h"
#include "serialize/sink.h"
#include "tracer/explicit_trace.h"

namespace rondo::jit {

/// A traced method and the names of its values.
struct ExportMethod {
  tracer::TraceResult trace;
  std::vector<Tensor> inputs;  // the examples: they become a golden case
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;
  std::vector<serialize::Mode> modes = {serialize::Mode::eval};  // that the trace is for
  std::vector<serialize::StateLink> state{};  // outputs that are inputs of the next call
};

/// A parameter or buffer of the model.
struct ExportTensor {
  std::string name;
  Tensor tensor;
  serialize::TensorRole role = serialize::TensorRole::parameter;
};

/// Writes the archive to `sink` and commits it. Tensors of one storage and geometry are stored
/// once; a method's traces for several modes become one body where they are equal. Errors: IoError,
/// ArgumentError.
void write_archive(serialize::Sink& sink, const std::vector<ExportMethod>& methods,
                   const std::vector<ExportTensor>& tensors);

/// Why rows of the method's results depend on other rows of its inputs; empty if they do not. Rows
/// are along axis 0 of every input and result, whose sizes must be one symbol. Shapes are followed
/// at the examples' size of it and at another one that the guards allow.
std::string row_dependence(const tracer::TraceResult& trace, const std::vector<Tensor>& inputs,
                           const std::vector<ExportTensor>& tensors);

}  // namespace rondo::jit
