// The manifest: what an archive holds and what its methods take and give, as plain data and as
// JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serialize/signature.h"
#include "serialize/upgraders.h"

namespace rondo::serialize {

inline constexpr std::string_view kManifestEntry = "manifest.json";
inline constexpr std::size_t kMaxManifestBytes = 16U << 20;
inline constexpr std::size_t kMaxManifestValues = 1U << 20;

/// The version of this runtime, for example "0.1.0".
std::string_view runtime_version();

enum class Mode { eval, train };
enum class Numerics { exact, fast };
enum class TensorRole { parameter, buffer, constant };

/// A place where values live; a loader maps it to a device. `kind` is what it was when saved.
struct DeviceSlot {
  std::string name;
  std::string kind;  // "cpu" or "cuda"
  bool operator==(const DeviceSlot&) const = default;
};

/// What the trace relied on beyond shapes and dtypes.
struct Guard {
  std::string condition;  // over the symbols of the signature, for example "seq <= 512"
  std::string source;     // where the user's code made it, for example "model.py:12"
  std::string message;    // what to tell who breaks it
  bool operator==(const Guard&) const = default;
};

/// An output that is the input of the next call.
struct StateLink {
  std::string input;
  std::string output;
  bool operator==(const StateLink&) const = default;
};

/// One program of a method. Methods have one for both modes, or one each.
struct Body {
  std::vector<Mode> modes;
  std::string code;  // entry of the graph, "code/..."
  std::vector<Guard> guards;
  /// Why rows of the outputs depend on other rows of the inputs; empty if they do not.
  std::string row_dependence;
  std::vector<std::string> mutable_buffers;  // names of tensors that a call may write
  std::string rng;                           // the random generator, "philox4x32-10", or empty
  bool operator==(const Body&) const = default;
};

struct Method {
  std::string name;
  std::vector<ValueSpec> inputs;
  std::vector<ValueSpec> outputs;
  std::vector<StateLink> state;
  std::vector<Body> bodies;
  bool operator==(const Method&) const = default;
};

/// A tensor in an entry of its own, contiguous, little-endian.
struct StoredTensor {
  Dtype dtype = Dtype::float32;
  std::vector<std::int64_t> shape;
  std::string entry;
  std::uint32_t crc32 = 0;
  bool operator==(const StoredTensor&) const = default;
};

struct TensorRecord {
  std::string name;
  StoredTensor data;
  TensorRole role = TensorRole::parameter;
  bool requires_grad = false;
  std::string device;                // a device slot
  std::vector<std::string> aliases;  // other names of the same tensor (tied weights)
  bool operator==(const TensorRecord&) const = default;
};

/// Inputs of a method and the outputs that it must give, to the bit under exact numerics.
struct GoldenCase {
  std::string method;
  Mode mode = Mode::eval;
  std::int64_t seed = 0;
  std::vector<StoredTensor> inputs;
  std::vector<StoredTensor> outputs;
  bool operator==(const GoldenCase&) const = default;
};

struct Manifest {
  int format_version = kFormatVersion;
  std::string runtime;   // a version that can read the archive: by default the writer's
  std::string producer;  // for people
  Numerics numerics = Numerics::exact;
  std::vector<OpVersion> ops;  // each op that the graphs use
  std::vector<DeviceSlot> devices;
  std::vector<Method> methods;
  std::vector<TensorRecord> tensors;
  std::vector<GoldenCase> golden;
  bool operator==(const Manifest&) const = default;
};

/// Reads and checks a manifest. One of an older format is upgraded first.
/// Errors: FormatError that names the field, or for a newer format the runtime that it needs.
Manifest parse_manifest(std::string_view text, const Upgraders& upgraders = builtin_upgraders());

/// The JSON of a manifest. Errors: ArgumentError if `parse_manifest` would not take it.
std::string print_manifest(const Manifest& manifest);

/// Checks that this runtime has each op of the manifest in its version or can upgrade it.
/// Errors: FormatError that names the op, both versions and the runtime that it needs.
void check_op_versions(const Manifest& manifest, std::span<const OpVersion> known,
                       const Upgraders& upgraders = builtin_upgraders());

}  // namespace rondo::serialize
