# Everything works from nothing with python3.11+ and pip alone. What is installed is locked in constraints.txt.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Where pip would take a build of torch for a graphics card, name another: make test TORCH=...
TORCH ?= torch==2.13.0
PYTEST := OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 $(BIN)/pytest -n 2 --dist loadfile --durations=10
LANGUAGES := en fr de he ru

.PHONY: clams test check nightly nightly-tests lock test-lowest test-newest coverage docs clean

$(VENV)/.base: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) -c constraints.txt -e ".[datasets]"
	touch $@

$(VENV)/.dev: $(VENV)/.base
	$(PIP) -c constraints.txt $(TORCH)
	$(PIP) -c constraints.txt -e ".[dev]"
	touch $@

$(VENV)/.nightly: $(VENV)/.dev
	$(PIP) -c constraints.txt -e ".[nightly]"
	touch $@

$(VENV)/.docs: $(VENV)/.base
	$(PIP) -c constraints.txt -e ".[datasets,docs]"
	touch $@

# Build the data set CLAMS in five languages, load it, show five pairs of each language.
clams: $(VENV)/.base
	$(BIN)/solecism build clams
	$(BIN)/python scripts/show_dataset.py clams $(LANGUAGES)

# Install what the tests need and run them, without those that take long (see nightly).
test: $(VENV)/.dev
	$(PYTEST)

# The linter and the type checker.
check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# What takes too long for each change: all tests (browser, faults, training, whole data sets), in random
# order too (pytest-randomly); changed files; the lowest and the newest versions of the dependencies.
nightly: check nightly-tests test-lowest test-newest

nightly-tests: $(VENV)/.nightly
	$(PYTEST) -m "" -p no:randomly
	$(PYTEST)
	$(BIN)/solecism check
	$(BIN)/python scripts/fuzz.py --count 3000 --seed 1

# Name the version of everything that is installed, for Python 3.11 to 3.14.
lock: $(VENV)/.base
	$(PIP) uv
	echo $(TORCH) | $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --all-extras --upgrade \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links \
		--constraint - --output-file constraints.txt pyproject.toml

# Building, pushing and loading with the lowest versions that pyproject.toml allows.
test-lowest:
	scripts/check_versions.sh lowest-direct

# The tests with the newest versions that there are, whatever constraints.txt and pyproject.toml say.
test-newest:
	scripts/check_versions.sh newest

# The tests, slower, with a table of the lines that no test runs.
coverage: $(VENV)/.nightly
	$(PYTEST) -m "" --cov=solecism --cov-report=term:skip-covered

# The documentation as a site, in build/docs.
docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs build/docs

clean:
	rm -rf $(VENV) clams dist build .mypy_cache .ruff_cache .pytest_cache
