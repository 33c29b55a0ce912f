# Everything sets itself up in .venv; only Python 3.11 or newer and make are needed.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Installed sets of packages, each remembered by a file that is older than pyproject.toml when it is stale.
CORE   := $(VENV)/.core
DEV    := $(VENV)/.dev
EXTRAS := $(VENV)/.extras
DOCS   := $(VENV)/.docs
PEERS  := $(VENV)/.peers
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test extras check docs format benchmark peers clean

help:  ## list the commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{printf "  make %-11s %s\n", $$1, $$2}'

demo: $(CORE)  ## evaluate built-in synthetic data; tables and pictures go to demo/
	@$(BIN)/mated demo demo

test: $(DEV)  ## run the tests
	$(BIN)/python -m pytest -n auto -q

extras: $(EXTRAS)  ## install what some tests need and skip without: Dask, DuckDB, a browser
	@command -v chromium chromium-browser google-chrome >/dev/null || \
	  { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1 || \
	  echo "No Chromium here and none could be installed: the tests of the page in a browser will be skipped."

docs: $(DOCS)  ## build the documentation site into docs/_build/html
	$(BIN)/sphinx-build --fail-on-warning --quiet -b html docs docs/_build/html
	@echo "The documentation is at docs/_build/html/index.html"

check: $(DEV)  ## lint, formatting, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(DEV)  ## put the sources into the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

benchmark: $(PEERS)  ## measure speed against peers and rewrite benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks

peers:  ## install the peers that need an environment of their own (large; optional)
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet bob.measure torchmetrics

clean:  ## remove what the commands above made
	rm -rf $(VENV) demo docs/_build .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache .benchmarks
	find src tests benchmarks -name __pycache__ -type d -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "mated needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "Setting up $(VENV) (once) ..."
	@$(PYTHON) -m venv $(VENV)

$(CORE): pyproject.toml | $(BIN)/python
	@$(PIP) -e .
	@touch $@

$(DEV): pyproject.toml | $(BIN)/python
	@echo "Installing mated and its test tools into $(VENV) (once) ..."
	@$(PIP) -e '.[test,lint]'
	@touch $(CORE) $@

$(EXTRAS): pyproject.toml | $(DEV)
	@echo "Installing Dask, DuckDB, Playwright and the documentation tools (once) ..."
	@$(PIP) -e '.[extras]'
	@touch $(DOCS) $@

$(DOCS): pyproject.toml | $(BIN)/python
	@echo "Installing the documentation tools (once) ..."
	@$(PIP) -e '.[docs]'
	@touch $(CORE) $@

$(PEERS): pyproject.toml benchmarks/requirements.txt | $(DEV)
	@echo "Installing the peers to measure against (once) ..."
	@$(PIP) -e '.[benchmark]' -r benchmarks/requirements.txt
	@touch $@
