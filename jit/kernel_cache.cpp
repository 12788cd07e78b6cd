#include "jit/kernel_cache.h"

namespace rondo::jit {

KernelCache& KernelCache::instance() {
  static KernelCache* const cache = new KernelCache;  // threads may outlive static destruction
  return *cache;
}

KernelEntry& KernelCache::find(const codegen::Kernel& kernel, const codegen::Variant& variant) {
  const std::string text = print(kernel);
  const std::string variant_text = print(variant);
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Family>& family = families_[text];
  if (!family) {
    family = std::make_unique<Family>();
    family->kernel = kernel;
    family->interpreted = std::make_shared<const codegen::InterpretedKernel>(kernel);
  }
  std::unique_ptr<KernelEntry>& entry = family->variants[variant_text];
  if (!entry) {
    entry = std::make_unique<KernelEntry>(family->kernel, family->interpreted, variant,
                                          text + variant_text);
  }
  return *entry;
}

std::vector<KernelEntry*> KernelCache::entries() {
  const std::lock_guard lock(mutex_);
  std::vector<KernelEntry*> all;
  for (const auto& [text, family] : families_) {
    for (const auto& [name, entry] : family->variants) {
      all.push_back(entry.get());
    }
  }
  return all;
}

}  // namespace rondo::jit
