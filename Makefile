# make          set up this machine, then the study: results/figures/
# make test     set up, build, every test that this machine can run
# make build    set up, build/bin/gothic and build/bin/gothic-ic
# make regress  errors and counters of fixed problems against the baseline in tests/regress
# make regress-update WHY="..."   make the present numbers the baseline; WHY is kept in it
# make report   what results/ holds in one page, results/report.html
# make lint     format and style; clang-tidy on changed files (LINT=all: on every file)
# make regress-speed BASE=REVISION   whether the working tree is slower than a revision: docs/speed.md
# make clean    remove builds and caches; results/ and .venv/ stay

CONFIG ?= config/quick.yaml
JOBS ?= $(shell nproc)
LINT ?=
BASE ?=
PAIRS ?= 15
DEVICE ?= cpu
WHY ?=

.PHONY: study setup build test regress regress-update regress-runs report lint regress-speed clean

study: setup
	.venv/bin/python -m analysis.configuration $(CONFIG)
	.venv/bin/snakemake --workflow-profile config/profiles/local --configfile $(CONFIG)

setup:
	tools/setup.sh

build: setup
	cmake --preset default
	cmake --build --preset default --parallel $(JOBS)

# Both runners report, even if the first one fails. Waiting threads sleep, since tests share the cores.
test: build
	-tools/setup.sh test
	export OMP_WAIT_POLICY=passive; status=0; \
	ctest --preset default --parallel $(JOBS) || status=1; \
	.venv/bin/python -m pytest || status=1; \
	exit $$status

# Its forces and runs are short, and waiting threads would keep each other from the cores.
regress-runs: setup
	OMP_WAIT_POLICY=passive .venv/bin/snakemake --workflow-profile config/profiles/local --quiet rules \
	  --configfile config/regress.yaml

regress: regress-runs
	.venv/bin/python -m analysis.regress regress

regress-update: regress-runs
	.venv/bin/python -m analysis.regress regress --update "$$WHY"

# Always made anew, since it shows whatever is there.
report: setup
	.venv/bin/snakemake --workflow-profile config/profiles/local --quiet rules --configfile $(CONFIG) \
	  --forcerun report -- report

lint: build
	tools/setup.sh lint
	tools/lint.sh $(LINT)

regress-speed: setup
	.venv/bin/python -m analysis.speed --pairs $(PAIRS) --device $(DEVICE) \
	  --base $(or $(BASE),$(error Name the revision to compare with: make regress-speed BASE=main))

clean:
	rm -rf build build-* .snakemake .pytest_cache .ruff_cache
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
