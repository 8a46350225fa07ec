# make          set up this machine, then the study: results/index.html
# make HOURS=100   the same for a study of more than the 24 hours that one may take unasked
# make test     set up, build, the tests that take a few minutes
# make test-all the long tests, the sanitizers and the fuzzers as well
# make test-long    the long tests alone; make test-full-size: the tutorial, half an hour
# make build    set up, build/bin/gothic and build/bin/gothic-ic, and the Python package for .venv
# make wheel    the Python package as a wheel for other environments on this machine: dist/
# make regress  numbers of fixed problems against the baseline, bit by bit; BASE=REVISION: against that
# make regress-update WHY="..."   make the present numbers the baseline; WHY is kept in it
# make docs     docs/reference.md anew, from the programs; docs/tables.md and findings.md from the tables
# make site     a web site of the pages of docs, with the interfaces of Python and C++: build/site/index.html
# make pictures all pictures of docs anew, from committed tables and drawings, with their captions in the pages
# make validation   docs/validation.csv anew: forces, orbits, equilibria against theory
# make sanitize tests under sanitizers; SANITIZER=threads: under one, or addresses
# make fuzz     every reader of files on new inputs; FUZZ_SECONDS=20 for each
# make report   what results/ holds in one page, results/report.html
# make lint     format and style; clang-tidy on changed files (LINT=all: on every file)
# make regress-speed BASE=REVISION   whether the working tree is slower than a revision
# make record [REVISION="HEAD A..B"]   add numbers, errors and times of revisions to HISTORY=history.jsonl
# make history  draw HISTORY into results/history, and fail on a drift since the anchor
# make clean    remove builds and caches; results/ and .venv/ stay

CONFIG ?= config/quick.yaml
JOBS ?= $(shell nproc)
HOURS ?=
LINT =
BASE ?=
PAIRS ?= 15
DEVICE ?= cpu
WHY ?=
REVISION ?= HEAD
HISTORY ?= history.jsonl
AGAIN ?=
FUZZ_SECONDS ?= 20
SANITIZER ?=

.PHONY: study setup build test test-long test-full-size test-all regress regress-update docs site pictures validation \
  sanitize fuzz report lint regress-speed record history wheel clean

study: setup
	.venv/bin/python -m analysis.study.configuration $(CONFIG) $(if $(HOURS),--given '{"hours": $(HOURS)}')
	.venv/bin/snakemake --workflow-profile config/profiles/local --configfile $(CONFIG) \
	  $(if $(HOURS),--config hours=$(HOURS))

setup:
	tools/setup.sh

build: setup
	cmake --preset default
	cmake --build --preset default --parallel $(JOBS)

wheel: setup
	.venv/bin/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

# Both runners report, even if the first one fails.
# $(1): options of ctest; $(2): processes of pytest; $(3): its options
define run_tests
cmake --build --preset default --parallel $(JOBS) --target tests
status=0; \
ctest --preset default --parallel $(JOBS) $(1) || status=1; \
.venv/bin/python -m pytest --numprocesses $(2) --dist loadfile $(3) || status=1; \
exit $$status
endef

test: build
	-tools/setup.sh site
	$(call run_tests,--label-exclude long,$(JOBS))

# One process more than there are cores, since tests on a cluster mostly wait.
test-long: build
	-tools/setup.sh test
	-tools/setup.sh site
	$(call run_tests,--label-regex long,$$(($(JOBS) + 1)),-m "long and not full_size")

test-full-size: build
	.venv/bin/python -m pytest -m full_size

test-all: test test-long test-full-size fuzz sanitize

regress: setup
	.venv/bin/python -m analysis.checks regress --device $(DEVICE) $(if $(BASE),--base $(BASE))

regress-update: setup
	.venv/bin/python -m analysis.checks regress --device $(DEVICE) --update "$$WHY"

docs: build
	.venv/bin/python -m analysis.docs.reference --programs build/bin --output docs/reference.md
	.venv/bin/python -m analysis.measured.validity
	.venv/bin/python -m analysis.paper.findings --output docs/findings.md

site: build
	tools/setup.sh site
	tools/site.sh

pictures: build
	tools/setup.sh site
	.venv/bin/python -m analysis.docs.pictures

validation: build
	.venv/bin/python -m analysis.checks validation --programs build/bin --output docs/validation.csv

sanitize: setup
	tools/setup.sh sanitize
	tools/sanitize.sh $(SANITIZER) $(JOBS)

fuzz: setup
	tools/setup.sh sanitize
	cmake --preset sanitize
	cmake --build --preset sanitize --parallel $(JOBS) --target fuzzers
	FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz.sh

# Always made anew, since it shows whatever is there.
report: setup
	.venv/bin/snakemake --workflow-profile config/profiles/local --quiet rules --configfile $(CONFIG) \
	  --forcerun report -- report

lint: build
	tools/setup.sh lint
	tools/lint.sh $(LINT)

regress-speed: setup
	.venv/bin/python -m analysis.checks speed --pairs $(PAIRS) --device $(DEVICE) \
	  --base $(or $(BASE),$(error Name the revision to compare with: make regress-speed BASE=main))

record: setup
	.venv/bin/python -m analysis.checks record --device $(DEVICE) --history $(HISTORY) $(if $(AGAIN),--again) \
	  $(REVISION)

history: setup
	.venv/bin/python -m analysis.checks history --history $(HISTORY)

clean:
	rm -rf build build-* dist .snakemake .pytest_cache .ruff_cache
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
