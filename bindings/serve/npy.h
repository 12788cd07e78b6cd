// NumPy's .npy files, one tensor each: versions 1 to 3 are read, version 1 is written.
#pragma once

#include <string>
#include <string_view>

#include "core/tensor/tensor.h"

namespace rondo::serve {

/// Reads a file's content. bfloat16 is taken from "V2", as the package ml_dtypes writes it.
/// Errors: FormatError that opens with `name`.
Tensor parse_npy(std::string_view content, std::string_view name);
Tensor read_npy(const std::string& path);

/// The content of a file that holds a contiguous tensor.
std::string print_npy(const Tensor& tensor);
/// Errors: IoError.
void write_npy(const std::string& path, const Tensor& tensor);

}  // namespace rondo::serve
