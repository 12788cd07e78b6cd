# Writes `output`: a C++ source that holds the files of the list `sources`, relative to `root`, as
# texts for device_sources.h. A literal may be of 64 KB at most, and no header is.
set(text "#include \"codegen/cuda/device_sources.h\"\n\nnamespace rondo::codegen::cuda {\nnamespace {\n\n")
string(APPEND text "// Fixed-width integers: NVRTC has no standard library.\n")
string(APPEND text "constexpr DeviceSource kSources[] = {\n")
string(APPEND text "{\"cstdint\", R\"rondo(#pragma once
namespace std {
using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned;
using int64_t = long;
using uint64_t = unsigned long;
}
)rondo\"},\n")
foreach(source ${sources})
  file(READ ${root}/${source} content)
  string(APPEND text "{\"${source}\", R\"rondo(${content})rondo\"},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace\n\nstd::span<const DeviceSource> device_sources() {\n  return kSources;\n}\n\n}  // namespace rondo::codegen::cuda\n")
file(WRITE ${output} "${text}")
