# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# Steps of a long command, timed. Sourced by .ci/run and build_tools/test.sh:
#
#   steps_begin NAME                NAME.tsv in build/steps keeps what each step took
#   step TITLE COMMAND...           runs it after a line with its title; returns what it returns
#   steps_beside FUNCTION...        starts a step, or a function of steps, at a lower priority beside the next ones; its output is in
#                                   build/steps/beside.log
#   steps_wait                      waits for that, shows its output and returns its exit code. If the script ends before, so does that
#   step_failed TITLE               whether that step ran and failed
#   steps_summary                   a table of all steps: seconds by the clock and seconds of CPU
#
# CPU is that of the command and of everything that it waited for.

steps_begin() {
	steps_file=build/steps/$1.tsv
	mkdir -p build/steps
	: >"$steps_file"
	SECONDS=0
}

step() {
	local title=$1 code=0 times TIMEFORMAT='%R %U %S'
	shift
	echo
	echo "== $title"
	{ times=$({ time "$@" 1>&3 2>&4 || code=$?; } 2>&1; exit "$code") || code=$?; } 3>&1 4>&2
	awk -v title="$title" -v code="$code" -v beside="${steps_are_beside:-0}" \
		'{printf "%s\t%.0f\t%.0f\t%d\t%d\n", title, $1, $2 + $3, code, beside}' <<<"$times" >>"$steps_file"
	return "$code"
}

steps_beside() {
	set -m # a process group of its own, to be ended as a whole
	(
		renice -n 5 -p "$BASHPID" >/dev/null
		steps_are_beside=1
		"$@"
	) >build/steps/beside.log 2>&1 </dev/null &
	set +m
	steps_group=$!
	trap 'kill -- "-$steps_group" 2>/dev/null || true' EXIT
}

steps_wait() {
	local code=0
	wait "$steps_group" || code=$?
	cat build/steps/beside.log
	return "$code"
}

step_failed() {
	awk -F'\t' -v title="$1" '$1 == title && $4 { failed = 1 } END { exit !failed }' "$steps_file"
}

steps_summary() {
	echo
	awk -F'\t' '
		function row(title, clock, cpu, note) { printf "%-34s %6d:%02d %8d s%s\n", title, clock / 60, clock % 60, cpu, note }
		BEGIN { printf "%-34s %9s %10s\n", "step", "min:s", "CPU" }
		{ row($1, $2, $3, ($4 ? "  failed" : "") ($5 ? "  beside the others" : "")); cpu += $3 }
		END { row("all", clock, cpu, "") }' clock="$SECONDS" "$steps_file"
}
