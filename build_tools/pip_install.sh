#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# pip_install.sh WHAT ARGUMENT...: `pip install ARGUMENT...` into .venv within constraints.txt, after a line that says WHAT.
#
# Shows a line for each package that pip looks for, downloads or takes from its cache, with sizes. If pip fails, shows all that it said.
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:?usage: pip_install.sh WHAT ARGUMENT...}
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Installing $what into .venv"
started=$SECONDS
.venv/bin/pip install --constraint constraints.txt --progress-bar off "$@" 2>&1 </dev/null | tee "$log" | sed --unbuffered --quiet \
	-e '/\.metadata (/d' \
	-e 's/^ *\(Collecting [^ ]*\).*/  \1/p' \
	-e 's/^ *\(Downloading [^ ]* ([^)]*)\).*/  \1/p' \
	-e 's/^ *Using cached \([^ ]* ([^)]*)\).*/  In the cache: \1/p' \
	-e 's/^Installing collected packages: .*/  Unpacking all of them/p' || {
	cat "$log" >&2
	exit 1
}
echo "Installed $what in $((SECONDS - started)) s"
