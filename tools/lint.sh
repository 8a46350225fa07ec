#!/usr/bin/env bash
# Checks format and style of everything, and runs clang-tidy on the C++ files that changed.
#
#   tools/lint.sh [all]     all: clang-tidy on every C++ file
#
# A file counts as changed if this branch changed it since origin/main (or, if nothing has changed since, in the
# last commit), or the working tree does. If there are many, clang-tidy checks the ones with the most changed
# lines. Needs a configured and built build/.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build
most=60 # files that clang-tidy sees in some minutes
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

# Files with changed lines, ordered by their number; a file that was moved has its new name.
changed_since() {
  git diff --numstat -z --find-renames --diff-filter=d "$@" | tr '\0' '\n' |
    awk -F '\t' '{ lines = $1 + $2; name = $3 } name == "" { getline; getline name } lines { print lines "\t" name }' |
    sort -rn | cut -f 2
}

sources_to_tidy() {
  local base files=('*.cpp' '*.hpp' ':!docs') # docs has another project
  if [[ ${1:-} == all ]] || ! base=$(base_of_changes); then
    git ls-files -- "${files[@]}"
  else
    changed_since "$base" -- "${files[@]}"
  fi
}

# shellcheck disable=SC2317 # called through check
run_clang_tidy() {
  [[ $# -gt 0 ]] || return 0
  printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p "$build"
}

# shellcheck disable=SC2317 # called through check
marks_lambdas() {
  ! git grep --line-number --extended-regexp '[^]]\] GOTHIC_HD' -- '*.cpp' '*.hpp' '*.cu' '*.cuh'
}

mapfile -t sources < <(git ls-files -- '*.cpp' '*.hpp' '*.cu' '*.cuh')
mapfile -t tidied < <(sources_to_tidy "$@")
if [[ ${1:-} != all ]] && ((${#tidied[@]} > most)); then
  echo "lint: clang-tidy: $most of ${#tidied[@]} changed files; make lint LINT=all checks all"
  tidied=("${tidied[@]:0:most}")
fi

check clang-format clang-format --dry-run --Werror "${sources[@]}"
check "clang-tidy (${#tidied[@]} files)" run_clang_tidy "${tidied[@]}"
check "lambdas for a device are GOTHIC_DEVICE (docs/howto_device.md)" marks_lambdas
check "ruff check" .venv/bin/ruff check .
check "ruff format" .venv/bin/ruff format --check .
for config in config/quick.yaml config/study_example.yaml; do
  check "snakemake --lint: $config" .venv/bin/snakemake --lint --configfile "$config"
done
exit $status
