#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Runs a real OpenSM on ibsim for each net file of this folder and keeps its forwarding tables. Needs Debian's packages opensm, ibsim-utils,
# libumad2sim0 and infiniband-diags; no privileges: ibsim's sockets have a name of their own, OpenSM's files a folder of their own.
#
# Usage: make_dumps.sh NET ENGINE [OPENSM OPTION ...], as README.md lists them.
set -euo pipefail

folder=$(cd "$(dirname "$0")" && pwd)
net=$1 engine=$2
shift 2
export IBSIM_SOCKNAME="ibcc-dumps-$$" SIM_HOST=H0
work=$(mktemp -d)
export OSM_TMP_DIR=$work OSM_CACHE_DIR=$work
cd "$work"
# A console that stays open and says nothing.
mkfifo console
ibsim -s "$folder/$net/ibsim.net" <console >ibsim.log 2>&1 &
ibsim=$!
exec 3>console
trap 'kill $ibsim; rm -rf "$work"' EXIT
until grep -q ready ibsim.log; do sleep 0.1; done

sim() { LD_PRELOAD=$(echo /usr/lib/*/umad2sim/libumad2sim.so) timeout 60 "$@"; }
out="$folder/$net"
# -D 0x43: with the dumps of routes.
sim opensm -o -R "$engine,no_fallback" -D 0x43 -f opensm.log "$@" >opensm.out 2>&1 || { tail -n 5 opensm.log; exit 1; }
cp opensm-lfts.dump "$out/$engine.lfts.dump"
sim ibnetdiscover >"$out/ibnetdiscover.txt" 2>/dev/null
if [ "$net" = ring ]; then
  # What the script dump_lfts.sh does: ibroute of every switch. Larger nets would fill the repository with it.
  sim ibswitches 2>/dev/null | sed -n 's/.* lid \([0-9]*\) lmc.*/\1/p' | while read -r lid; do
    sim ibroute "$lid" 2>/dev/null
  done >"$out/$engine.ibroute.txt"
fi
if [ "$engine" = torus-2QoS ]; then cp opensm-sl2vl.dump "$out/$engine.sl2vl.dump"; fi
