# Everything a developer types. `make` alone says what there is.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

help:           ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

# Bytecode of all that is installed costs as much as the rest: tests write that of what they import, `install` that of what may run.
$(VENV)/.run: requirements.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("$(PYTHON) is Python %d.%d, and topiccrawler needs 3.11 or newer: make install PYTHON=python3.11" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile -r requirements.txt
	touch $@

# The checkout itself, not a copy: `topiccrawler …`, `scrapy …` and `import topiccrawler` work in any folder.
$(VENV)/.installed: $(VENV)/.run pyproject.toml setup.py
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --no-deps --no-compile --editable .
	touch $@

# The packages of extras of pyproject.toml, without topiccrawler itself: a copy of it in .venv would be imported instead of this checkout.
EXTRAS = $(BIN)/python -c 'import sys, tomllib; extras = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]; print(*(pin for name in sys.argv[1:] for pin in extras[name]), sep="\n")'

$(VENV)/pins.txt: $(VENV)/.run pyproject.toml
	$(EXTRAS) dataframe docs parquet postgresql redis rendering > $@

$(VENV)/.dev: $(VENV)/.installed $(VENV)/pins.txt requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-compile -r requirements-dev.txt -c $(VENV)/pins.txt
	touch $@

$(VENV)/.compiled: $(VENV)/.installed
	$(BIN)/python -W ignore -m compileall -qq -j 0 -x '/tests?/' $(VENV) || true
	touch $@

install: $(VENV)/.compiled   ## make .venv with all a crawl needs and this checkout

demo: install   ## train, crawl a generated Chinese web, compare with breadth-first; needs no network
	$(BIN)/scrapy demo

$(VENV)/.cluster: $(VENV)/.compiled pyproject.toml
	$(BIN)/python -m pip install --quiet $$($(EXTRAS) redis postgresql)
	touch $@

cluster: $(VENV)/.cluster   ## Redis, PostgreSQL and N=4 processes on one crawl, here: TOPIC= SEEDS= PAGES= FOLDER= OUT=; without SEEDS on a generated web
	$(BIN)/python examples/cluster/run.py --workers $(or $(N),4) $(foreach name,TOPIC SEEDS PAGES FOLDER OUT,$(if $($(name)),--$(shell echo $(name) | tr A-Z a-z) "$($(name))"))

reference: $(VENV)/.dev   ## write the generated parts of docs/ (arguments, settings, commands …) from the code
	$(BIN)/python docs/generate.py

$(VENV)/.docs: $(VENV)/.run pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile $$($(EXTRAS) docs)
	touch $@

docs: $(VENV)/.docs   ## build docs/ as a site in build/site; a link that leads nowhere ends it
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

test: SELECTED = -m "not slow"
test: checked   ## lint, types, import contracts, tests but the slow ones

test-all: SELECTED =
test-all: $(VENV)/.docs checked   ## the same with all tests: browser, scrapyd, demo, many processes, kills at random moments

checked: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist worksteal $(SELECTED)

# The property tests of all that strangers write, with twenty times as many examples, others each time.
FUZZED = tests/fuzz tests/urls tests/text tests/links tests/pages tests/dashboard/test_fuzzed_requests.py tests/commands/test_fuzzed_control.py
fuzz: $(VENV)/.dev   ## damaged and hostile pages, files and requests, for an hour; `make test-all` has a short run
	$(BIN)/python -m pytest -n auto --dist worksteal --hypothesis-profile=fuzz $(FUZZED)

lint: $(VENV)/.dev   ## mend what can be mended by a program
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Those that need neither recorded pages nor a server; each of the others says what it needs in its first lines.
BENCHES = crawl reading scoring order frontier graph scale
bench: $(VENV)/.dev $(VENV)/.compiled   ## speed and memory, as ratios against a baseline in the same run
	for name in $(BENCHES); do echo "== $$name" && $(BIN)/python benchmarks/$$name.py || exit 1; done

clean:          ## remove what the commands above made
	rm -rf $(VENV) build dist *.egg-info data .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

.DELETE_ON_ERROR: # an empty list of pins would pin nothing
.PHONY: help install demo cluster reference docs test test-all checked fuzz lint bench clean
