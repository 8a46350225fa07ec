#!/usr/bin/env bash
# Builds the tests with sanitizers and runs them: addresses and undefined behaviour, then threads.
#
#   tools/sanitize.sh [addresses | threads] [JOBS]     without a word: both
#
# Each room's tests are one process, since most of the time of short ones goes into starting. Left out:
# tests labelled "long", and those that limit memory, for which the address sanitizer has no room. The
# thread sanitizer sees the tests of what uses threads. That it finds a race is shown by a program with
# one, which must fail.
set -euo pipefail
cd "$(dirname "$0")/.."

which=both
if [[ ${1:-} == addresses || ${1:-} == threads ]]; then
  which=$1
  shift
fi
jobs=${1:-$(nproc)}

export OMP_WAIT_POLICY=passive
export ASAN_OPTIONS=allocator_may_return_null=1
export LSAN_OPTIONS=suppressions=$PWD/tests/sanitizers/leaks.txt:print_suppressions=0
# The standard library and OpenMP's are not instrumented; what they do to each other's memory is theirs.
export TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1

# Runs the tests of the room $3 in the build of the preset $1, but those that the pattern $2 of Google
# Test leaves out; shows what they write if one fails.
run_room() {
  local build=build-$1 filter=$2 room=$3
  local log=$build/test_$room.log
  if "$build/bin/test_$room" --gtest_brief=1 --gtest_filter="$filter" >"$log" 2>&1; then
    echo "sanitize: $1: $room: $(sed -n 's/^\[  PASSED  \] //p' "$log")"
  else
    cat "$log"
    return 1
  fi
}
export -f run_room

# The same for all rooms behind the first two arguments, $jobs at a time.
run_rooms() {
  local preset=$1 filter=$2
  shift 2
  printf '%s\n' "$@" | xargs -P "$jobs" -n 1 bash -c 'run_room "$@"' run_room "$preset" "$filter"
}

addresses() {
  local rooms=(ic gravity run device files tree dynamics tuning) # the longest first
  cmake --preset sanitize
  cmake --build --preset sanitize --parallel "$jobs" --target gothic gothic-ic "${rooms[@]/#/test_}"
  run_rooms sanitize '*' "${rooms[@]}" &
  GOTHIC_PROGRAMS=build-sanitize/bin .venv/bin/python -m pytest -q tests/faults tests/programs/test_input.py \
    tests/programs/test_formats.py -k "not memory"
  wait $!
}

threads() {
  local rooms=(gravity run device tree dynamics tuning)
  cmake --preset thread
  cmake --build --preset thread --parallel "$jobs" --target racy test_ic "${rooms[@]/#/test_}"
  if build-thread/bin/racy 2>/dev/null; then
    echo "sanitize: the thread sanitizer did not see a race" >&2
    return 1
  fi
  run_rooms thread '-*Memory*' "${rooms[@]}"
  run_rooms thread '*Threads*' ic
}

[[ $which == threads ]] || addresses
[[ $which == addresses ]] || threads
