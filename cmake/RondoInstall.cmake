# What `cmake --install` lays down: for C++ users bin, lib and include with a package for
# find_package(Rondo); for a wheel the files that go beside the Python package.
include(CMakePackageConfigHelpers)

# All products and no tests.
add_custom_target(products)
foreach(product rondo rondo_llvm rondo_cuda rondo_python rondo_command)
  if(TARGET ${product})
    add_dependencies(products ${product})
  endif()
endforeach()

if(SKBUILD)
  set(modules rondo_python rondo_llvm rondo_cuda)
  set(libraries rondo)
  set(programs ${SKBUILD_SCRIPTS_DIR})
else()
  set(modules rondo_llvm rondo_cuda)
  set(libraries ${CMAKE_INSTALL_LIBDIR})
  set(programs ${CMAKE_INSTALL_BINDIR})
endif()
foreach(product ${modules} rondo_command)
  if(TARGET ${product})
    install(TARGETS ${product} LIBRARY DESTINATION ${libraries} RUNTIME DESTINATION ${programs})
  endif()
endforeach()

if(TARGET rondo AND NOT SKBUILD)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Rondo)
  install(TARGETS rondo EXPORT RondoTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY bindings/c/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT RondoTargets NAMESPACE Rondo:: DESTINATION ${package})
  configure_package_config_file(cmake/RondoConfig.cmake.in ${PROJECT_BINARY_DIR}/RondoConfig.cmake
    INSTALL_DESTINATION ${package})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/RondoConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/RondoConfig.cmake
    ${PROJECT_BINARY_DIR}/RondoConfigVersion.cmake DESTINATION ${package})
  install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
