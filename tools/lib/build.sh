# Configures and builds presets. Sourced.

jobs=$(nproc)

# build_preset PRESET [TARGET...]: configures where needed (afterwards CMake does so by itself) and
# builds.
build_preset() {
  local preset=$1
  shift
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" || return 1
  cmake --build "build/$preset" -j "$jobs" ${1:+--target "$@"}
}

# build_products: builds what users run, without the tests, and makes .venv import it.
build_products() {
  build_preset release products && link_package
}

# link_package: makes .venv import `rondo` from the release build.
link_package() {
  local site
  site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  echo "$PWD/build/release/python" >"$site/rondo.pth"
}
