# What is built on top of rondo_static, one function for each product. Each is called once, in the
# CMakeLists.txt of the folder that holds the product's sources:
#
#   bindings/c        rondo_add_c_library(api.cpp ...)        librondo.so: the C ABI
#   codegen/llvm      rondo_add_llvm_plugin(target.cpp ...)   librondo_llvm.so, if RONDO_LLVM
#   codegen/cuda      rondo_add_cuda_plugin(open_plugin.cpp)  librondo_cuda.so
#   bindings/python   rondo_add_python_module(module.cpp ...) rondo/_C, if RONDO_PYTHON
#   bindings/serve    rondo_add_command(main.cpp ...)         the program `rondo`
#
# A product that opens a plug-in calls dlopen("librondo_llvm.so"): its RUNPATH holds the places
# where the plug-ins lie, in the build tree, in an installed tree and in a wheel.
include(GNUInstallDirs)

# The shared library of the C ABI. Only rondo_* functions leave it.
function(rondo_add_c_library)
  add_library(rondo SHARED ${ARGN})
  add_library(Rondo::rondo ALIAS rondo)
  target_link_libraries(rondo PRIVATE rondo_static)
  target_include_directories(rondo PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(rondo PUBLIC cxx_std_17)
  set_target_properties(rondo PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
  rondo_export_only(rondo librondo)
  rondo_find_plugin_in(rondo $ORIGIN)
endfunction()

# The LLVM plug-in, with LLVM inside it. Only its entry point rondo_open_target leaves it.
function(rondo_add_llvm_plugin)
  add_library(rondo_llvm MODULE ${ARGN})
  target_link_libraries(rondo_llvm PRIVATE rondo_static)
  target_include_directories(rondo_llvm SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_options(rondo_llvm PRIVATE ${definitions})
  llvm_map_components_to_libnames(libraries
    x86codegen x86asmparser x86desc x86info orcjit passes bitreader linker)
  target_link_libraries(rondo_llvm PRIVATE ${libraries})
  rondo_export_only(rondo_llvm librondo_llvm)
  target_link_options(rondo_llvm PRIVATE -Wl,--gc-sections)
endfunction()

# The plug-in for GPUs. Only its entry point rondo_open_device_plugin leaves it; libraries of CUDA are
# opened when it is used.
function(rondo_add_cuda_plugin)
  add_library(rondo_cuda MODULE ${ARGN})
  target_link_libraries(rondo_cuda PRIVATE rondo_cuda_static)
  rondo_export_only(rondo_cuda librondo_cuda)
  target_link_options(rondo_cuda PRIVATE -Wl,--gc-sections)
endfunction()

# The Python module, in a copy of the package under the build tree that can be imported from there:
# its Python files are links to the sources.
function(rondo_add_python_module)
  pybind11_add_module(rondo_python MODULE NO_EXTRAS ${ARGN})
  set(package ${PROJECT_BINARY_DIR}/python/rondo)
  set_target_properties(rondo_python PROPERTIES OUTPUT_NAME _C LIBRARY_OUTPUT_DIRECTORY ${package})
  target_link_libraries(rondo_python PRIVATE rondo_static)
  rondo_find_plugin_in(rondo_python $ORIGIN)
  rondo_export_only(rondo_python python)
  file(GLOB entries CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/rondo/*)
  file(MAKE_DIRECTORY ${package})
  foreach(entry ${entries})
    get_filename_component(name ${entry} NAME)
    if(NOT name STREQUAL "__pycache__")
      file(CREATE_LINK ${entry} ${package}/${name} SYMBOLIC)
    endif()
  endforeach()
  foreach(plugin rondo_llvm rondo_cuda)
    if(TARGET ${plugin})
      file(CREATE_LINK ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/lib${plugin}.so ${package}/lib${plugin}.so
        SYMBOLIC)
      add_dependencies(rondo_python ${plugin})
    endif()
  endforeach()
endfunction()

# The command `rondo`.
function(rondo_add_command)
  add_executable(rondo_command ${ARGN})
  set_target_properties(rondo_command PROPERTIES OUTPUT_NAME rondo)
  target_link_libraries(rondo_command PRIVATE rondo_static)
  set(places $ORIGIN/../lib)
  if(SKBUILD)
    # A wheel's programs go to bin, its package to site-packages.
    set(python python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR})
    foreach(lib lib lib64 local/lib)
      foreach(packages site-packages dist-packages)
        list(APPEND places $ORIGIN/../${lib}/${python}/${packages}/rondo)
      endforeach()
    endforeach()
  endif()
  rondo_find_plugin_in(rondo_command ${places})
endfunction()

# Hides what a product took in from static libraries, and all of its own but what cmake/<name>.map
# names.
function(rondo_export_only target name)
  set(map ${PROJECT_SOURCE_DIR}/cmake/${name}.map)
  target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,--exclude-libs,ALL)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()

# Sets where a product looks for plug-ins; $ORIGIN is the folder of the product itself.
function(rondo_find_plugin_in target)
  set_target_properties(${target} PROPERTIES BUILD_RPATH "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}"
    INSTALL_RPATH "${ARGN}")
endfunction()

if(RONDO_LLVM)
  # What LLVM needs itself is linked in as well, so that the plug-in needs no library of the system.
  set(ZLIB_USE_STATIC_LIBS ON)
  find_package(LLVM 19.1 CONFIG QUIET HINTS /usr/lib/llvm-19)
  if(TARGET zstd::libzstd_shared AND zstd_STATIC_LIBRARY)
    set_target_properties(zstd::libzstd_shared PROPERTIES IMPORTED_LOCATION ${zstd_STATIC_LIBRARY})
  endif()
  find_program(RONDO_CLANG NAMES clang++-19 HINTS ${LLVM_TOOLS_BINARY_DIR})
  if(NOT LLVM_FOUND OR NOT RONDO_CLANG)
    message(WARNING "Rondo is built without its LLVM plug-in: LLVM 19 or clang++-19 was not found; "
      "all kernels are interpreted. Install llvm-19-dev and clang-19, or set LLVM_DIR; "
      "-DRONDO_LLVM=OFF says that this is wanted.")
    set(RONDO_LLVM OFF)
  endif()
endif()

# The project's virtual environment, if tools/demo or tools/test made one, else the python on the path.
if(NOT Python_EXECUTABLE AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python)
endif()

if(RONDO_PYTHON)
  set(PYBIND11_FINDPYTHON ON)
  find_package(Python 3.10 COMPONENTS Interpreter Development.Module QUIET)
  if(Python_FOUND AND NOT pybind11_DIR)
    execute_process(COMMAND ${Python_EXECUTABLE} -m pybind11 --cmakedir
      OUTPUT_VARIABLE pybind11_DIR OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  find_package(pybind11 CONFIG QUIET)
  if(NOT Python_FOUND OR NOT pybind11_FOUND)
    message(WARNING "Rondo is built without its Python module: Python 3.10 with its headers or "
      "pybind11 was not found. tools/demo installs both; -DRONDO_PYTHON=OFF says that this is "
      "wanted.")
    set(RONDO_PYTHON OFF)
  endif()
endif()
