#include "core/op/generator.h"

#include <utility>

namespace rondo {
namespace {

thread_local Generator* scoped_generator = nullptr;

}  // namespace

Generator& default_generator() {
  static Generator generator;
  return generator;
}

Generator& current_generator() {
  return scoped_generator != nullptr ? *scoped_generator : default_generator();
}

GeneratorScope::GeneratorScope(Generator& generator)
    : previous_(std::exchange(scoped_generator, &generator)) {}

GeneratorScope::~GeneratorScope() {
  scoped_generator = previous_;
}

}  // namespace rondo
