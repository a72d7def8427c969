#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# debian_packages.sh GROUP: sees to it that a group of system packages is there.
#
# Looks for what the packages bring, not for their names, so it is content with any machine that has a compiler. What is missing
# is installed as root, or through sudo where that asks nothing. Otherwise it names the packages and exits with 1. So it does with what
# is still missing after that; a package that dpkg cannot configure is named once, and concerns only those who need what it brings.
#
#   build   what `make install` and `make demo` cannot do without
#   test    for the tests in C and C++
#   plugin  for the OpenSM plugin
#   meter   for the meter
#   vm      for the tests that run real verbs programs in a virtual machine
#   package for the Debian packages, with those of the groups plugin and meter
#   lintian what looks through the Debian packages
#   witness libraries of others that a few tests compare ours with
#   emulator programs of others that the end-to-end tests of the emulator run
#   postgresql the server that tests of campaigns in a database start
#   hosts   an ssh server, through which tests launch host agents
#   slurm   Slurm, in which slow tests launch them
#   monitoring promtool, which checks the alert rules and the queries of the dashboard
#   systemd what reads the units for systemd
#   strace  what shows that the service waits for the disk
#   browser Chromium, in which the tests use the web interface
#   bench   ibsim, which benchmarks/bench_emulator.py compares with
#   fuzz    libFuzzer
#   chroot  for the test in a bare Debian
set -euo pipefail

python=${PYTHON:-/usr/bin/python3}
missing=()
need() { # need PACKAGE COMMAND...: PACKAGE is missing unless COMMAND succeeds
	local package=$1
	shift
	"$@" >/dev/null 2>&1 || missing+=("$package")
}
# Debian keeps what administrators run in sbin, which is not on a plain user's path.
have() { PATH=$PATH:/usr/sbin:/sbin command -v "$1"; }
has_venv() { "$python" -c 'import venv, ensurepip'; }
has_python_h() { test -e "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h"; }
has_cxx20() { echo '#include <concepts>' | "${CXX:-c++}" -std=c++20 -fsyntax-only -x c++ -; }
has_gtest() { echo '#include <gtest/gtest.h>' | "${CXX:-c++}" -std=c++20 -fsyntax-only -x c++ -; }
has_library() { "$python" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$1"; }
has_umad2sim() { compgen -G '/usr/lib*/umad2sim/libumad2sim.so' || compgen -G '/usr/lib/*/umad2sim/libumad2sim.so'; }
has_postgresql() { have initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb'; }
has_header() { echo "#include <$1>" | "${CC:-cc}" -fsyntax-only -x c -; }
is_static() { have "$1" && ! ldd "$(have "$1")"; }
has_rxe() { compgen -G '/usr/lib*/libibverbs/librxe-*.so' || compgen -G '/usr/lib/*/libibverbs/librxe-*.so'; }
has_libfuzzer() { test -e "$(clang-19 -print-file-name=libclang_rt.fuzzer-x86_64.a)" || test -e "$(clang-19 -print-file-name=libclang_rt.fuzzer.a)"; }

group=${1:?usage: debian_packages.sh build|test|plugin|meter|vm|package|lintian|witness|emulator|postgresql|hosts|slurm|monitoring|systemd|strace|browser|bench|fuzz|chroot}
look() { # what of the group is missing
	missing=()
	case $group in
	build)
		need python3-venv has_venv
		need python3-dev has_python_h
		need g++ has_cxx20
		;;
	test)
		need libgtest-dev has_gtest
		;;
	plugin)
		need pkg-config have pkg-config
		need libjansson-dev has_header jansson.h
		need libibumad-dev has_header infiniband/umad.h
		need libopensm-dev has_header infiniband/opensm/osm_config.h
		;;
	meter)
		need libibverbs-dev has_header infiniband/verbs.h
		;;
	vm)
		need qemu-system-x86 have qemu-system-x86_64
		need cpio have cpio
		need kmod have modprobe
		need busybox-static is_static busybox
		need iproute2 have rdma
		need perftest have ib_write_bw
		need ibverbs-utils have ibv_rc_pingpong
		need ibverbs-providers has_rxe
		;;
	package)
		need build-essential dpkg-query --show build-essential
		need dpkg-dev have dpkg-buildpackage
		need debhelper have dh
		need cmake have cmake
		need git have git
		;;
	lintian)
		need lintian have lintian
		;;
	witness)
		need libibmad5 has_library libibmad.so.5
		;;
	emulator)
		need opensm have opensm
		need infiniband-diags have ibnetdiscover
		need libumad2sim0 has_umad2sim
		need ibutils have ibdiagnet
		need valgrind have valgrind
		;;
	postgresql)
		need postgresql has_postgresql
		;;
	hosts)
		need openssh-server have sshd
		need openssh-client have ssh
		;;
	slurm)
		need slurm-wlm have slurmctld
		need munge have munged
		;;
	monitoring)
		need prometheus have promtool
		;;
	systemd)
		need systemd have systemd-analyze
		;;
	strace)
		need strace have strace
		;;
	browser)
		need chromium-headless-shell have chromium-headless-shell
		;;
	bench)
		need opensm have opensm
		need libumad2sim0 has_umad2sim
		need ibsim-utils have ibsim
		;;
	fuzz)
		# With a version: without one it is 14 on Debian 12 and 19 on 13, and libFuzzer and the sanitizers would differ.
		need clang-19 have clang++-19
		need libclang-rt-19-dev has_libfuzzer
		;;
	chroot)
		need debootstrap have debootstrap
		need git have git
		;;
	*)
		echo "debian_packages.sh: unknown group '$group': build, test, plugin, meter, vm, package, lintian, witness, emulator, postgresql, hosts, slurm, monitoring, systemd, strace, browser, bench, fuzz or chroot would be right" >&2
		exit 2
		;;
	esac
}
look
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
	as_root=(env)
