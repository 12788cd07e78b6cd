// Archives for tests of what loads them: a small network that is exported in the test.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace rondo::jit {
class Module;
}

namespace rondo::test {

/// relu(x @ w + b) for x [batch, 3] of float32, as `y` [batch, 2]; w is 1 to 6, b is 0.5 and -0.5.
std::vector<std::byte> small_archive();

/// The same, loaded.
std::shared_ptr<const jit::Module> small_module();

/// Rows of x [batch, 3] divided by the sum of all rows, so that rows mix.
std::shared_ptr<const jit::Module> mixing_module();

/// Rows of a table of 4 rows of 2, for indices [batch] of int64: data decides about errors.
std::shared_ptr<const jit::Module> table_module();

}  // namespace rondo::test
