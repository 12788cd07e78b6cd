# Flags that every target of Rondo shares, and the two vector levels that kernels are compiled at.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# Programs and libraries of one build lie in two folders, as they do when installed.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

# Paths are taken relative to the source tree, so that all checkouts share what ccache holds.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()

find_program(MOLD mold)
find_program(LLD ld.lld)
if(MOLD)
  add_link_options(-fuse-ld=mold)
elseif(LLD)
  add_link_options(-fuse-ld=lld)
endif()

add_library(rondo_flags INTERFACE)
# Both compilers mean the same: clang's -Wconversion too leaves out the signedness of equal widths,
# and passes over the pragmas that are for GCC.
target_compile_options(rondo_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion
  -Wno-sign-conversion -Wno-unknown-pragmas -Werror -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # std::stable_sort of libstdc++ 12 uses what it deprecates.
  target_compile_options(rondo_flags INTERFACE -Wno-deprecated-declarations)
endif()

set(RONDO_KERNEL_FLAGS -O3 -fno-math-errno -fno-trapping-math)
if(RONDO_SANITIZE)
  add_compile_options(-fsanitize=${RONDO_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${RONDO_SANITIZE})
  if(RONDO_SANITIZE MATCHES undefined AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # Compiled kernels and plug-ins in C have no type before a function's begin, which it would read.
    add_compile_options(-fno-sanitize=function)
  endif()
  if(RONDO_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
  set(RONDO_KERNEL_FLAGS -O1 -fno-math-errno -fno-trapping-math)
  if(RONDO_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # Checks of accesses as calls: the large loops of products compile three times as fast.
    list(APPEND RONDO_KERNEL_FLAGS -mllvm -asan-instrumentation-with-call-threshold=0)
  endif()
endif()

# Adds sources compiled once per vector level: FILE -> FILE_v3.o, FILE_v4.o, with RONDO_ISA set to
# v3 or v4. Each file must put its symbols in namespace RONDO_ISA, so that both copies can be linked.
function(rondo_isa_sources target)
  foreach(level v3 v4)
    add_library(${target}_${level} OBJECT ${ARGN})
    target_link_libraries(${target}_${level} PRIVATE rondo_flags)
    target_include_directories(${target}_${level} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${target}_${level} PRIVATE RONDO_ISA=${level} RONDO_ISA_${level}=1)
    target_compile_options(${target}_${level} PRIVATE -march=x86-64-${level} ${RONDO_KERNEL_FLAGS})
    if(RONDO_SANITIZE AND level STREQUAL "v4")
      # The same source as v3: its undefined behaviour is looked for there, which halves the time.
      target_compile_options(${target}_${level} PRIVATE -fno-sanitize=undefined)
    endif()
    target_sources(rondo_static PRIVATE $<TARGET_OBJECTS:${target}_${level}>)
  endforeach()
endfunction()
