# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
PYTHON ?= /usr/bin/python3
VENV := .venv

.PHONY: install test
install: $(VENV)/bin/python
	$(VENV)/bin/pip install -q -e '.[dev]'

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install -q --upgrade pip setuptools

test: install
	$(VENV)/bin/pytest
