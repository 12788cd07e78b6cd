#include "core/op/generator.h"

namespace rondo {

Generator& default_generator() {
  static Generator generator;
  return generator;
}

}  // namespace rondo
