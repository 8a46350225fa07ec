#!/usr/bin/env bash
# Records the revision at hand, draws and judges the history, and keeps it on the branch `history` of the
# remote `origin`. Fails if something has drifted. See docs/history.md.
#
#   tools/nightly.sh [DEVICE [COMMAND...]]     DEVICE: cpu (the default), cuda or cuda:N
#                                              COMMAND: what measures elsewhere, such as
#                                              sbatch --wait config/ci/nightly.sbatch
set -euo pipefail
cd "$(dirname "$0")/.."
device=${1:-cpu}
branch=build-checks/history-branch # a worktree
history=$branch/history.jsonl

is_there() {
  git ls-remote --exit-code origin refs/heads/history >/dev/null
}

# Checks the branch out, which begins without any file.
open_branch() {
  local start
  if is_there; then
    git fetch --quiet origin history
    start=$(git rev-parse FETCH_HEAD)
  else
    start=$(git_as_nightly commit-tree -m "History of numbers, errors and times" "$(git mktree </dev/null)")
  fi
  git worktree remove --force "$branch" 2>/dev/null || git worktree prune
  git worktree add --quiet --detach --force "$branch" "$start"
  echo "*.jsonl merge=union" >"$branch/.gitattributes" # lines that two machines add are kept
}

keep() {
  git -C "$branch" add .
  ! git -C "$branch" diff --cached --quiet || return 0 # nothing new
  git_as_nightly -C "$branch" commit --quiet -m "Recorded by $(hostname)"
  ! is_there || git_as_nightly -C "$branch" pull --quiet --rebase origin history
  git -C "$branch" push --quiet origin HEAD:refs/heads/history
}

git_as_nightly() {
  git -c user.name=nightly -c user.email="nightly@$(hostname)" "$@"
}

open_branch
"${@:2}" make record DEVICE="$device" HISTORY="$history"
keep
make history HISTORY="$history"
