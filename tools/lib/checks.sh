# The checks that are stages of tools/test. Sourced.

# check_format: every C++ file is as clang-format would write it.
check_format() {
  git ls-files -co --exclude-standard '*.h' '*.hpp' '*.cpp' | xargs -r clang-format-19 --dry-run -Werror
}

# check_tidy: clang-tidy has no finding in any source of the release build.
check_tidy() {
  .venv/bin/python tools/lib/tidy.py build/release
}

# run_ctest NAME PRESET [ARGUMENT...]: runs the tests of a preset's build that the arguments select.
run_ctest() {
  local name=$1 preset=$2
  shift 2
  ctest --preset "$preset" -j "$jobs" --no-tests=ignore "$@" \
    --output-junit "$PWD/build/results/$name.xml"
}

# run_pytest NAME: runs the Python tests against the release build.
run_pytest() {
  RONDO_COMMAND="$PWD/build/release/bin/rondo" .venv/bin/python -m pytest tests/python -q -rs \
    --junitxml="build/results/$1.xml"
}
