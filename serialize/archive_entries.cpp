#include "serialize/archive_entries.h"

#include <fmt/format.h>

#include <set>

#include "core/base/error.h"
#include "serialize/tensor_size.h"
#include "serialize/text.h"

namespace rondo::serialize {
namespace {

class Checker {
 public:
  explicit Checker(const ZipReader& zip) : zip_(zip) { named_.insert(kManifestEntry); }

  void run(const Manifest& manifest) {
    for (const Method& method : manifest.methods) {
      for (const Body& body : method.bodies) {
        named_.insert(zip_.entry(body.code).name);
      }
    }
    for (const TensorRecord& tensor : manifest.tensors) {
      check_tensor(tensor.data);
    }
    for (const GoldenCase& golden : manifest.golden) {
      for (const auto* tensors : {&golden.inputs, &golden.outputs}) {
        for (const StoredTensor& tensor : *tensors) {
          check_tensor(tensor);
        }
      }
    }
    for (const ZipEntry& entry : zip_.entries()) {
      const bool is_free = entry.name.starts_with("kernels/") || entry.name.starts_with("extra/");
      if (!is_free && !named_.contains(entry.name)) {
        fail_entry(entry, "the manifest does not name it");
      }
    }
  }

 private:
  [[noreturn]] void fail_entry(const ZipEntry& entry, std::string_view fault) const {
    fail<FormatError>("archive '{}': entry {}: {}", zip_.name(), in_quotes(entry.name), fault);
  }

  void check_tensor(const StoredTensor& tensor) {
    const ZipEntry& entry = zip_.entry(tensor.entry);
    named_.insert(entry.name);
    const auto size = tensor_size_bytes(tensor.dtype, tensor.shape);
    if (!size || static_cast<std::uint64_t>(*size) != entry.size) {
      fail_entry(entry, fmt::format("it has {} bytes; [{}] of {} needs {}", entry.size,
                                    fmt::join(tensor.shape, ", "), dtype_name(tensor.dtype),
                                    size.value_or(-1)));
    }
    if (tensor.crc32 != entry.crc32) {
      fail_entry(entry, fmt::format("its checksum is {:08x} in the directory and {:08x} in the "
                                    "manifest; weights and manifest come from different archives",
                                    entry.crc32, tensor.crc32));
    }
  }

  const ZipReader& zip_;
  std::set<std::string_view> named_;
};

}  // namespace

void check_entries(const ZipReader& zip, const Manifest& manifest) {
  Checker(zip).run(manifest);
}

}  // namespace rondo::serialize
