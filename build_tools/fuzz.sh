#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# fuzz.sh --share=SECONDS | OPTION...: runs every fuzzer, WORKERS at a time (as many as there are cores): all together for SECONDS by
# the clock, or each with these options of libFuzzer, such as -runs=NUMBER or -max_total_time=SECONDS.
#
# Fuzzers in C++ are the programs in build/fuzz/fuzzers, built from tests/PART/fuzz_NAME.cc; those in Python are tests/PART/fuzz_NAME.py
# and need Atheris. Each starts from the examples beside it, in corpus/NAME or else in corpus, which the tests use too, and from what it
# found before, in build/fuzz/corpus. A crash leaves its input in build/fuzz/crashes and fails.
set -euo pipefail
cd "$(dirname "$0")/.."

python=.venv/bin/python
limits=(-timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix=build/fuzz/crashes/)

if [ "${1:-}" = --one ]; then # fuzz.sh --one SOURCE OPTION...
	source=$2
	shift 2
	name=$(basename "${source%.*}")
	examples=${source%/*}/corpus
	[ -d "$examples/${name#fuzz_}" ] && examples+=/${name#fuzz_}
	found=build/fuzz/corpus/$name
	log=build/fuzz/$name.log
	mkdir -p "$found" "$examples"
	if [ -e "$examples/good.txt" ]; then # many examples in a file
		"$python" -m tests.ccpolicy.corpus "build/fuzz/examples/$name"
		examples=build/fuzz/examples/$name
	fi
	case $source in
	*.cc) fuzzer=("build/fuzz/fuzzers/$name") ;;
	# The formats are lines of words: short texts already reach all there is to reach, and many more of them fit into an hour.
	*.py) fuzzer=("$python" tests/fuzzing.py "$source" -max_len=1500) ;;
	esac
	begin=$SECONDS
	if ! "${fuzzer[@]}" "${limits[@]}" "$@" "$found" "$examples" >"$log" 2>&1 </dev/null; then
		echo "$source failed ($log):" >&2
		grep -v '^#' "$log" | tail -50 >&2
		exit 1
	fi
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	echo "$source: $runs executions in $((SECONDS - begin)) s, $(grep -oE 'cov: [0-9]+' "$log" | tail -1 | sed 's/cov: //') branches"
	exit
fi

[ $# -gt 0 ] || { echo 'usage: fuzz.sh --share=SECONDS | -runs=NUMBER | -max_total_time=SECONDS' >&2; exit 2; }
mapfile -t sources < <(find tests -name 'fuzz_*.cc' | sort)
if "$python" -c 'import atheris' 2>/dev/null; then
	mapfile -t -O ${#sources[@]} sources < <(find tests -name 'fuzz_*.py' | sort)
else
	echo 'Skipped: the fuzzers in Python (tests/**/fuzz_*.py), because Atheris is not there for this Python and machine.'
fi
if [ ${#sources[@]} -eq 0 ]; then
	echo 'No fuzzers: there is no tests/**/fuzz_*.cc.' >&2
	exit 1
fi
workers=${WORKERS:-$(nproc)}
case $1 in
--share=*)
	rounds=$(((${#sources[@]} + workers - 1) / workers))
	each=$((${1#*=} / rounds))
	[ "$each" -gt 0 ] || { echo "fuzz.sh: ${1#*=} seconds are too few for ${#sources[@]} fuzzers; $rounds or more would be right" >&2; exit 2; }
	set -- "-max_total_time=$each"
	;;
esac
mkdir -p build/fuzz/crashes
echo "Fuzzers: ${#sources[@]}, each with $*"
printf '%s\n' "${sources[@]}" | xargs -P "$workers" -I{} "$0" --one {} "$@"
