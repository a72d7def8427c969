#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# fuzz.sh SECONDS: runs every fuzzer of build/fuzz/fuzzers for so long.
#
# tests/PART/fuzz_NAME.cc starts from the examples in tests/PART/corpus, which the tests use too, and from what it found before, in
# build/fuzz/corpus. A crash leaves its input in build/fuzz/crashes and fails.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:?usage: fuzz.sh SECONDS}
shopt -s nullglob
fuzzers=(build/fuzz/fuzzers/*)
if [ ${#fuzzers[@]} -eq 0 ]; then
	echo 'No fuzzers: tests/**/fuzz_*.cc is empty.' >&2
	exit 1
fi
mkdir -p build/fuzz/crashes
for fuzzer in "${fuzzers[@]}"; do
	name=$(basename "$fuzzer")
	found=build/fuzz/corpus/$name
	source=$(find tests -name "$name.cc")
	mkdir -p "$found" "${source%/*}/corpus"
	log=build/fuzz/$name.log
	echo "$name: $seconds s"
	if ! "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix=build/fuzz/crashes/ "$found" "${source%/*}"/corpus >"$log" 2>&1 </dev/null; then
		tail -50 "$log" >&2
		exit 1
	fi
	grep -E '^(stat::number_of_executed_units|stat::average_exec_per_sec)' "$log"
done
