# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Everything that developers, users and CI do. `make` alone lists it; docs/inside/development.md explains it.

PYTHON ?= /usr/bin/python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := build/stamps
# What is in the environment; these go when it goes.
BUILD := $(VENV)/.build-installed
INSTALLED := $(VENV)/.ibcc-installed
CMAKE := $(VENV)/.cmake-installed
NODE := $(VENV)/.node-installed
DEV := $(VENV)/.dev-installed
COVERAGE := $(VENV)/.coverage-installed
TIDY := $(VENV)/.tidy-installed
ATHERIS := $(VENV)/.atheris-tried
PRESET ?= installed
# Processes for the tests in Python: one more than cores, as many tests wait for programs that they started. Each more collects all
# tests once more, and other tests run beside.
WORKERS ?= $(shell expr $$(nproc) + 1)
FUZZ_SECONDS ?= 240
FUZZ_RUNS ?=
PYTEST_FLAGS ?=
# Which lanes `make test` runs: all, or names of some; and the commit that it compares with to find out.
LANES ?=
SINCE ?=
# The tests to run: all in Python, and all in C and C++, unless build_tools/test.sh says which.
PYTHON_TESTS ?=
NATIVE_TESTS ?=

export PYTHON PYTEST_FLAGS PRESET LANES SINCE
# Bytecode is kept, whatever the shell says: without it each process of the tests compiles them anew, which takes 3 s.
unexport PYTHONDONTWRITEBYTECODE
# Quiet, and the same on every machine: no prompt, no message about newer pips.
export PIP_NO_INPUT := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

