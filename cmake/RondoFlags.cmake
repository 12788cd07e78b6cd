# Flags that every target of Rondo shares, and the two vector levels that kernels are compiled at.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(rondo_flags INTERFACE)
target_compile_options(rondo_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Werror -ffp-contract=off)

# Adds a source compiled once per vector level: FILE -> FILE_v3.o, FILE_v4.o, with RONDO_ISA set to v3 or v4.
# The file must put its symbols in namespace RONDO_ISA, so that both copies can be linked together.
function(rondo_isa_sources target)
  foreach(level v3 v4)
    add_library(${target}_${level} OBJECT ${ARGN})
    target_link_libraries(${target}_${level} PRIVATE rondo_flags)
    target_include_directories(${target}_${level} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${target}_${level} PRIVATE RONDO_ISA=${level} RONDO_ISA_${level}=1)
    target_compile_options(${target}_${level} PRIVATE -march=x86-64-${level} -O3 -fno-math-errno -fno-trapping-math)
    target_sources(rondo_static PRIVATE $<TARGET_OBJECTS:${target}_${level}>)
  endforeach()
endfunction()
