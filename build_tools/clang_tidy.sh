#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# clang_tidy.sh FILE: checks one source file of ours as .clang-tidy says.
set -euo pipefail
cd "$(dirname "$0")/.."

file=${1:?usage: clang_tidy.sh FILE}
case $file in
opensm_plugin/*.c) flags=(-std=c11 -Iopensm_plugin/src -Iccpolicy/src -isystem /usr/include/infiniband '-DIBCC_PLUGIN_VERSION="0"') ;;
perftest_mods/meter/*.c) flags=(-std=gnu11 -D_GNU_SOURCE -DIBCC_HAVE_ATOMIC_WRITE -Iperftest_mods/meter/src) ;;
*.c) flags=(-std=c11 -Iccpolicy/src) ;;
*) flags=(-std=c++20 -Isimulator/src) ;;
esac
# Headers that are not ours come in as the system's, which are not checked.
flags+=(-Iccpolicy/include)
for folder in "$(.venv/bin/python build_tools/libyaml.py)" $(.venv/bin/python -m pybind11 --includes | sed 's/-I//g'); do
	flags+=(-isystem "$folder")
done
exec timeout 300 clang-tidy-19 --quiet --warnings-as-errors='*' "$file" -- "${flags[@]}" 2> >(grep -v ' warnings\? generated' >&2)
