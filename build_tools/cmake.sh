#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# cmake.sh PRESET [TARGET...]           configures and builds one preset of CMakePresets.json, or targets of it; those that it has not,
#                                       as what they need is not installed, are passed over
# cmake.sh PRESET test [PROGRAM_test...]  runs its tests, or those of some programs
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/.venv/bin:$PATH # CMake and Ninja are in the virtual environment
preset=${1:?usage: cmake.sh PRESET [TARGET...|test [PROGRAM_test...]]}
shift

if [ "${1:-build}" = test ]; then
	shift
	programs=("${@%_test}")
	# What failed in an earlier run is no news: build_tools/lanes reads it.
	rm -f "build/$preset/Testing/Temporary/LastTestsFailed.log"
	# A long program is several tests, with numbers.
	only=${programs[*]:+^($(IFS='|' && echo "${programs[*]}"))(_[0-9]+)?\$}
	exec ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --parallel "$(nproc)" --timeout 600 \
		${only:+--tests-regex "$only"}
fi
# Ninja counts processors itself. What `make -j` says here names pipes that make gives to other makes alone, and ninja stops at that.
unset MAKEFLAGS MFLAGS
mkdir -p build
if ! cmake --preset "$preset" >"build/cmake-$preset.log" 2>&1; then
	cat "build/cmake-$preset.log" >&2
	exit 1
fi
there=()
known=$(ninja -C "build/$preset" -t targets all | sed 's/: [^:]*$//')
for target in "$@"; do
	if grep --quiet --line-regexp --fixed-strings "$target" <<<"$known"; then there+=("$target"); fi
done
[ $# -eq 0 ] || [ ${#there[@]} -gt 0 ] || exit 0
exec cmake --build "build/$preset" ${there[0]:+--target "${there[@]}"} -- --quiet
