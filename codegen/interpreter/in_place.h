// Decides which loads and stores need no copy: block loops then work on memory itself.
#pragma once

#include <vector>

#include "codegen/interpreter/program.h"
#include "codegen/interpreter/register_file.h"

namespace rondo::codegen::interpreter {

/// `positions` holds those of the body steps of each phase. Sets `direct` of loads, `redirected` of
/// stores, `redirects` of phases and the operands of folds.
void use_memory_in_place(Body& body, const std::vector<std::vector<int>>& positions,
                         const RegisterFile& registers);

}  // namespace rondo::codegen::interpreter
