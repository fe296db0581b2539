PYTHON ?= python

.PHONY: build debug check lint types test bench clean

build:  ## the engine, in place, and the package, editable (repeat after every change of a .pyx)
	$(PYTHON) -m pip install --quiet --no-build-isolation -e .

debug:  ## the same with all checks of the engine on
	DESBENCH_DEBUG=1 $(PYTHON) -m pip install --quiet --no-build-isolation -e .

check: lint types test

lint:
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .

types:  ## on an installed copy: mypy does not follow the folders of an editable one
	PYTHON=$(PYTHON) .ci/types

test:
	$(PYTHON) -m pytest

bench:  ## groups of timings, then the goals as ratios, into perf/results.json
	$(PYTHON) -m pytest perf --benchmark-only
	$(PYTHON) perf/goals.py

clean:
	rm -rf build dist .mypy_cache .pytest_cache .ruff_cache src/*.egg-info
	rm -f src/desbench/_engine/*.so src/desbench/_engine/*.pyd
