#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# fuzz.sh OPTION...: runs every fuzzer, WORKERS at a time (2), with these options of libFuzzer: -max_total_time=SECONDS or -runs=NUMBER.
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

[ $# -gt 0 ] || { echo 'usage: fuzz.sh -max_total_time=SECONDS | -runs=NUMBER' >&2; exit 2; }
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
mkdir -p build/fuzz/crashes
echo "Fuzzers: ${#sources[@]}, each with $*"
printf '%s\n' "${sources[@]}" | xargs -P "${WORKERS:-2}" -I{} "$0" --one {} "$@"
