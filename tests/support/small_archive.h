// Archives for tests of what loads them: a small network that is exported in the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rondo::jit {
class Module;
}

namespace rondo::test {

/// The module of an archive.
std::shared_ptr<const jit::Module> load_module(const std::vector<std::byte>& bytes);

/// relu(x @ w + b) for x [batch, 3] of float32, as `y` [batch, 2]; w is 1 to 6, b is 0.5 and -0.5.
std::vector<std::byte> small_archive();

/// The same, loaded.
std::shared_ptr<const jit::Module> small_module();

/// A chain of 400 products with a square matrix of kSlowWidth that leave ones as they are, for x
/// [batch, kSlowWidth], as `y`: as long as a test needs it, with many kernels to end between.
std::vector<std::byte> slow_archive();
constexpr int kSlowSteps = 400;
#ifdef RONDO_SLOW_BUILD
constexpr std::int64_t kSlowWidth = 64;  // sanitizers take ten times as long and more
#else
constexpr std::int64_t kSlowWidth = 256;
#endif

/// Rows of x [batch, 3] divided by the sum of all rows, so that rows mix.
std::vector<std::byte> mixing_archive();
std::shared_ptr<const jit::Module> mixing_module();

/// x [batch, n] times 2, as `y`: requests may have rows of different lengths.
std::shared_ptr<const jit::Module> doubling_module();

/// A network with dropout for x [batch, 8]: kernels, products and numbers of the session's own.
std::shared_ptr<const jit::Module> random_module();

/// Rows of a table of 4 rows of 2, for indices [batch] of int64: data decides about errors.
std::shared_ptr<const jit::Module> table_module();

}  // namespace rondo::test
