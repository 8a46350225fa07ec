#!/usr/bin/env bash
# Makes the web site of the pages: Sphinx for the pages and the Python package, Doxygen for the C++ headers. A warning
# of either is an error.
#
#   tools/site.sh [FOLDER [PYTHON]]     FOLDER: where to, by default build/site; PYTHON: by default that of .venv
set -euo pipefail
cd "$(dirname "$0")/.."
export SITE=${1:-build/site} # for the Doxyfile
python=${2:-.venv/bin/python}

"$python" -m sphinx --quiet --fresh-env --fail-on-warning --keep-going -c docs/site . "$SITE"
doxygen docs/site/Doxyfile
