#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# clang_tidy.sh checks|analyzer FILE|FOLDER [FOLDER...]: checks one source file of ours, or all in a folder together, as .clang-tidy says,
# by all but the static analyzer, or by that alone. In the other folders are headers that are not ours.
set -euo pipefail
cd "$(dirname "$0")/.."

usage='usage: clang_tidy.sh checks|analyzer FILE|FOLDER [FOLDER...]'
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
files=("$file")
[ ! -d "$file" ] || files=("$file"/*.c)
case $file in
opensm_plugin/*) flags=(-std=c11 -Iopensm_plugin/src -Iccpolicy/src -isystem /usr/include/infiniband '-DIBCC_PLUGIN_VERSION="0"') ;;
perftest_mods/meter/*) flags=(-std=gnu11 -D_GNU_SOURCE -DIBCC_HAVE_ATOMIC_WRITE -Iperftest_mods/meter/src) ;;
*.c | ccpolicy/* | simulator/client) flags=(-std=c11 -Iccpolicy/src) ;;
*) flags=(-std=c++20 -Isimulator/src) ;;
esac
if compgen -G "$file/*.cpp" >/dev/null; then
	# In one file, whose headers are read once. As simulator/CMakeLists.txt has them compiled: one name in all files is another in each.
	together=build/tidy/$file.cpp
	mkdir -p "${together%/*}"
	number=0
	for each in "$file"/*.cpp; do
		number=$((number + 1))
		printf '#define kRegistered kRegistered%d\n#include "%s" // NOLINT(bugprone-suspicious-include)\n#undef kRegistered\n' \
			$number "$PWD/$each"
	done >"$together"
	files=("$together")
fi
# Headers that are not ours come in as the system's, which are not checked.
flags+=(-Iccpolicy/include)
for folder in "$@"; do
	flags+=(-isystem "$folder")
done
exec timeout 300 .venv/bin/clang-tidy --quiet --checks="$left_out" --warnings-as-errors='*' "${files[@]}" -- "${flags[@]}" 2> >(grep -v ' warnings\? generated\|Processing file ' >&2)
