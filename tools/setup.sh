#!/usr/bin/env bash
# Prepares this machine: the system packages of Debian 12 and .venv with the packages of requirements.lock.
#
#   tools/setup.sh [lint | test | sanitize | site]
#                                            lint: the formatters and checkers of `make lint` as well
#                                            test: Slurm as well, without which some tests are skipped
#                                            sanitize: clang as well, for `make sanitize` and `make fuzz`
#                                            site: Doxygen as well, for `make site`
#
# Missing system packages are installed by root, and named by anybody else. Does nothing when all is there.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(g++ cmake ninja-build git python3-venv python3-dev libhdf5-dev libcli11-dev libtomlplusplus-dev
          libfmt-dev nlohmann-json3-dev libutfcpp-dev librandom123-dev libboost-dev libgtest-dev
          libopenmpi-dev openmpi-bin)
case ${1:-} in
  lint) packages+=(clang-format clang-tidy) ;;
  test) packages+=(slurm-wlm munge) ;;
  sanitize) packages+=(clang llvm libclang-rt-dev) ;;
  site) packages+=(doxygen graphviz) ;;
esac

fail() {
  echo "setup: $*" >&2
  exit 1
}

is_installed() {
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# Keeps packages from starting the daemons that they bring.
start_no_services() {
  local policy=/usr/sbin/policy-rc.d
  [[ ! -e $policy ]] || return 0
  trap 'rm -f /usr/sbin/policy-rc.d' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
}

provide_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "setup: not a Debian-like machine; taken to be there: ${packages[*]}" >&2
    return
  fi
  local missing=() package
  for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0

  if [[ $(id -u) -ne 0 ]]; then
    echo "System packages are missing. Run this, then try again:" >&2
    echo "sudo apt-get update && sudo apt-get install --yes --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  start_no_services
  apt-get update --quiet
  apt-get install --yes --quiet --no-install-recommends "${missing[@]}"
}

provide_python_packages() {
  local stamp=.venv/requirements.lock # what .venv was made from
  if cmp --silent requirements.lock "$stamp" && .venv/bin/python -c '' 2>/dev/null; then
    return
  fi
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "Python 3.11 or later is needed, but python3 is $(python3 --version 2>&1)"
  # venv would empty the folder behind the link, which other checkouts may use.
  [[ ! -L .venv ]] || fail ".venv is a link to one that was not made from this requirements.lock: remove the link"
  echo "setup: making .venv from requirements.lock"
  python3 -m venv --clear .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
  cp requirements.lock "$stamp"
}

# Lets .venv's Python import the package that the build leaves in build/python. The name is relative to the
# folder of its packages, so that it holds wherever .venv is linked from.
provide_built_package() {
  local folder=../../../../build/python file
  file=$(echo .venv/lib/python3*/site-packages)/gothic.pth
  [[ -e $file && $(<"$file") == "$folder" ]] || echo "$folder" >"$file"
}

provide_packages
provide_python_packages
provide_built_package
