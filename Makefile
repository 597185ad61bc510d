# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TARGETS ?= real

.PHONY: setup check format test apiserver test-real demo clean
setup: $(STAMP)

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# By file: pytest 9.2 and pytest-xdist 3.8 do not keep groups together.
test: setup
	$(BIN)/python -m pytest -n 2 --dist loadfile --targets embedded

# etcd, kube-apiserver and kube-controller-manager into the user's cache: ten minutes the first time; needs Go.
apiserver: setup
	$(BIN)/python -m tests.servers.build $(BUILD_FLAGS)

test-real: apiserver
	$(BIN)/python -m pytest -n 2 --dist loadgroup --targets $(TARGETS) $(TEST_FLAGS)

demo: setup
	$(BIN)/python -m tests.demo

clean:
	rm -rf .demo .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist *.egg-info