PACKAGES := build_tools/debian_packages.sh
PIP_INSTALL := build_tools/pip_install.sh
NATIVE := $(shell find ccpolicy simulator -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.hpp')
PLUGIN := $(shell find opensm_plugin -name '*.c' -o -name '*.h')
METER := $(shell find perftest_mods/meter -name '*.c' -o -name '*.h')
UI := $(shell find api/ui tests/api/ui \( -name node_modules -o -name dist -o -name __pycache__ -o -name schema.d.ts \) -prune -o -type f -print)
# What the service's answers and the schemas of documents are made from.
SERVICE := $(shell find api tuner simulator/python -name node_modules -prune -o -name '*.py' -print)
CLANG_FORMATTED := $(shell find ccpolicy simulator opensm_plugin perftest_mods tests \( -name '*.c' -o -name '*.h' -o -name '*.cc' -o -name '*.cpp' -o -name '*.hpp' \))
MARKDOWN := $(shell find . \( -path './.*' -o -path ./build -o -path ./dist -o -name node_modules \) -prune -o -name '*.md' -print)
# clang-tidy looks at headers through the files that include them.
CLANG_TIDIED := $(filter %.c %.cpp,$(NATIVE) $(PLUGIN) $(METER))
# In bindings the analyzer goes the ways of pybind11.
ANALYZED := $(filter-out simulator/python/%,$(CLANG_TIDIED))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help analyze install install-dev plugin meter ui man wheel deb demo test test-quick test-all packages-of-tests builds-of-tests test-python test-ui test-native test-chroot coverage fuzz lint lint-python lint-format lint-ui lint-tidy format lock audit pictures bench-campaign bench-check bench-check-statistics bench-dashboard bench-emulator \
	bench-launch bench-limits bench-meter bench-plugin bench-plugin-lock bench-plugin-nvidia bench-plugin-report bench-plugin-sick bench-plugin-silent bench-samplers bench-service bench-sim bench-start packages-of-slow-tests clean distclean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

install: $(STAMPS)/native $(STAMPS)/schemas ## the command at .venv/bin/ibcc, with the packages of all products

install-dev: install $(DEV) $(CMAKE) ## what tests and linters need besides, and the hook for commit messages
	@build_tools/git_hooks.sh

$(BIN)/python:
	@$(PACKAGES) build
	@echo 'Making the environment .venv'
	@$(PYTHON) -m venv $(VENV)

$(BUILD): constraints.txt $(PIP_INSTALL) | $(BIN)/python
	@$(PIP_INSTALL) 'what compiles ibcc' pip setuptools pybind11
	@touch $@

$(CMAKE) $(NODE) $(COVERAGE) $(TIDY): $(VENV)/.%-installed: constraints.txt $(BUILD)
	@$(PIP_INSTALL) 'the tools of the group $*' --group $*
	@touch $@

$(DEV): constraints.txt pyproject.toml $(BUILD)
	@$(PIP_INSTALL) 'what tests and linters need' --group dev
	@touch $@

# Groups of system packages, each installed by one process however many jobs make runs.
$(STAMPS)/packages-%: $(PACKAGES)
	@mkdir -p $(@D)
	@$(PACKAGES) $*
	@touch $@

# Compiled by setup.py directly, which says how far it is; pip's editable build finds the objects made, and links them.
$(INSTALLED): pyproject.toml setup.py build_tools/libyaml.py build_tools/libyaml.txt $(BUILD)
	@$(PIP_INSTALL) 'the packages that ibcc needs' --no-build-isolation --only-deps '.[service,cluster]'
	@$(BIN)/python setup.py --quiet build_clib build_ext --inplace
	@PYTHONWARNINGS=ignore $(PIP_INSTALL) 'the command ibcc' --no-build-isolation --no-deps --editable .
	@touch $@

$(STAMPS)/native: $(INSTALLED) $(NATIVE)
	@mkdir -p $(@D)
	@$(BIN)/python setup.py --quiet build_clib build_ext --inplace
	@touch $@

# The JSON schemas of documents, for editors: configs/schemas, which wheels have too.
$(STAMPS)/schemas: $(STAMPS)/native $(filter tuner/document%,$(SERVICE))
	@$(BIN)/python -m tuner.documents.schemas
	@touch $@

# Quiet unless something is compiled; ninja knows what.
plugin: $(CMAKE) $(STAMPS)/packages-plugin ## build/plugin/libibcc.so, which OpenSM loads
	@build_tools/cmake.sh plugin ibcc

meter: $(CMAKE) $(STAMPS)/packages-meter ## build/meter/libibcc_meter.so, to preload into programs that use verbs
	@build_tools/cmake.sh meter ibcc_meter

# The web interface. `make install` leaves it out, so that who only wants the command needs no Node; `ibcc serve` says when it is missing.
# Not `npm ci`: that refuses where a registry has the native parts of build tools for some systems only. The lock file holds all the same.
$(STAMPS)/ui-packages: api/ui/package.json api/ui/package-lock.json api/ui/.npmrc build_tools/ui.sh $(NODE)
	@mkdir -p $(@D)
	@build_tools/ui.sh install --no-save --silent
	@touch $@

# The types of the service's answers. Whatever is in Python can change them; where it has not, nothing is built anew.
$(STAMPS)/openapi: $(STAMPS)/native $(SERVICE)
	@$(BIN)/python -m build_tools.openapi build/openapi.json
	@touch $@

build/openapi.json: $(STAMPS)/openapi
	@:

api/ui/src/api/schema.d.ts: build/openapi.json $(STAMPS)/ui-packages
	@build_tools/ui.sh run --silent types >/dev/null

$(STAMPS)/ui: $(STAMPS)/ui-packages api/ui/src/api/schema.d.ts $(filter-out tests/%,$(UI))
	@build_tools/ui.sh run --silent build
	@touch $@

ui: $(STAMPS)/ui ## the web interface into api/ui/dist, for `ibcc serve` and for the wheel

man: install ## man pages of commands, documents and the plugin, in man/
	@$(BIN)/python -m build_tools.man_pages man

wheel: $(STAMPS)/ui man ## all of it as a wheel, in dist/
	@$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

deb: install $(CMAKE) $(STAMPS)/packages-plugin $(STAMPS)/packages-meter $(STAMPS)/packages-package ## Debian packages, in build/debian: the plugin for this machine's OpenSM; agent and meter for hosts
	@build_tools/debian_package.sh

demo: install ## tune a small fabric in under two minutes, and write an HTML report
	@build_tools/demo.sh

test: ## the tests that can break by what has changed, but the thorough and slow ones; LANES=all for all, SINCE=COMMIT to compare
	@MAKE='$(MAKE)' build_tools/test.sh

test-quick: ## as test, after every edit, in under two minutes: no OpenSM, virtual machine, browser or packaging
	@MAKE='$(MAKE)' build_tools/test.sh quick

# Without what a group brings, the tests that need it skip themselves.
packages-of-tests:
	@$(PACKAGES) emulator || echo 'Skipped: the tests with OpenSM and infiniband-diags (tests/emulator).'
	@$(PACKAGES) plugin || echo 'Skipped: the OpenSM plugin and its tests (tests/opensm_plugin).'
	@$(PACKAGES) meter || echo 'Skipped: the meter and its tests (tests/perftest_mods).'
	@$(PACKAGES) vm || echo 'Skipped: the tests with real verbs in a virtual machine (tests/perftest_mods).'
	@$(PACKAGES) package || echo 'Skipped: the tests of the Debian packages (tests/packaging/test_debian.py).'
	@$(PACKAGES) lintian || echo 'Skipped: lintian on the Debian packages.'
	@$(PACKAGES) postgresql || echo 'Skipped: the tests of campaigns in PostgreSQL.'
	@$(PACKAGES) hosts || echo 'Skipped: the tests of launching through ssh (tests/tuner/hosts/launchers).'
	@$(PACKAGES) monitoring || echo 'Skipped: the tests of alert rules and dashboard with promtool (tests/configs).'
	@$(PACKAGES) systemd || echo 'Skipped: the tests of the units for systemd (tests/configs).'
	@$(PACKAGES) strace || echo 'Skipped: the test that shows by strace that answers wait for the disk (tests/api/power_cut).'
	@$(PACKAGES) browser || echo 'Skipped: the tests of the web interface in a browser (tests/api/ui).'
	@$(PACKAGES) witness || echo 'Skipped: comparisons with libibmad (tests/libibmad.hpp).'
	@$(PACKAGES) test || echo 'Skipped: the tests in C and C++ (tests/ccpolicy, tests/simulator).'

builds-of-tests: $(CMAKE)
	@if $(PACKAGES) plugin 2>/dev/null; then build_tools/cmake.sh plugin ibcc; fi
	@if $(PACKAGES) meter 2>/dev/null; then build_tools/cmake.sh meter ibcc_meter; fi
	@$(MAKE) --no-print-directory ui || echo 'Skipped: the web interface could not be built, and is not tested (tests/api/ui).'

test-python: install-dev
	@IBCC_CPU_FILE=build/steps/python.json IBCC_OPENED_FOLDER=build/lanes/opened \
		$(BIN)/pytest --second-try --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder $(PYTEST_FLAGS) $(PYTHON_TESTS)

# The web interface's logic, without a browser.
test-ui:
	@if $(MAKE) --no-print-directory $(STAMPS)/ui-packages; then \
		build_tools/ui.sh run --silent test; \
	else \
		echo 'Skipped: the tests of the web interface (api/ui), whose packages cannot be installed.'; \
	fi

# The tests in C and C++ run under ASan and UBSan, but for the simulator's objects, which are those of install-dev. PRESET=asan has
# those under sanitizers too, PRESET=dev runs all plain, PRESET=tsan under TSan.
builds-of-native-tests: $(CMAKE) install-dev
	@if $(PACKAGES) test 2>/dev/null; then build_tools/cmake.sh $(PRESET) $(NATIVE_TESTS); fi

test-native: builds-of-native-tests
	@if $(PACKAGES) test 2>/dev/null; then build_tools/cmake.sh $(PRESET) test $(NATIVE_TESTS); fi

coverage: packages-of-tests install-dev builds-of-tests $(COVERAGE) ## lines and branches that the tests run, by part
	@WORKERS=$(WORKERS) build_tools/coverage.sh $(PYTEST_FLAGS)

test-all: LANES = all
test-all: PYTEST_FLAGS += --hypothesis-profile=free --run-slow
test-all: FUZZ_RUNS = 10000000
test-all: SIMULATION_S = 3600
test-all: CONFORMANCE_S = 3600
test-all: PRESET = asan
test-all: packages-of-slow-tests test analyze simulate-plugin simulate-schemes fuzz chaos test-chroot ## all tests, random ones with new seeds, the static analyzer, the plugin and all schemes simulated for an hour, fuzzing, chaos, and bare Debians

packages-of-slow-tests:
	@$(PACKAGES) slurm || echo 'Skipped: the tests of launching through Slurm (tests/tuner/hosts/launchers).'

test-chroot: $(STAMPS)/packages-chroot
	tests/packaging/chroot_test.sh

# Atheris, for the fuzzers in Python, has wheels for some Pythons and machines only; without it, fuzz.sh says what it leaves out.
$(ATHERIS): constraints.txt $(INSTALLED)
	@$(BIN)/pip install --quiet --only-binary :all: --constraint constraints.txt atheris >$(STAMPS)/atheris.log 2>&1 || true
	@touch $@

# MUTANTS='NAME… OPTIONS': see tests/mutants/run.py --help
.PHONY: mutants
mutants: install-dev $(CMAKE) $(STAMPS)/ui-packages ## whether the tests find faults that are put into a copy on purpose
	@$(BIN)/python tests/mutants/run.py $(MUTANTS)

.PHONY: simulate-plugin
SIMULATION_S = 60
SIMULATION_SEEDS =
SMALLEST_S = 60
simulate-plugin: $(CMAKE) $(STAMPS)/packages-plugin $(STAMPS)/packages-test ## the OpenSM plugin in virtual time, for SIMULATION_S=60 seconds of CPU, SIMULATION_SEEDS=40, or SCENARIO='seed=7 …'
	@build_tools/cmake.sh simulation opensm_plugin_simulation_test
	@$(if $(SIMULATION_SEEDS),IBCC_SIMULATION_SEEDS=$(SIMULATION_SEEDS),IBCC_SIMULATION_S=$(SIMULATION_S)) IBCC_SIMULATION_SMALLEST=$(SMALLEST_S) $(if $(SCENARIO),IBCC_SIMULATION='$(SCENARIO)') \
		build/simulation/opensm_plugin_simulation_test

# CONFORMANCE_SEED=NUMBER, as a failure names it, for that run of each scheme.
.PHONY: simulate-schemes
CONFORMANCE_S = 60
simulate-schemes: $(CMAKE) $(STAMPS)/packages-test ## every scheme on random fabrics, for CONFORMANCE_S=60 seconds of CPU in total
	@build_tools/cmake.sh simulation schemes_test
	@IBCC_CONFORMANCE_S=$(CONFORMANCE_S) $(CONFORMANCE_SEED:%=IBCC_CONFORMANCE_SEED=%) build/simulation/schemes_test

# CHAOS_SEED=NUMBER for the same again; CHAOS_FLAGS="--phases 'sick host;kill -9'" for some.
.PHONY: chaos
CHAOS_S = 1200
chaos: install-dev plugin $(STAMPS)/packages-emulator ## real OpenSM with the plugin while everything goes wrong, for CHAOS_S=1200 seconds
	@$(BIN)/python -m tests.opensm_plugin.chaos --seconds $(CHAOS_S) $(CHAOS_SEED:%=--seed %) $(CHAOS_FLAGS)

fuzz: $(CMAKE) $(STAMPS)/packages-fuzz install-dev $(ATHERIS) ## all fuzzers, which share FUZZ_SECONDS=240, or each for FUZZ_RUNS executions
	@build_tools/cmake.sh fuzz fuzzers
	@build_tools/fuzz.sh $(if $(FUZZ_RUNS),-runs=$(FUZZ_RUNS),--share=$(FUZZ_SECONDS))

bench-emulator: install-dev $(STAMPS)/packages-bench ## OpenSM's time to SUBNET UP on ccsimd and on ibsim, from 7 to 5,832 hosts
	@$(BIN)/python -m benchmarks.bench_emulator $(BENCH_FLAGS)

bench-meter: $(CMAKE) $(STAMPS)/packages-meter ## nanoseconds that the meter takes of a posted and of a polled work request
	@build_tools/cmake.sh meter bench_meter
	@build/meter/bench_meter $(BENCH_FLAGS)

bench-plugin: install-dev plugin $(STAMPS)/packages-bench ## MADs, Set phase and sweeps, beside OpenSM's own congestion control manager
	@$(BIN)/python -m benchmarks.bench_plugin $(BENCH_FLAGS)

bench-plugin-nvidia: install-dev plugin $(STAMPS)/packages-bench ## Set phase of NVIDIA's attributes beside annex A10's
	@$(BIN)/python -m benchmarks.bench_plugin_nvidia $(BENCH_FLAGS)

bench-plugin-sick: install-dev plugin $(STAMPS)/packages-bench ## what the plugin adds to sweeps, with and without a host that is sick
	@$(BIN)/python -m benchmarks.bench_plugin_sick $(BENCH_FLAGS)

bench-plugin-silent: install-dev plugin $(STAMPS)/packages-bench ## applies and restores with hosts that do not answer, beside none
	@$(BIN)/python -m benchmarks.bench_plugin_silent $(BENCH_FLAGS)

bench-plugin-lock: install-dev plugin $(STAMPS)/packages-bench ## how long the plugin holds OpenSM's lock after a sweep
	@$(BIN)/python -m benchmarks.bench_plugin_lock $(BENCH_FLAGS)

bench-plugin-report: install-dev plugin $(STAMPS)/packages-bench ## CPU time that the plugin takes of OpenSM's threads, an event
	@$(BIN)/python -m benchmarks.bench_plugin_report $(BENCH_FLAGS)

bench-campaign: install-dev $(STAMPS)/packages-postgresql ## a campaign's overhead beside bare Optuna, and what more workers bring
	@$(BIN)/python -m benchmarks.bench_campaign $(BENCH_FLAGS)

bench-check: install-dev plugin $(STAMPS)/packages-bench ## seconds and MADs of a night's links and tables, at 648 and 5,832 hosts
	@$(BIN)/python -m benchmarks.bench_check $(BENCH_FLAGS)

bench-check-statistics: install-dev ## false alarms and least changes of the verdicts on nightly checks, simulated
	@$(BIN)/python -m benchmarks.bench_check_statistics $(BENCH_FLAGS)

bench-dashboard: install-dev ## the page of a campaign beside that of a study in optuna-dashboard, with the same trials
	@$(BIN)/python -m benchmarks.bench_dashboard $(BENCH_FLAGS)

bench-launch: install-dev ## 512 host agents on this machine: time to start and stop them, and until nothing is left after a kill
	@$(BIN)/python -m benchmarks.bench_launch $(BENCH_FLAGS)

bench-limits: install-dev ## what strangers and viewers take from all others, each beside its limit, and what it costs that writes are on the disk
	@$(BIN)/python -m benchmarks.bench_limits $(BENCH_FLAGS)
	@$(BIN)/python -m benchmarks.bench_durability

bench-samplers: install-dev ## which sampler finds most in few trials: hypervolume over trials, ten seeds each
	@$(BIN)/python -m benchmarks.bench_samplers $(BENCH_FLAGS)

bench-service: install-dev ## the service with 200 campaigns of 1,000 trials and 100 event streams; BENCH_FLAGS="--database both" in PostgreSQL too
	@$(BIN)/python -m benchmarks.bench_service $(BENCH_FLAGS)

bench-sim: install-dev ## packet-hops a CPU second and memory of the simulator, from 7 to 11,664 nodes, and CPU time by scheme
	@$(BIN)/python benchmarks/bench_sim.py $(BENCH_FLAGS)

bench-start: install-dev ## CPU time that `ibcc` takes to say what it can do, and to ask a service something
	@$(BIN)/python -m benchmarks.bench_start $(BENCH_FLAGS)

pictures: install-dev $(STAMPS)/ui ## the pictures of the web interface in docs/images, taken anew
	@$(PACKAGES) browser
	@$(BIN)/python -m tests.api.ui.pictures

lint: lint-python lint-format lint-ui lint-tidy ## all linters

lint-python: install-dev
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mdformat --check $(MARKDOWN)
	@$(BIN)/mypy

lint-format: $(TIDY)
	@$(BIN)/clang-format --dry-run -Werror $(CLANG_FORMATTED)

lint-ui:
	@if $(MAKE) --no-print-directory $(STAMPS)/ui-packages; then \
		build_tools/ui.sh run --silent lint; \
	else \
		echo 'Skipped: the linter of the web interface (api/ui), whose packages cannot be installed.'; \
	fi

# Asked for once, and only where a file is checked.
FOREIGN_HEADERS = $(eval FOREIGN_HEADERS := $(shell $(BIN)/python build_tools/libyaml.py; $(BIN)/python -m pybind11 --includes | sed 's/-I//g'))$(FOREIGN_HEADERS)
# clang-tidy takes most of its time to start and for headers, so it checks all files of a folder together.
TIDIED_FOLDERS := $(patsubst %/,%,$(sort $(dir $(CLANG_TIDIED))))
lint-tidy: $(TIDIED_FOLDERS:%=$(STAMPS)/tidy/%/folder)

# A file that changes has its folder checked anew.
$(foreach file,$(CLANG_TIDIED),$(eval $(STAMPS)/tidy/$(dir $(file))folder: $(file)))
$(STAMPS)/tidy/%/folder: .clang-tidy $(filter %.h %.hpp,$(NATIVE) $(PLUGIN) $(METER)) | $(CMAKE) $(TIDY) $(STAMPS)/packages-plugin $(STAMPS)/packages-meter
	@mkdir -p $(@D)
	@build_tools/clang_tidy.sh checks $* $(FOREIGN_HEADERS)
	@touch $@

# It takes longer than all other linters together.
analyze: $(ANALYZED:%=$(STAMPS)/analyzed/%) ## clang's static analyzer; part of test-all

$(STAMPS)/analyzed/%: % .clang-tidy $(filter %.h %.hpp,$(NATIVE) $(PLUGIN) $(METER)) | $(CMAKE) $(TIDY) $(STAMPS)/packages-plugin $(STAMPS)/packages-meter
	@mkdir -p $(@D)
	@build_tools/clang_tidy.sh analyzer $< $(FOREIGN_HEADERS)
	@touch $@

format: install-dev $(TIDY) $(STAMPS)/ui-packages ## rewrite sources as the linters want them
	@$(BIN)/ruff check --fix-only --quiet
	@$(BIN)/ruff format --quiet
	@$(BIN)/mdformat $(MARKDOWN)
	@$(BIN)/clang-format -i $(CLANG_FORMATTED)
	@build_tools/ui.sh run --silent format

lock: ## newest versions that pyproject.toml allows, into constraints.txt
	@build_tools/lock.sh

# ADVISORIES='FOLDER…': against OSV files instead of the services on the network.
audit: install-dev ## known vulnerabilities of the locked dependencies
	@$(if $(ADVISORIES),,$(BIN)/pip install --quiet pip-audit)
	@$(BIN)/python -m build_tools.audit $(ADVISORIES:%=--advisories %)

clean: ## remove what was built
	rm -rf build dist *.egg-info api/ui/dist api/ui/src/api/schema.d.ts configs/schemas man
	find simulator -name '*.so' -delete

distclean: clean ## and the virtual environment
	rm -rf $(VENV) api/ui/node_modules
