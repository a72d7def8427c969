#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# host_package.sh PACKAGE.deb: installs the package for hosts in a bare Debian, uses it as the site would, and removes it.
#
# It changes the system that it runs in: chroot_test.sh runs it where that is thrown away.
set -euo pipefail
trap 'echo "host_package.sh: line $LINENO failed" >&2' ERR
package=$(realpath "$1")
[ -e /ibcc/tests/packaging/host_package.sh ] || {
	echo "host_package.sh: this is no system of chroot_test.sh, and it would be changed" >&2
	exit 2
}
export DEBIAN_FRONTEND=noninteractive
failed() {
	echo "host_package.sh: $*" >&2
	exit 1
}
tells() { # FILE PATTERN
	grep -qE -- "$2" "$1" || {
		cat "$1" /tmp/sshd.log >&2
		failed "$1 has no '$2'"
	}
}

# quietly COMMAND…: what it prints is told only if it fails
quietly() {
	"$@" >/tmp/output.log 2>&1 || {
		cat /tmp/output.log >&2
		failed "$1 $2 failed"
	}
}

quietly apt-get update
# What the package depends on comes first, as that stays.
quietly apt-get install --yes --no-install-recommends openssh-server openssh-client passwd perftest python3
before=$(mktemp) after=$(mktemp)
listed() {
	# Folders that are not there yet are no failure.
	{ find /etc /usr/lib/ibcc /var/lib/ibcc-host /run -xdev \( -path /run/sshd -o -path /run/motd.dynamic -o -path /etc/alternatives \) -prune -o -type f -print 2>/dev/null || true; } | sort
	getent passwd ibcc || true
	getent group ibcc || true
}
listed >"$before"

quietly apt-get install --yes --no-install-recommends "$package"
getent passwd ibcc >/dev/null || failed "there is no user ibcc"
for file in /etc/ibcc/agent.json /etc/security/limits.d/ibcc.conf /etc/tmpfiles.d/ibcc-agent.conf /etc/ssh/sshd_config.d/ibcc.conf \
	/usr/lib/ibcc/ibcc_agent.py /usr/lib/ibcc/libibcc_meter.so; do
	[ -s "$file" ] || failed "$file is not there"
done
find /usr/lib/systemd/system /lib/systemd/system -name ibcc-host-test.service 2>/dev/null | grep -q . || failed "the unit is not there"
mkdir -p /run/sshd
/usr/sbin/sshd -t || failed "sshd refuses its configuration"

# The key starts the agent, and nothing else.
key=$(mktemp -d)/key
ssh-keygen -q -t ed25519 -N '' -f "$key"
echo "restrict,command=\"/usr/bin/python3 -IS /usr/lib/ibcc/ibcc_agent.py\" $(cat "$key.pub")" >/etc/ssh/authorized_keys.d/ibcc
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
# With PAM, as Debian has it: without, sshd takes an account without a password for a locked one.
/usr/sbin/sshd -D -e -o UsePAM=yes -o "ListenAddress=127.0.0.1:$port" 2>/tmp/sshd.log &
sshd=$!
trap 'kill "$sshd" 2>/dev/null || true' EXIT
as_ibcc() {
	timeout 60 ssh -p "$port" -i "$key" -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR ibcc@127.0.0.1 "$@"
}
for _ in $(seq 100); do
	(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
	sleep 0.1
done
(
	echo '{"op": "check"}'
	sleep 8
) | as_ibcc cat /etc/shadow >/tmp/check.log 2>&1 || true
tells /tmp/check.log '"event": ?"hello"'
tells /tmp/check.log '"event": ?"check"'
tells /tmp/check.log '"ib_write_bw"'
tells /tmp/check.log '"event": ?"done"'
if grep -q 'root:' /tmp/check.log; then
	failed "the key runs other commands than the agent"
fi

# The test before a job, and after a boot: nothing is known of this machine, and it has no adapter.
/usr/lib/ibcc/slurm_prolog || failed "the prolog refuses a job on a host without baselines"
echo '{"ibcc_host_baselines": 1, "models": []}' >/etc/ibcc/baselines.json
code=0
runuser -u ibcc -- /usr/lib/ibcc/ibcc_host_test >/tmp/test.log 2>&1 || code=$?
[ "$code" = 3 ] || failed "ibcc_host_test ended with $code, not with 3: $(cat /tmp/test.log)"
tells /tmp/test.log "not judged: /etc/ibcc/baselines.json has no hosts of model"
echo DRAIN=yes >/etc/ibcc/host_test.conf
/usr/lib/ibcc/slurm_prolog || failed "the prolog drains a host that could not be judged"

kill "$sshd"
wait "$sshd" 2>/dev/null || true
rm -f /etc/ssh/authorized_keys.d/ibcc /etc/ibcc/baselines.json /etc/ibcc/host_test.conf
quietly apt-get remove --yes ibcc-host
[ -s /etc/ibcc/agent.json ] || failed "removing the package removed what an administrator may have written"
/usr/sbin/sshd -t || failed "sshd refuses its configuration after the package is removed"
quietly apt-get purge --yes ibcc-host
listed >"$after"
diff "$before" "$after" >&2 || failed "the package left something behind, or took something away"
echo "host_package.sh: installed, used and removed in Debian $(cat /etc/debian_version)"
