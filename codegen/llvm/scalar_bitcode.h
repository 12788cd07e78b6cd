// The scalar functions as LLVM bitcode, made by clang from codegen/scalar/vector_functions.cpp.
#pragma once

#include <span>

#include "core/base/isa.h"

namespace rondo::codegen {

/// A module with a function rondo_<op>_<class> for each operation and class of its operands (i32,
/// i64, f32, f64; for select, that of its branches), on vectors of 16 lanes by the C calling
/// convention of the level: operands wider than its registers are `byval` pointers, results are
/// values. They are marked alwaysinline; the few others that they call, marked noinline, are the
/// slow ranges of functions, on single numbers, and better left out of line. No function calls
/// anything but these and intrinsics.
std::span<const unsigned char> scalar_bitcode(Isa isa);

}  // namespace rondo::codegen
