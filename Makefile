# One command each. Everything installs into .venv; nothing outside this folder changes but for what
# scripts/system-packages installs when it may: bubblewrap and, for tests, patch.
PY := .venv/bin/python
PYTEST := $(PY) -m pytest
# More than there are cores on a small machine: tests wait for processes half of their time.
WORKERS ?= $(shell n=$$(nproc); echo $$((n > 4 ? n : 4)))

# Compiled once, not again by each of the hundreds of processes that the tests start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-long test-servers test-browser test-extras test-cluster test-model test-all fuzz screenshots check bench lock vendor clean

help:            ## say what there is
	@grep -hE '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/: .*## /\t/' | expand -t 16

demo: .venv/core ## set up, then run the main job: two agents, ten generations, no key
	.venv/bin/hyperspace pair --models offline/tinker offline/magpie --domain repo_quality --generations 10 --seed 42

test: .venv/dev  ## set up, then the default tests (offline, under 3 minutes)
	$(PYTEST) -n $(WORKERS) --dist loadfile

test-long: .venv/dev ## the tests that play whole runs (offline, some minutes)
	$(PYTEST) -n $(WORKERS) --dist loadfile -m "long and not docker and not postgres and not slow and not live and not browser and not cluster"

test-servers: .venv/dev ## the tests that need PostgreSQL or Docker; without them each says why it is skipped
	$(PYTEST) -rsR -m "(docker or postgres) and not slow and not live"

test-browser: .venv/dev ## the tests that open the dashboard in Chromium; without it each says why it is skipped
	$(PYTEST) -rsR -m "browser"

screenshots: .venv/dev ## pictures of every page of the dashboard and of reports, into screenshots/
	$(PY) -m tests.support.screenshots

test-extras:     ## the tests of environments in C, C++ and PyTorch, in .venv-extras (400 MB); skipped without the package index
	scripts/test-apart extras tests/hyperspace/tasks tests/hyperspace/research

test-cluster:    ## the tests that play jobs on a Ray cluster, in .venv-cluster (290 MB); skipped without the package index
	scripts/test-apart cluster tests/hyperspace/executor tests/hyperspace/cli/cluster

test-model: .venv/dev ## what a model of yours does in runs: make test-model MODEL=NAME@http://HOST:PORT/v1
	@test -n "$(MODEL)" || { echo "make test-model MODEL=NAME@http://127.0.0.1:8080/v1 (or any name of hyperspace models)" >&2; exit 2; }
	$(PY) -m benchmarks.real_model "$(MODEL)"

MINUTES ?= 10
fuzz: .venv/dev  ## feed every parser of others' text what nobody would write, for MINUTES=10
	$(PY) -m tests.support.parsers.fuzz --minutes $(MINUTES)

test-all: .venv/dev ## every test but the paid ones
	$(PYTEST) -m "not live"

check: .venv/dev ## lint, format, types
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/basedpyright

bench: .venv/core ## measure; prints medians and ratios
	$(PY) -m benchmarks

lock: .venv/dev  ## renew the lock files from pyproject.toml
	.venv/bin/uv pip compile -q --universal --generate-hashes --no-annotate --group build pyproject.toml -o scripts/requirements/core.lock
	.venv/bin/uv pip compile -q --universal --generate-hashes --no-annotate --group dev pyproject.toml -o scripts/requirements/dev.lock
	.venv/bin/uv pip compile -q --universal --generate-hashes --no-annotate --group extras --extra babyai --extra go2 --extra nethack pyproject.toml -o scripts/requirements/extras.lock
	.venv/bin/uv pip compile -q --universal --generate-hashes --no-annotate --group cluster --extra ray pyproject.toml -o scripts/requirements/cluster.lock

vendor: .venv/dev ## take the libraries that pages load from their npm packages
	$(PY) scripts/vendor

clean:           ## remove the environment (results stay)
	rm -rf .venv .venv-extras .venv-cluster

.venv/core: scripts/requirements/core.lock pyproject.toml scripts/setup
	scripts/setup core
	@touch $@

.venv/dev: scripts/requirements/dev.lock pyproject.toml scripts/setup
	scripts/setup dev
	@touch .venv/core $@
