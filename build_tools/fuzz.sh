#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# fuzz.sh SECONDS: runs every fuzzer of build/fuzz/fuzzers for so long, from the examples in the folder that bears its name.
#
# tests/PART/fuzz_NAME.cc starts from tests/PART/corpus/fuzz_NAME, if there is such a folder; what it finds stays in
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
	mkdir -p "$found"
	log=build/fuzz/$name.log
	echo "$name: $seconds s"
	if ! "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix=build/fuzz/crashes/ "$found" tests/*/corpus/"$name" >"$log" 2>&1 </dev/null; then
		tail -50 "$log" >&2
		exit 1
	fi
	grep -E '^(stat::number_of_executed_units|stat::average_exec_per_sec)' "$log"
done
