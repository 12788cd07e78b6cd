// The Open Inference Protocol v2 as pure functions: bytes to tensors and tensors to bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/tensor.h"
#include "serialize/manifest.h"

namespace rondo::serve {

struct OutputRequest {
  std::size_t index = 0;  // in the signature
  bool binary = false;
};

/// A request to run a method. Inputs are in the order of the signature; their sizes and dtypes are
/// not yet compared with it.
struct InferRequest {
  std::string id;
  std::string method;
  std::vector<Tensor> inputs;
  std::vector<OutputRequest> outputs;
};

/// The body of an answer. Binary data follow the first `json_bytes`; 0: all of it is JSON.
struct InferResponse {
  std::string body;
  std::size_t json_bytes = 0;
};

/// "FP32" and so on.
std::string_view datatype_name(Dtype dtype);

/// The method that runs where the request names none: `forward`, or the only one; else nullptr.
const serialize::Method* default_method(const serialize::Manifest& manifest);

/// Reads the body of an infer request. `json_bytes` is the header Inference-Header-Content-Length
/// of the binary extension. The method may be named in `parameters.method`.
/// Errors: FormatError that names the field; ArgumentError, ShapeError.
InferRequest parse_infer(const serialize::Manifest& manifest, std::string_view body,
                         std::optional<std::size_t> json_bytes);

/// The answer. `outputs` are contiguous, in the order of the signature. Errors: ArgumentError for
/// values that JSON cannot hold, with the advice to ask for binary data.
InferResponse print_infer(std::string_view model, const serialize::Manifest& manifest,
                          const InferRequest& request, const std::vector<Tensor>& outputs);

std::string print_server_metadata();
std::string print_model_metadata(std::string_view model, const serialize::Manifest& manifest);
std::string print_readiness(std::string_view model, bool ready);
std::string print_error(std::string_view text);

}  // namespace rondo::serve
