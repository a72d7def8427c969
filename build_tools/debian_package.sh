#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# debian_package.sh [FOLDER]: builds the Debian packages of the OpenSM plugin and for hosts into FOLDER, by default build/debian.
#
# In a copy, because debhelper writes all over the tree that it works in.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p "${1:-build/debian}"
out=$(realpath "${1:-build/debian}")
copy=$out/ibcc
rm -rf "$copy" "$out"/ibcc[-_]*
mkdir "$copy"
git ls-files -z --cached --others --exclude-standard --deduplicate | while IFS= read -rd '' file; do
	[ ! -e "$file" ] || printf '%s\0' "$file"
done | tar --create --null --files-from=- | tar --extract --directory="$copy"
# Package builds have no network, and no ibcc in Python.
libyaml=$(.venv/bin/python build_tools/libyaml.py)
mkdir -p "$copy/build"
cp -r "$libyaml" "$copy/build/"
.venv/bin/python -m build_tools.man_pages "$copy/man"

cd "$copy"
if ! dpkg-buildpackage --unsigned-source --unsigned-changes --build=binary >"$out/build.log" 2>&1; then
	cat "$out/build.log" >&2
	exit 1
fi
rm -rf "$copy"
ls "$out"/*.deb
