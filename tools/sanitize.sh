#!/usr/bin/env bash
# Runs tests with sanitizers: addresses and undefined behaviour, then threads.
#
#   tools/sanitize.sh [addresses | threads] [JOBS]     without a word: both
#
# Addresses: files, device and tree, and the programs with damaged files and odd particles. Threads: device, tree
# and whole runs, and a program with a race, which the sanitizer must find. Each room is one process, since short
# tests spend most of their time in starting. Left out: tests that limit the memory, in which the sanitizers have
# no room.
set -euo pipefail
cd "$(dirname "$0")/.."

which=both
if [[ ${1:-} == addresses || ${1:-} == threads ]]; then
  which=$1
  shift
fi
jobs=${1:-$(nproc)}

export ASAN_OPTIONS=allocator_may_return_null=1
export LSAN_OPTIONS=suppressions=$PWD/tests/sanitizers/leaks.txt:print_suppressions=0
export TSAN_OPTIONS=halt_on_error=1

# Runs the tests of the room $3 in the build of the preset $1, without the tests that the pattern $2 of Google
# Test leaves out. Shows their output if one fails.
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

# Builds the preset $1 with the targets $2 and the rooms behind the pattern $3, and runs those, $jobs at a time.
check() {
  local preset=$1 programs=$2 filter=$3
  shift 3
  cmake --preset "$preset"
  # shellcheck disable=SC2086 # several targets
  cmake --build --preset "$preset" --parallel "$jobs" --target $programs "${@/#/test_}"
  printf '%s\n' "$@" | xargs -P "$jobs" -n 1 bash -c 'run_room "$@"' run_room "$preset" "$filter"
}

addresses() {
  check sanitize "gothic gothic-ic" '*' files device tree
  GOTHIC_PROGRAMS=build-sanitize/bin .venv/bin/python -m pytest -q --numprocesses "$jobs" \
    tests/faults/test_damaged_files.py tests/faults/test_odd_particles.py tests/programs/test_input.py
}

threads() {
  check thread racy '-*Memory*' run device tree
  if build-thread/bin/racy 2>/dev/null; then
    echo "sanitize: the thread sanitizer did not see a race" >&2
    return 1
  fi
}

[[ $which == threads ]] || addresses
[[ $which == addresses ]] || threads
