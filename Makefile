# Everything a clone needs. `make` alone lists the targets.
SHELL := /bin/bash
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
BIN := .venv/bin
SRM_HOME ?= $(CURDIR)/.srm
export SRM_HOME
.DEFAULT_GOAL := help
.PHONY: help demo up stop status doctor install install-dev page check test test-postgres faults large soak mutation bench bench-metrics bench-ui e2e screenshots schema settings-page lock clean

help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: python-is-new ## Set everything up and start it with three local clusters, flows and traffic
	@$(PYTHON) -m srm_cli.bootstrap
	@exec $(BIN)/python -m srm_cli demo $(ARGS)

up: python-is-new ## The same against clusters of yours: make up CONFIG=mm2.properties
	@$(PYTHON) -m srm_cli.bootstrap
	@exec $(BIN)/python -m srm_cli up $(if $(CONFIG),--config $(CONFIG)) $(ARGS)

stop: ## Stop what `make demo` or `make up` started
	@$(BIN)/python -m srm_cli stop

status: ## What runs, since when, how often restarted
	@$(BIN)/python -m srm_cli status

doctor: python-is-new ## What this machine lacks
	@if $(BIN)/python -c 'import click' 2>/dev/null; then $(BIN)/python -m srm_cli doctor $(ARGS); \
	else $(PYTHON) -m srm_cli.bootstrap --doctor; fi

install: python-is-new ## Virtual environment with what runs
	@$(PYTHON) -m srm_cli.bootstrap --no-jars --no-page

install-dev: python-is-new ## Virtual environment, jars and page with what checks and tests need
	@$(PYTHON) -m srm_cli.bootstrap --dev

page: python-is-new ## Build the web page
	@$(PYTHON) -m srm_cli.bootstrap --no-jars

check: install-dev ## Style, types, import rules, page, API schema
	@.ci/check

test: install-dev ## All tests of the everyday tier, about 40 minutes on two cores
	@.ci/test

test-postgres: install-dev ## The tests of the service on a PostgreSQL of their own instead of SQLite
	@SRM_TEST_DATABASE=postgresql $(BIN)/python -m pytest -q tests/component/service

faults: install-dev ## Kill and freeze processes: make faults FILE=tests/faults/test_x.py
	@$(BIN)/python -m pytest -q $(or $(FILE),tests/faults)

large: install-dev ## Tests that take minutes each and are not part of make test
	@$(BIN)/python -m pytest -q -m large tests

soak: install-dev ## Random faults for 10 minutes, then every invariant is checked: make soak MINUTES=60 SEED=7
	@$(BIN)/python -m tests.support.soak --minutes $(or $(MINUTES),10) $(if $(SEED),--seed $(SEED)) $(ARGS)

mutation: install-dev ## Flip each condition of the fencing and position code; quick tests must notice: make mutation ARGS="--module transactions"
	@$(BIN)/python -m tests.mutation $(ARGS)

bench: install-dev ## Ours beside MirrorMaker 2 on the same brokers: make bench, FULL=1 make bench, ONLY=partitions make bench
	@$(BIN)/python -m tests.benchmarks

bench-metrics: install-dev ## Metrics: freshness, throughput, memory, CPU, answers: ONLY=tiles,switch,live,queries,backlog,backfill,executors OTHER=<checkout>
	@$(BIN)/python -m tests.benchmarks.metrics.metrics_bench

e2e: install-dev ## The page in Chromium: journeys on a running system, then every state on a fake service
	@$(BIN)/python -m pytest -q tests/e2e
	@cd frontend && npm run e2e

screenshots: ## Every screen of the page in both themes at four widths, and the rules of every state: .srm/screens/index.html
	@cd frontend && npx vite build --logLevel warn
	@export SRM_SCREENS=$(CURDIR)/.srm/screens; $(BIN)/python -m pytest -q -m large tests/component/service/test_look_of_pages.py || failed=1; \
	cd frontend; npx vitest run --config vitest.screens.config.ts || failed=1; \
	node scripts/sheet.mjs $$SRM_SCREENS && exit $${failed:-0}

bench-ui: install-dev ## Sizes, paints, main thread, heap of the page against their budgets: make bench-ui MINUTES=2
	@cd frontend && npx vite build --logLevel warn && npm run --silent size && SRM_HEAP_MINUTES=$(or $(MINUTES),10) npx vitest run --config vitest.bench.config.ts

schema: install-dev ## Write frontend/openapi.json from the code
	@DJANGO_SETTINGS_MODULE=srm_service.settings.test $(BIN)/python manage.py spectacular --file frontend/openapi.json --format openapi-json --validate --fail-on-warn

settings-page: ## Write docs/settings.md from the registry of settings
	@$(BIN)/python -m replication.config.settings.documentation

lock: ## Resolve the requirements again and write their files, locked by hash (needs uv)
	@.ci/lock

clean: ## Remove builds and caches; the state folder stays
	@rm -rf frontend/dist frontend/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

.PHONY: python-is-new
python-is-new:
	@test -n "$(PYTHON)" && $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "error: Python 3.11 or newer is missing: install it, or name it with make PYTHON=/path/to/python" >&2; exit 1; }