elif sudo -n true 2>/dev/null; then
	as_root=(sudo -n env)
else
	as_root=()
fi
if ! command -v apt-get >/dev/null || [ ${#as_root[@]} -eq 0 ]; then
	echo "Missing Debian packages ($group): ${missing[*]}. An administrator installs them with: apt-get install ${missing[*]}" >&2
	exit 1
fi
echo "Installing Debian packages ($group): ${missing[*]}" >&2
# Unpacked and not configured, or half of it.
broken() { dpkg-query --show --showformat '${db:Status-Abbrev} ${Package}\n' | sed -n 's/^.[HUF][^ ]* *//p' | sort; }
# Nobody is there to be asked which of two versions of a file of settings is right: a machine keeps its own.
apt=("${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A package that dpkg cannot configure has apt-get fail whatever it installs: what counts is what is there afterwards.
try() {
	if "${apt[@]}" install --yes --no-install-recommends "$@" </dev/null >>"$log" 2>&1; then missing=(); else look; fi
}
broken_before=$(broken)
try "${missing[@]}"
# The package lists of a fresh machine are empty or stale: fetch them only if what is there does not serve.
if [ ${#missing[@]} -gt 0 ]; then
	"${apt[@]}" update </dev/null || true
	: >"$log"
	try "${missing[@]}"
fi
# One that apt-get does not find keeps it from installing the others.
if [ ${#missing[@]} -gt 1 ]; then
	for package in "${missing[@]}"; do
		try "$package"
	done
	look
fi
mapfile -t newly_broken < <(comm -13 <(echo "$broken_before") <(broken))
[ ${#newly_broken[@]} -eq 0 ] || echo "dpkg could not configure: ${newly_broken[*]}. \`dpkg --configure --pending\` says why." >&2
[ ${#missing[@]} -gt 0 ] || exit 0
tail -n 20 "$log" >&2
echo "Still missing ($group): ${missing[*]}. apt-get could not install what is missing." >&2
exit 1
