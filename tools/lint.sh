#!/usr/bin/env bash
# Checks format and style of everything, and runs clang-tidy on the C++ files that changed.
#
#   tools/lint.sh [all]     all: clang-tidy on every C++ file
#
# Changed: since this branch left origin/main, in the last commit where there is nothing since, and in the
# working tree. Needs a configured and built build/.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build
status=0

check() {
  local name=$1
  shift
  if "$@"; then
    echo "lint: $name: passed"
  else
    echo "lint: $name: FAILED" >&2
    status=1
  fi
}

base_of_changes() {
  local base
  base=$(git merge-base HEAD origin/main 2>/dev/null) || base=HEAD
  [[ $(git rev-parse "$base") != $(git rev-parse HEAD) ]] || base=HEAD~1
  git rev-parse --verify --quiet "$base"
}

# Without the benchmarks, which the default build leaves out.
changed_sources() {
  local base files=('*.cpp' '*.hpp' ':!tests/benchmarks')
  if [[ ${1:-} == all ]] || ! base=$(base_of_changes); then
    git ls-files -- "${files[@]}"
  else
    git diff --name-only --diff-filter=d "$base" -- "${files[@]}"
  fi
}

# shellcheck disable=SC2317 # called through check
run_clang_tidy() {
  [[ $# -gt 0 ]] || return 0
  # GCC's headers come last: they hold omp.h, which clang-tidy has not.
  local gcc_headers
  gcc_headers=$(dirname "$(g++ -print-file-name=include/omp.h)")
  printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" \
    clang-tidy --quiet -p "$build" --extra-arg=-idirafter"$gcc_headers" \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-pragma-once-outside-header \
    --extra-arg=-Wno-ignored-optimization-argument
}

mapfile -t sources < <(git ls-files -- '*.cpp' '*.hpp' '*.cu' '*.cuh')
mapfile -t changed < <(changed_sources "$@")

check clang-format clang-format --dry-run --Werror "${sources[@]}"
check "clang-tidy (${#changed[@]} files)" run_clang_tidy "${changed[@]}"
check "ruff check" .venv/bin/ruff check .
check "ruff format" .venv/bin/ruff format --check .
for config in config/quick.yaml config/study_example.yaml; do
  check "snakemake --lint: $config" .venv/bin/snakemake --lint --configfile "$config"
done
exit $status
