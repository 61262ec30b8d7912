# Every target installs what it needs into the project and says so. `make up` and `make test` are the two to know.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
unexport PYTHONDONTWRITEBYTECODE
export UV_PROJECT_ENVIRONMENT := .venv
export UV_PYTHON_DOWNLOADS := never

PYTHON ?= python3
UV := $(or $(shell command -v uv 2>/dev/null),.uv/bin/uv)
RUN := .venv/bin
STACKS := aws-training-dev aws-inference-dev
JOBS ?= 2

.PHONY: help setup engine real up down plan test test-all check bench format

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18

.uv/bin/uv:
	@echo "==> uv is missing: installing it into .uv/"
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("gpukit needs Python 3.11 or newer, this is " + sys.version.split()[0])'
	@$(PYTHON) -m venv .uv
	@.uv/bin/pip install --quiet --disable-pip-version-check 'uv>=0.8'

.venv/.ready: pyproject.toml uv.lock $(if $(filter .uv/bin/uv,$(UV)),.uv/bin/uv)
	@echo "==> Installing Python packages into .venv (first time: about 220 MB to download, 1.8 GB on disk)"
	@$(UV) sync --locked --quiet --all-extras --compile-bytecode
	@touch $@

setup: .venv/.ready ## installs the Python packages into .venv

engine: setup ## finds the Pulumi engine, or builds it once (about 5 minutes of two cores)
	@path="$$($(RUN)/python -m scripts.engine.locate)"; echo "==> Pulumi engine: $$path"

real: setup ## builds what some long tests run against: Prometheus and a Kubernetes control plane (Go; once, about 8 minutes)
	@$(RUN)/python -m tests.real.build

up: setup ## plan first, then a real `pulumi up` of two AWS stacks on simulated clouds
	@echo "==> Plan: what these stacks are, cost at most and need (offline)"
	@$(RUN)/gpukit plan $(STACKS)
	@$(MAKE) --no-print-directory engine
	@for stack in $(STACKS); do $(RUN)/gpukit up $$stack --sandbox --yes; done
	@echo "==> Both stacks are up on the simulated clouds. Look around: eval \"\$$($(RUN)/gpukit env --sandbox)\"; end it: make down"

down: setup ## destroys what `make up` made and stops the simulated clouds
	@for stack in $(STACKS); do $(RUN)/gpukit destroy $$stack --sandbox --yes; done
	@$(RUN)/gpukit sandbox stop

plan: setup ## plan of every shipped stack: resources, fabric, owners, cost, quota, findings
	@$(RUN)/gpukit plan

test: setup engine ## the test suite (builds the engine the first time); names what it skips
	@$(RUN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder -rs -m 'not long'

test-all: setup engine ## the suite with the long runs, under coverage; names what it skips (see `make real`)
	@rm -f .coverage .coverage.*
	@$(RUN)/pytest -n $(JOBS) --dist loadgroup -rs --cov --cov-report= 
	@$(RUN)/coverage report
	@$(RUN)/coverage report --include='policies/rules/*' --fail-under=100

check: setup ## what a change must pass: format, lint, types, import rules, tests
	@$(RUN)/ruff format --check .
	@$(RUN)/ruff check .
	@$(RUN)/lint-imports --no-cache
	@$(RUN)/pyright
	@$(MAKE) --no-print-directory test

bench: setup engine ## speed, as ratios within one run
	@$(RUN)/python -m tests.bench
	@$(RUN)/python -m tests.bench.guardrails
	@$(RUN)/python -m tests.bench.idle

format: setup ## formats the code and mends what can be mended
	@$(RUN)/ruff format .
	@$(RUN)/ruff check --fix .
