# Everything sets itself up in .venv; only Python 3.11 or newer and make are needed.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Installed sets of packages, each remembered by a file that is older than pyproject.toml when it is stale.
CORE   := $(VENV)/.core
DEV    := $(VENV)/.dev
PEERS  := $(VENV)/.peers
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test check format benchmark peers clean

help:  ## list the commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{printf "  make %-11s %s\n", $$1, $$2}'

demo: $(CORE)  ## evaluate built-in synthetic data; tables and pictures go to demo/
	@$(BIN)/mated demo demo

test: $(DEV)  ## run the tests
	$(BIN)/python -m pytest -n auto -q

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
	rm -rf $(VENV) demo .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache .benchmarks
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

$(PEERS): pyproject.toml benchmarks/requirements.txt | $(DEV)
	@echo "Installing the peers to measure against (once) ..."
	@$(PIP) -e '.[benchmark]' -r benchmarks/requirements.txt
	@touch $@
