# Everything works from nothing with python3.11+ and pip alone.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Where pip would take a build of torch for a graphics card, name another: make test TORCH=...
TORCH ?= torch==2.13.0
LANGUAGES := en fr de he ru

.PHONY: clams test test-lowest lint types unit coverage docs clean

$(VENV)/.base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[datasets]"
	touch $@

$(VENV)/.dev: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@

$(VENV)/.docs: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[datasets,docs]"
	touch $@

# Build the data set CLAMS in five languages, load it, show five pairs of each language.
clams: $(VENV)/.base
	$(BIN)/solecism build clams
	$(BIN)/python scripts/show_dataset.py clams $(LANGUAGES)

# Install what the tests need and run linter, types and tests.
test: $(VENV)/.dev lint types unit

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

unit: $(VENV)/.dev
	OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 $(BIN)/pytest -n 2 --dist loadfile --durations=10

# The tests, slower, with a table of the lines that no test runs.
coverage: $(VENV)/.dev
	OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 $(BIN)/pytest -n 2 --dist loadfile --cov=solecism --cov-report=term:skip-covered

# Tests of building, pushing and loading with the lowest versions of the dependencies that pyproject.toml allows.
test-lowest:
	scripts/check_lowest.sh datasets

# The documentation as a site, in build/docs.
docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs build/docs

clean:
	rm -rf $(VENV) clams dist build .mypy_cache .ruff_cache .pytest_cache
