# What the build cannot do without. All that is missing is named at once, each with the Debian package
# that holds it; the plug-ins, the server and the Python module say themselves why they are left out.
set(missing "")

find_package(fmt QUIET)
if(NOT fmt_FOUND)
  list(APPEND missing "fmt (libfmt-dev)")
endif()

foreach(row nlohmann/json.hpp:nlohmann-json3-dev xxhash.h:libxxhash-dev)
  string(REPLACE ":" ";" row ${row})
  list(GET row 0 header)
  list(GET row 1 package)
  string(MAKE_C_IDENTIFIER RONDO_HEADER_${header} found)
  find_path(${found} ${header})
  mark_as_advanced(${found})
  if(NOT ${found})
    list(APPEND missing "${header} (${package})")
  endif()
endforeach()

if(missing)
  list(JOIN missing ", " missing)
  message(FATAL_ERROR "Rondo's build needs what is not there: ${missing}. In brackets stand the Debian "
    "packages; tools/requirements/apt-demo.txt lists all, and tools/demo installs them.")
endif()
