#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# lock.sh: writes constraints.txt anew, with the newest versions that pyproject.toml allows.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"${PYTHON:-/usr/bin/python3}" -m venv "$scratch"
"$scratch/bin/pip" install --quiet --upgrade pip setuptools pybind11
"$scratch/bin/pip" install --quiet --no-build-isolation --group dev --group cmake --group node --group coverage --group tidy --group fuzz '.[service,cluster]'
{
	echo '# Versions that ibcc is developed and tested with. Written by `make lock`; what users may combine is in pyproject.toml.'
	"$scratch/bin/pip" freeze --all --exclude ibcc | "$scratch/bin/python" -m build_tools.products
} >constraints.txt
