#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# clang_tidy.sh checks|analyzer FILE [FOLDER...]: checks one source file of ours as .clang-tidy says, by all but the static analyzer, or by
# that alone. In the folders are headers that are not ours.
set -euo pipefail
cd "$(dirname "$0")/.."

usage='usage: clang_tidy.sh checks|analyzer FILE [FOLDER...]'
mode=${1:?$usage}
file=${2:?$usage}
shift 2
case $mode in
checks) left_out=-clang-analyzer-* ;;
analyzer) left_out=-bugprone-*,-concurrency-*,-misc-*,-modernize-*,-performance-*,-readability-* ;;
*)
	echo "$usage" >&2
	exit 2
	;;
esac
case $file in
opensm_plugin/*.c) flags=(-std=c11 -Iopensm_plugin/src -Iccpolicy/src -isystem /usr/include/infiniband '-DIBCC_PLUGIN_VERSION="0"') ;;
perftest_mods/meter/*.c) flags=(-std=gnu11 -D_GNU_SOURCE -DIBCC_HAVE_ATOMIC_WRITE -Iperftest_mods/meter/src) ;;
*.c) flags=(-std=c11 -Iccpolicy/src) ;;
*) flags=(-std=c++20 -Isimulator/src) ;;
esac
# Headers that are not ours come in as the system's, which are not checked.
flags+=(-Iccpolicy/include)
for folder in "$@"; do
	flags+=(-isystem "$folder")
done
exec timeout 300 .venv/bin/clang-tidy --quiet --checks="$left_out" --warnings-as-errors='*' "$file" -- "${flags[@]}" 2> >(grep -v ' warnings\? generated' >&2)
