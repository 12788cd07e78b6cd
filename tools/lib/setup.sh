# Installs what tools/demo and tools/test need and is missing: Debian packages through apt, Python
# packages in .venv. Sourced; a second run finds everything and takes well under a second.

# requirements FILE...: the names in the lists, without comments.
requirements() {
  sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$@"
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

# setup_apt LIST...: installs the Debian packages of the lists that are missing.
setup_apt() {
  local lists=("${@/#/tools/requirements/apt-}")
  lists=("${lists[@]/%/.txt}")
  local missing
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    missing=$(missing_commands)
    [ -z "$missing" ] && return 0
    echo "This system is not Debian, so nothing is installed here. Missing: $missing."
    echo "Install by its own package manager what these Debian packages hold, and run again:"
    requirements "${lists[@]}" | sed 's/^/  /'
    return 1
  fi
  missing=$(missing_packages "${lists[@]}")
  [ -z "$missing" ] && return 0
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    echo "Installing Debian packages needs root or sudo. As root, run this and start again:"
    echo "  apt-get install --no-install-recommends" $missing
    return 1
  fi
  echo "apt-get install" $missing
  # A foreign package source that does not answer is no reason to stop.
  as_root apt-get update -q || echo "apt-get update failed in part; trying with the known lists"
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends $missing
}

missing_packages() {
  local name
  requirements "$@" | while read -r name; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || echo "$name"
  done
}

# The tools without which nothing can be built, for systems whose package names are unknown.
missing_commands() {
  local name missing=()
  for name in c++ cmake ninja clang++-19 python3; do
    command -v "$name" >/dev/null || missing+=("$name")
  done
  echo "${missing[*]}"
}

# setup_pip LIST...: makes .venv if there is none and brings the lists' Python packages into it.
setup_pip() {
  local lists=("${@/#/tools/requirements/pip-}")
  lists=("${lists[@]/%/.txt}")
  local python=/usr/bin/python3
  [ -x "$python" ] || python=$(command -v python3)
  local stamp
  stamp=.venv/stamp-$( ("$python" -V; requirements "${lists[@]}") | sha256sum | cut -c1-16)
  [ -e "$stamp" ] && return 0
  [ -x .venv/bin/python ] || "$python" -m venv .venv || return 1
  .venv/bin/python -m pip install --disable-pip-version-check -q $(requirements "${lists[@]}") &&
    touch "$stamp"
}

# setup LIST...: everything for the lists, `demo` or `demo test`.
setup() {
  setup_apt "$@" && setup_pip "$@"
}
