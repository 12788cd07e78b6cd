#include "tests/fuzz/archives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <stdexcept>

#include "core/base/error.h"
#include "core/ops/all.h"
#include "core/tensor/allocator.h"
#include "jit/export.h"
#include "jit/module.h"
#include "jit/params.h"
#include "jit/session.h"
#include "serialize/checksum.h"
#include "serialize/zip_writer.h"
#include "tests/fuzz/containers.h"
#include "tests/support/settings.h"
#include "tests/support/tensors.h"

namespace rondo::fuzz {
namespace {

using serialize::Bindings;
using serialize::Method;
using serialize::Mode;
using test::floats;
using Tensors = std::vector<Tensor>;

constexpr double kMostWork = 1 << 22;  // of a run; a second is enough for it with sanitizers too

Tensor ramp(const Shape& shape, float step) {
  std::vector<float> list(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < list.size(); ++i) {
    list[i] = step * static_cast<float>(static_cast<int>(i % 13) - 6);
  }
  return floats(shape, list);
}

Tensor places(const Shape& shape, std::int64_t count) {
  jit::initialize();
  const Tensor t = Tensor::empty(shape, Dtype::int64);
  for (std::int64_t i = 0; i < shape.numel(); ++i) {
    const std::int64_t place = i % count;
    std::memcpy(t.data() + i * 8, &place, 8);
  }
  return t;
}

ByteVector exported(tracer::TraceRequest request, const std::vector<tracer::NamedTensor>& tensors) {
  request.tensors = tensors;
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    inputs.push_back("x" + std::to_string(i));
  }
  jit::ExportMethod method{tracer::trace(request), request.inputs, inputs, {}};
  for (std::size_t i = 0; i < method.trace.outputs.size(); ++i) {
    method.output_names.push_back("y" + std::to_string(i));
  }
  std::vector<jit::ExportTensor> exports;
  for (const tracer::NamedTensor& tensor : tensors) {
    exports.push_back({tensor.name, tensor.tensor});
  }
  serialize::MemorySink sink;
  jit::write_archive(sink, {method}, exports);
  return sink.take();
}

ByteVector images() {
  const Tensor w = ramp({4, 1, 3, 3}, 0.1F);
  const Tensor scale = ramp({4}, 0.3F);
  const Tensor head = ramp({16, 3}, 0.2F);
  tracer::TraceRequest request;
  request.function = [&](const Tensors& in) {
    Tensor x = conv2d(in[0], w, scale, Ints{1}, Ints{1});
    x = max_pool2d(relu(x), Ints{2});
    x = avg_pool2d(x, Ints{2});
    return Tensors{log_softmax(matmul(reshape(x, Shape{x.size(0), 16}), head), 1)};
  };
  request.inputs = {ramp({2, 1, 8, 8}, 0.2F)};
  request.dynamic = {{0, 0, "batch"}};
  return exported(request, {{"w", w}, {"scale", scale}, {"head", head}});
}

ByteVector words() {
  const Tensor table = ramp({7, 8}, 0.1F);
  const Tensor w = ramp({8, 8}, 0.1F);
  const Tensor scale = ramp({8}, 0.1F);
  tracer::TraceRequest request;
  request.function = [&](const Tensors& in) {
    const Tensor x = layer_norm(embedding(in[0], table), Ints{8}, scale, scale);
    const Tensor scores = softmax(matmul(matmul(x, w), transpose(x, 1, 2)) * 0.35, -1);
    return Tensors{gelu(matmul(scores, x)) + x, argmax(x, -1)};
  };
  request.inputs = {places({2, 5}, 7)};
  request.dynamic = {{0, 0, "batch"}, {0, 1, "seq"}};
  return exported(request, {{"table", table}, {"w", w}, {"scale", scale}});
}

ByteVector mixture() {
  tracer::TraceRequest request;
  request.function = [](const Tensors& in) {
    const Tensor& x = in[0];
    const Tensor both = cat(Tensors{x, sin(x)}, 1);
    const Tensor picked = index_select(both, 1, in[1]);
    const Tensor sums = cumsum(to_dtype(picked, Dtype::float64), 0);
    const Tensor ordered = sort(sums, 0)[0];
    const Tensor masked = where(gt(sums, 0.5), sums, ordered);
    const Tensor padded = pad(masked, Ints{1, 2});
    return Tensors{mean(padded, Ints{1}, true), to_dtype(amax(x, 0), Dtype::int32),
                   expand(sum(x), Shape{3})};
  };
  request.inputs = {ramp({2, 4}, 0.4F), places({3}, 8)};
  request.dynamic = {{0, 0, "batch"}};
  return exported(request, {});
}

ByteVector places_and_views() {
  tracer::TraceRequest request;
  request.function = [](const Tensors& in) {
    const Tensor& x = in[0];
    const Tensor& i = in[1];
    Tensor y = gather(x, 1, i) + take_along_dim(x, i, 1);
    y = scatter_add(y, 1, i, y) + scatter(y, 1, i, y);
    y = index_add(y, 1, select(i, 0, 0), y);
    y = tril(flip(roll(y, Ints{1}, Ints{1}), Ints{1})) + triu(y, 1);
    const Tensor cut = slice(y, 1, 0, std::nullopt, 2);
    const Tensor strided = as_strided(contiguous(cut), Ints{2, 2}, Ints{1, 1}, 0);
    const Tensor top = topk(y, 2, 1)[0];
    const Tensor wide = squeeze(unsqueeze(permute(top, Ints{1, 0}), 1), Ints{1});
    const Tensor line = arange(0, 3, 1, Dtype::float32) + linspace(0, 1, 3);
    const Tensor scaled = batch_norm(reshape(y, Shape{x.size(0), 3, 1, 1}), line, line + 1);
    return Tensors{sum(strided) + prod(wide) + norm2(line), diagonal(y), argsort(y, 1),
                   any(gt(scaled, 0), 1), round(y * 8) / 8};
  };
  request.inputs = {ramp({3, 3}, 0.3F), places({3, 3}, 3)};
  return exported(request, {});
}

ByteVector whole_numbers() {
  tracer::TraceRequest request;
  request.function = [](const Tensors& in) {
    const Tensor& x = in[0];
    const Tensor y =
        bitwise_xor(x, bitwise_left_shift(x, 2)) + floor_divide(x, 3) * remainder(x, 5);
    const Tensor small = to_dtype(y, Dtype::int8);
    const Tensor half = to_dtype(y, Dtype::float16) * to_dtype(x, Dtype::bfloat16);
    return Tensors{cumsum(small, 0),
                   sum(y, Ints{0}),
                   matmul(y, transpose(y, 0, 1)),
                   half,
                   bitwise_not(eq(y, x)),
                   pow(to_dtype(x, Dtype::float64), 3.0)};
  };
  request.inputs = {places({2, 4}, 8)};
  request.dynamic = {{0, 0, "batch"}};
  return exported(request, {});
}

std::shared_ptr<const jit::Module> load(std::span<const std::byte> bytes) {
  const auto owner = std::make_shared<const ByteVector>(bytes.begin(), bytes.end());
  return jit::Module::load(serialize::open_bytes(serialize::Bytes(owner, *owner), "fuzz"));
}

/// Inputs of the signature's shapes with every symbol `size`.
Tensors make_inputs(const Method& method, std::int64_t size) {
  Bindings sizes;
  for (const serialize::ValueSpec& spec : method.inputs) {
    for (const serialize::Dimension& dimension : spec.shape) {
      for (const std::string& symbol : dimension.symbols()) {
        sizes.set(symbol, size);
      }
    }
  }
  Tensors inputs;
  for (const serialize::ValueSpec& spec : method.inputs) {
    std::vector<std::int64_t> shape;
    for (const serialize::Dimension& dimension : spec.shape) {
      shape.push_back(dimension.evaluate(sizes));
      check<ShapeError>(shape.back() >= 0, "fuzz: a negative size");
    }
    const Shape whole{std::span<const std::int64_t>(shape)};
    check<ShapeError>(checked_numel(whole, "fuzz") <= 1 << 20, "fuzz: a large input");
    const Tensor values = remainder(arange(0, whole.numel(), 1, Dtype::float32), 2);
    inputs.push_back(reshape(cast(values, spec.dtype), whole));
  }
  return inputs;
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Runs `body`, which must keep within the bounds.
bool runs_within_bounds(const std::function<void()>& body) {
  const double begin = processor_seconds();
  const bool ran = is_read(body);
  const double seconds = processor_seconds() - begin;
  if (seconds > kMostSeconds) {
    throw std::logic_error(fmt::format("a run took {:.2f} s", seconds));
  }
  const std::int64_t live = memory_stats().live;
  if (live > kMostBytes) {
    throw std::logic_error(fmt::format("a run holds {} bytes", live));
  }
  return ran;
}

/// Lets tensors take kMostBytes beside what is live, for a scope.
class MemorySetting {
 public:
  MemorySetting() : before_(set_memory_limit(kMostBytes)) {}
  ~MemorySetting() { set_memory_limit(before_); }
  MemorySetting(const MemorySetting&) = delete;
  MemorySetting& operator=(const MemorySetting&) = delete;

 private:
  std::int64_t before_;
};

bool run_method(const std::shared_ptr<const jit::Module>& module, const Method& method) {
  jit::Session session(module);
  bool ran = false;
  for (const std::int64_t size : {1, 3}) {
    Tensors inputs;
    if (!is_read([&] { inputs = make_inputs(method, size); })) {
      continue;
    }
    for (const serialize::Body& body : method.bodies) {
      for (const Mode mode : body.modes) {
        const jit::RunOptions options{.mode = mode, .limits = {.work = kMostWork}};
        ran = runs_within_bounds([&] {
                for (const Tensor& output : session.run(method.name, inputs, options)) {
                  contiguous(output).data();
                }
              }) ||
              ran;
      }
    }
  }
  return ran;
}

/// Puts the checksum of an entry that has changed into the text of the manifest.
void repair_manifest(ByteVector& manifest, std::uint32_t before, std::uint32_t after) {
  const std::string old_text = fmt::format("{:08x}", before);
  const std::string new_text = fmt::format("{:08x}", after);
  const auto as_byte = [](char c) { return static_cast<std::byte>(c); };
  auto place = manifest.begin();
  while (true) {
    place = std::search(place, manifest.end(), old_text.begin(), old_text.end(),
                        [&](std::byte a, char b) { return a == as_byte(b); });
    if (place == manifest.end()) {
      return;
    }
    place = std::ranges::transform(new_text, place, as_byte).out;
  }
}

struct Entry {
  std::string name;
  ByteVector data;
};

std::vector<Entry> entries_of(std::span<const std::byte> bytes) {
  const serialize::ZipReader zip(serialize::open_bytes({nullptr, bytes}, "fuzz"));
  std::vector<Entry> entries;
  for (const serialize::ZipEntry& entry : zip.entries()) {
    const serialize::Bytes data = zip.read(entry);
    entries.push_back({entry.name, {data.view().begin(), data.view().end()}});
  }
  return entries;
}

void mutate_entry(std::vector<Entry>& entries, const MutateBytes& mutate, std::mt19937_64& random) {
  const bool of_code = random() % 4 != 0;
  const auto wanted = [&](const Entry& entry) {
    return of_code ? entry.name.starts_with("code/") : entry.name == serialize::kManifestEntry;
  };
  auto chosen = std::ranges::find_if(entries, wanted);
  if (chosen == entries.end() || random() % 8 == 0) {
    chosen = entries.begin() + static_cast<std::ptrdiff_t>(random() % entries.size());
  }
  const std::uint32_t before = serialize::crc32(chosen->data);
  if (chosen->name.starts_with("code/") && random() % 8 != 0) {
    mutate_graph(chosen->data, random);
  } else {
    mutate(chosen->data);
  }
  for (Entry& entry : entries) {
    if (entry.name == serialize::kManifestEntry && &entry != &*chosen) {
      repair_manifest(entry.data, before, serialize::crc32(chosen->data));
    }
  }
}

}  // namespace

const std::vector<ByteVector>& seed_archives() {
  static const std::vector<ByteVector> seeds{images(), words(), mixture(), places_and_views(),
                                             whole_numbers()};
  return seeds;
}

std::vector<std::string> seed_graphs() {
  std::vector<std::string> graphs;
  for (const ByteVector& seed : seed_archives()) {
    for (const Entry& entry : entries_of(seed)) {
      if (entry.name.starts_with("code/")) {
        graphs.emplace_back(reinterpret_cast<const char*>(entry.data.data()), entry.data.size());
      }
    }
  }
  return graphs;
}

Outcome load_and_run(std::span<const std::byte> bytes) {
  const ModeSetting interpreted(jit::Mode::interpreted);
  const MemorySetting memory;
  std::shared_ptr<const jit::Module> module;
  if (!runs_within_bounds([&] { module = load(bytes); })) {
    return Outcome::refused;
  }
  bool ran = false;
  for (const Method& method : module->manifest().methods) {
    ran = run_method(module, method) || ran;
  }
  runs_within_bounds([&] {
    const jit::WorkGuard guard({.work = kMostWork});
    module->verify();
  });
  return ran ? Outcome::ran : Outcome::loaded;
}

void mutate_archive(ByteVector& bytes, const MutateBytes& mutate, std::mt19937_64& random) {
  std::vector<Entry> entries;
  if (random() % 8 != 0 && is_read([&] { entries = entries_of(bytes); }) && !entries.empty()) {
    mutate_entry(entries, mutate, random);
    serialize::MemorySink sink;
    const bool written = is_read([&] {
      serialize::ZipWriter writer(sink);
      for (const Entry& entry : entries) {
        writer.add(entry.name, entry.data);
      }
      writer.finish();
    });
    if (written) {
      bytes = sink.take();
      return;
    }
  }
  mutate(bytes);
  if (random() % 4 != 0) {
    serialize::repair_checksums(bytes);
  }
}

}  // namespace rondo::fuzz
