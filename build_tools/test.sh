#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# test.sh [quick]: `make test`, or `make test-quick`: the lanes that have to run (build_tools/lanes), every step even if one fails, and
# then what each took. Exit code 1 if any failed.
#
# LANES: "all", or names of lanes. SINCE: the commit to compare with. Without both, the lanes that the changes touch since the last
# commit for which all passed here. PRESET: with which the tests in C and C++ are built.
set -uo pipefail
cd "$(dirname "$0")/.."
. build_tools/steps.sh

make=(${MAKE:-make} --no-print-directory)
kind=${1:-test}
preset=${PRESET:-installed}
flags=${PYTEST_FLAGS:-}
case $kind in
test) ;;
quick)
	preset=dev
	flags+=' --quick'
	make+=(WORKERS="$(nproc)") # quick tests wait for no other program
	export IBCC_QUICK=1
	;;
*)
	echo "test.sh: unknown kind '$1'; test or quick would be right" >&2
	exit 2
	;;
esac
failed=() # steps, as build_tools/lanes names them

steps_begin "$kind"
[ "$kind" = quick ] || step 'System packages' "${make[@]}" packages-of-tests
step 'Install' "${make[@]}" install-dev || exit 1

echo
.venv/bin/python -m build_tools.lanes choose --lanes "${LANES:-}" --since "${SINCE:-}" || exit 2
has() { [ -e "build/lanes/$1.txt" ]; }
native=(PRESET="$preset")
has native && native+=(NATIVE_TESTS="$(xargs <build/lanes/native.txt)")

if has python && [ "$kind" != quick ]; then
	step 'Builds for tests' "${make[@]}" builds-of-tests
fi
# While tests in Python wait for something, these have the cores.
tests_beside() {
	if has ui; then
		step 'Tests of the web interface' "${make[@]}" test-ui || true
	fi
	if has native && step 'Builds of tests in C and C++' "${make[@]}" builds-of-native-tests "${native[@]}"; then
		step 'Tests in C and C++' "${make[@]}" test-native "${native[@]}" || true
	fi
	return 0 # its steps say what failed
}

beside=
if has native || has ui; then
	beside=1
	steps_beside tests_beside
fi
if has python; then
	step 'Tests in Python' "${make[@]}" test-python PYTEST_FLAGS="$flags" PYTHON_TESTS=@build/lanes/python.txt || failed+=(--failed python)
fi
if [ -n "$beside" ]; then
	ended=0
	steps_wait || ended=$?
	# Ended from outside, it has not run all of its steps.
	if has ui && { [ $ended != 0 ] || step_failed 'Tests of the web interface'; }; then failed+=(--failed ui); fi
	if has native && { [ $ended != 0 ] || step_failed 'Builds of tests in C and C++' || step_failed 'Tests in C and C++'; }; then
		failed+=(--failed native)
	fi
fi
steps_summary
code=0
.venv/bin/python -m build_tools.lanes settle --preset "$preset" ${IBCC_QUICK:+--quick} "${failed[@]}" || code=$?
[ ${#failed[@]} -eq 0 ] || code=1
.venv/bin/python -m build_tools.second_tries --new
exit $code
