# make demo | test | test-bounds | fuzz | lint | bench | reproduce | clean; all set-up happens in .venv/ of this folder.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH_STAMP := $(VENV)/.bench
# Numba's cache does not know whether kernels check their bounds: those that do have a cache of their own.
BOUNDS := NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(abspath $(VENV)/bounds-cache)

.PHONY: demo test test-bounds fuzz lint format bench reproduce wheel clean

demo: $(STAMP)
	$(BIN)/python -m textensor.demo

test: $(STAMP)
	$(BIN)/python -m pytest -n auto $(PYTEST_ARGS)

# Kernels that read past an array raise here.
test-bounds: $(STAMP)
	$(BOUNDS) $(BIN)/python -m pytest -n auto tests $(PYTEST_ARGS)

# Hostile model files and index folders: 100,000 take hours; it goes on where it was stopped.
MUTANTS ?= 100000
fuzz: $(STAMP)
	$(BOUNDS) $(BIN)/python -m tests.fuzz --mutants $(MUTANTS) $(FUZZ_ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks

# All tables and figures in full, and the front page's table from them; it goes on where it was stopped.
reproduce: $(STAMP)
	$(BIN)/python -m experiments all --full
	$(BIN)/python -m experiments.engine.summary results README.md

wheel: $(STAMP)
	rm -rf dist
	$(BIN)/python -m build --wheel

clean:
	rm -rf $(VENV) dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis textensor-demo
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is as new as the last installation that worked, so a second make installs nothing.
$(STAMP): pyproject.toml
	@command -v $(PYTHON) >/dev/null 2>&1 || { echo "There is no '$(PYTHON)' here: install Python 3.11 or newer, or say make PYTHON=/path/to/python."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "'$(PYTHON)' is $$($(PYTHON) --version 2>&1): textensor needs Python 3.11 or newer; say make PYTHON=/path/to/python."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "'$(PYTHON)' has no working venv module: install it (on Debian and Ubuntu: apt-get install python3-venv)."; exit 1; }
	@echo "Setting up $(VENV)/ (once; again only when pyproject.toml changes)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade --disable-pip-version-check -e ".[dev]"
	@touch $(STAMP)

# What the benchmarks compare with; without it they say so in its row.
$(BENCH_STAMP): $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[bench]" && touch $(BENCH_STAMP) || echo "The extra [bench] could not be installed."
