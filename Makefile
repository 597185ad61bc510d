# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TARGETS ?= real

.PHONY: setup check format test apiserver test-real demo clean
.PHONY: torture torture-every-pair torture-pairs torture-kills torture-disk torture-sweep museum bench mutants coverage reliability
SEEDS ?= 1000
FROM ?= 0
N ?= 200
SHARES ?= 100
TARGET ?= embedded
TORTURE := PYTHONHASHSEED=0 $(BIN)/python -m tests.torture
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
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder --targets embedded $(TEST_FLAGS)

# etcd, kube-apiserver and kube-controller-manager into the user's cache: ten minutes the first time; needs Go.
apiserver: setup
	$(BIN)/python -m tests.servers.build $(BUILD_FLAGS)

# By file, so that each real server is started once.
test-real: apiserver
	$(BIN)/python -m pytest -n 2 --dist loadfile --targets $(TARGETS) $(TEST_FLAGS)

# What must hold whatever goes wrong (docs/reliability.md). One seed, one story; each finding says how to play it again.
# SEEDS=100000 takes half a day; SEEDS=10000 FROM=20000 takes a stretch of them, which is recorded beside the others.
torture: setup
	$(TORTURE) --seeds $(SEEDS) --from $(FROM) --jobs 2 --record

torture-pairs: setup
	$(TORTURE).levels pairs --number $(N) --from $(FROM) --command "make torture-pairs N=$(N)"

# All hundred shares take about two hours; SHARES=10 FROM=20 takes ten of them.
torture-every-pair: setup
	$(TORTURE).levels every-pair --number $(SHARES) --from $(FROM)

# N=2000 takes hours; each seed is one cluster and twenty kills, and FROM= goes on where another sitting stopped.
torture-kills: setup
	$(TORTURE).levels kills --number $(N) --from $(FROM) --target $(TARGET)

torture-disk: setup
	$(TORTURE).levels disk --command "make torture-disk"

torture-sweep: setup
	$(TORTURE).levels sweep --command "make torture-sweep"

museum: setup
	$(TORTURE).levels museum --command "make museum"

bench: setup
	$(TORTURE).bench

# All of them by N=2000: a quarter of an hour on two quiet cores.
mutants: setup
	$(TORTURE).mutants --number $(N) --seed $(FROM) --command "make mutants N=$(N)"

coverage: setup
	$(TORTURE).branches --command "make coverage"

reliability: setup
	$(BIN)/python -m tests.torture.results

demo: setup
	$(BIN)/python -m tests.demo

clean:
	rm -rf .demo .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist *.egg-info
