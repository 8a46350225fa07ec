#!/usr/bin/env bash
# Runs every fuzz target on new inputs for a while, and says how many it has tried.
#
#   tools/fuzz.sh [NAME...]     FUZZ_SECONDS=20   seconds for each target, as many at a time as there are cores
#
# An input that a reader neither reads nor refuses stops it; the file is kept in build-sanitize/found/.
# Its fix comes with a copy of it in tests/fuzz/corpus/NAME/. Needs the target "fuzzers" of the preset
# "sanitize".
set -euo pipefail
cd "$(dirname "$0")/.."

export seconds=${FUZZ_SECONDS:-20} found=build-sanitize/found
names=("$@")
[[ ${#names[@]} -gt 0 ]] || mapfile -t names < <(ls tests/fuzz/corpus)
inputs=$(mktemp -d)
export inputs
trap 'rm -rf "$inputs"' EXIT
mkdir -p "$found"

# New inputs that reach something new stay in the folder $inputs/NAME. Leaks are looked for in the
# end, rather than after every input, since leaks of the HDF5 library would make that slow.
fuzz() {
  local name=$1 status=0
  mkdir -p "$inputs/$name" "$inputs/tmp"
  TMPDIR=$inputs/tmp ASAN_OPTIONS=allocator_may_return_null=1 \
    LSAN_OPTIONS=suppressions=$PWD/tests/sanitizers/leaks.txt:print_suppressions=0 \
    "build-sanitize/bin/fuzz_$name" -seed=1 -timeout=60 -max_total_time="$seconds" -rss_limit_mb=4096 \
    -detect_leaks=0 -print_final_stats=1 -artifact_prefix="$found/$name-" \
    "$inputs/$name" "tests/fuzz/corpus/$name" >"$inputs/$name.log" 2>&1 || status=1
  local count
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$inputs/$name.log" | tail -n 1)
  if ((status == 0)); then
    echo "fuzz: $name: ${count:-?} inputs in $seconds s, nothing lost"
  else
    tail -n 60 "$inputs/$name.log"
    echo "fuzz: $name: ${count:-?} inputs in $seconds s, LOST ONE"
  fi
  return $status
}
export -f fuzz

# shellcheck disable=SC2016 # expanded by the inner shell
printf '%s\n' "${names[@]}" | xargs -P "$(nproc)" -n 1 bash -c 'fuzz "$1"' fuzz
