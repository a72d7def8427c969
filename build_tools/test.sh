#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# test.sh [quick]: `make test`, or `make test-quick`: every step even if one fails, and then what each took. Exit code 1 if any failed.
set -uo pipefail
cd "$(dirname "$0")/.."
. build_tools/steps.sh

make=(${MAKE:-make} --no-print-directory)
failed=0

steps_begin "${1:-test}"
case ${1:-test} in
test)
	step 'System packages' "${make[@]}" packages-of-tests
	step 'Install' "${make[@]}" install-dev || exit 1
	step 'Builds for tests' "${make[@]}" builds-of-tests
	# While tests wait for something, the compiler has the cores.
	step_beside 'Builds of tests in C and C++' "${make[@]}" builds-of-native-tests
	step 'Tests in Python' "${make[@]}" test-python || failed=1
	step 'Tests of the web interface' "${make[@]}" test-ui || failed=1
	steps_wait || failed=1
	step 'Tests in C and C++' "${make[@]}" test-native || failed=1
	;;
quick)
	step 'Install' "${make[@]}" install-dev || exit 1
	IBCC_QUICK=1 step_beside 'Tests in C and C++' "${make[@]}" test-native PRESET=dev
	step 'Quick tests in Python' "${make[@]}" test-python PYTEST_FLAGS="${PYTEST_FLAGS:-} --quick" || failed=1
	step 'Tests of the web interface' "${make[@]}" test-ui || failed=1
	steps_wait || failed=1
	;;
*)
	echo "test.sh: unknown kind '$1'; test or quick would be right" >&2
	exit 2
	;;
esac
steps_summary
.venv/bin/python -m build_tools.second_tries --new
exit $failed
