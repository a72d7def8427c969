#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# cmake.sh PRESET [TARGET|test]: configures and builds one preset of CMakePresets.json, or a target of it, or runs its tests.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/.venv/bin:$PATH # CMake and Ninja are in the virtual environment
preset=${1:?usage: cmake.sh PRESET [TARGET|test]}

if [ "${2:-build}" = test ]; then
	exec ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --parallel "$(nproc)" --timeout 600
fi
mkdir -p build
if ! cmake --preset "$preset" >"build/cmake-$preset.log" 2>&1; then
	cat "build/cmake-$preset.log" >&2
	exit 1
fi
exec cmake --build "build/$preset" ${2:+--target "$2"} -- --quiet
