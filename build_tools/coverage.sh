#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# coverage.sh OPTION...: runs the tests in Python, with these options of pytest, and those in C and C++, and counts by line and branch
# what they run of the product: tables in build/coverage/python_lines.txt and native_lines.txt, of which it prints the ends, and one by
# part. COVERAGE_BEFORE: the parts.json of another state; a part that has fallen since fails.
#
# The native module is built without counters: lines in C and C++ count only where the tests in C++ run them.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/.venv/bin:$PATH

rm -rf build/coverage
mkdir -p build/coverage
failed=0
coverage run -m pytest --numprocesses "${WORKERS:-2}" --dist loadfile "$@" || failed=1
coverage combine --quiet
coverage report >build/coverage/python_lines.txt
coverage json --quiet -o build/coverage/python.json

flags=(-DCMAKE_C_FLAGS=--coverage -DCMAKE_CXX_FLAGS=--coverage)
cmake --preset dev -B build/coverage/native -DIBCC_TESTS_TOGETHER=40 "${flags[@]}" >build/coverage/cmake.log
cmake --build build/coverage/native -- --quiet
ctest --test-dir build/coverage/native --output-on-failure >build/coverage/ctest.log || { cat build/coverage/ctest.log; failed=1; }
# CMake's own trials of the compiler lie there too, and have no sources.
gcovr --root . --filter '(ccpolicy|simulator|opensm_plugin|perftest_mods)/' --gcov-ignore-errors=all --gcov-ignore-parse-errors=all \
	--exclude-throw-branches --print-summary --output build/coverage/native_lines.txt --json-summary build/coverage/native.json \
	build/coverage/native >build/coverage/gcovr.log 2>&1

echo "Python: $(tail -n 1 build/coverage/python_lines.txt | tr -s ' ')"
echo "C and C++: $(grep -E '^(lines|branches)' build/coverage/gcovr.log | xargs)"
python -m build_tools.coverage_parts build/coverage ${COVERAGE_BEFORE:+"$COVERAGE_BEFORE"} || failed=1
exit $failed
