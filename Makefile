# Two commands do all set-up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
# Keep compiled modules even where the environment says otherwise: tests start many processes.
export PYTHONDONTWRITEBYTECODE :=
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: help install demo test deep check docs generate bench fresh clean

help:  ## Show what there is.
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

install: .venv/.installed  ## Make the environment in .venv and warm the kernels.

.venv/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || sh tests/system-packages.sh python3-venv
	$(PYTHON) -m venv .venv
	$(PIP) --editable .
	$(BIN)/python -m tacita.kernels
	touch $@

.venv/.tested: .venv/.installed
	$(PIP) --editable '.[dev]'
	touch $@

demo: install  ## Protect generated data; writes out/.
	$(BIN)/tacita demo --out out

test: .venv/.tested  ## Install what tests need and run every check.
	sh tests/system-packages.sh
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --cov --cov-report=term:skip-covered $(PYTEST_ARGS)

deep: .venv/.tested  ## Explore every law with far more examples, at random.
	$(BIN)/python tests/deep.py $(DEEP)

check: .venv/.tested  ## Format the code and run the quick checks.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/mypy
	$(BIN)/lint-imports

generate: install  ## Write the files that derive from the registry of methods.
	$(BIN)/python -m tacita.stub

docs: .venv/.tested  ## Build the documentation into site/.
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

bench: .venv/.tested  ## Measure; run it alone on the machine.
	for script in benchmarks/*.py; do $(BIN)/python $$script; done

fresh:  ## Try both commands of the README on fresh machines, as root and as an ordinary user.
	tests/fresh-machine.sh

clean:  ## Remove what was built.
	rm -rf .venv out site build .mypy_cache .pytest_cache .ruff_cache .hypothesis
