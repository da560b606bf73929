# The front door. What these targets need, scripts/bootstrap installs: system packages through apt,
# everything else into .venv. What they make lies in .venv, build*/ and out/.
#
#   make                    build, and install into .venv (incremental)
#   make demo               unedited scripts, plain and under Brio: equal? how much faster?
#   make test               every test; the last line counts them
#   make test-long          what is too long for that: all processor levels under all sanitizers
#   make bench              the benchmark beside its peers; SET= and ONLY= choose the rows
#   make lint, make format  complain about style; mend it
#   make install PREFIX=    the C library, its headers and the command, elsewhere
#   make clean              remove what was built; .venv and .venv-oldest stay
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := all

export PATH := $(CURDIR)/.venv/bin:$(PATH)
PYTHON := .venv/bin/python
MESON := .venv/bin/meson
PREFIX ?= /usr/local
DESTDIR ?=
# More for `meson setup`, such as -Dcpu_levels=v3 for a quicker build.
OPTIONS ?=

.PHONY: all demo test test-long bench lint format install clean

.venv/.ready: scripts/bootstrap $(wildcard requirements/*.txt)
	@scripts/bootstrap
	@touch $@

build/build.ninja: .venv/.ready
	@rm -rf build
	@$(MESON) setup build --prefix=$(CURDIR)/.venv --libdir=lib $(OPTIONS) >/dev/null || \
	    { cat build/meson-logs/meson-log.txt; rm -rf build; exit 1; }
	@echo "build: compiling the library for every processor level" >&2

all: build/build.ninja
	@.venv/bin/ninja -C build --quiet
	@$(MESON) install -C build --no-rebuild --quiet --only-changed
	@$(PYTHON) tools/prune.py build

demo: all
	@$(PYTHON) -m examples.demo

test: all
	@$(PYTHON) tools/run_tests.py

test-long: all
	@$(PYTHON) tools/run_tests.py --long

bench: all
	@$(PYTHON) -m bench $(if $(SET),--set $(SET)) $(if $(ONLY),--only $(ONLY))

lint: all
	@$(PYTHON) tools/lint.py

format: .venv/.ready
	@$(PYTHON) tools/lint.py --fix

install: .venv/.ready
	@[ -f build-install/build.ninja ] || $(MESON) setup build-install -Dpython=false -Dtests=false --libdir=lib $(OPTIONS)
	@$(MESON) configure build-install -Dprefix=$(abspath $(PREFIX))
	@$(MESON) install -C build-install $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

clean:
	@rm -rf build build-* dist out .cache .pytest_cache .hypothesis .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
