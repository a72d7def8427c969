#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# chroot_test.sh [root|user]...: runs ibcc's commands in a bare Debian 12, as root and as a plain user.
#
#   root  has what debootstrap's minbase has, make and ca-certificates: make has to install all else.
#   user  has python3-venv, python3-dev, g++ and make besides, and may install nothing.
#
# What is tested is the last commit. CHROOT_COMMANDS replaces "make demo && make test". The machine's own settings for apt, pip, npm,
# certificates and proxies are copied in, so that packages come from where this machine takes them.
set -euo pipefail
cd "$(dirname "$0")/../.."

who=("$@")
[ ${#who[@]} -gt 0 ] || who=(root user)
commands=${CHROOT_COMMANDS:-make demo && make test}

if [ "$(id -u)" -ne 0 ]; then
	sudo -n true 2>/dev/null || {
		echo 'Skipped: the test in a bare Debian, which needs root for debootstrap and chroot.' >&2
		exit 0
	}
	exec sudo -n --preserve-env "$0" "${who[@]}"
fi
# Mounts and processes of the chroots live in namespaces that end with this script, so that no accident leaves any behind.
if [ -z "${CHROOT_TEST_UNSHARED:-}" ]; then
	CHROOT_TEST_UNSHARED=1 exec unshare --mount --pid --fork --kill-child --propagation private "$0" "${who[@]}"
fi

scratch=$(mktemp -d "${TMPDIR:-/tmp}/ibcc-chroot.XXXXXX")
trap 'umount --quiet "$scratch"/*/proc "$scratch"/*/dev/shm 2>/dev/null || true; rm -rf --one-file-system "$scratch"' EXIT

mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null | awk '$1 == "bookworm" {print $2; exit}')
echo "== debootstrap"
debootstrap --variant=minbase --include=make,ca-certificates bookworm "$scratch/base" ${mirror:+"$mirror"} >"$scratch/log" 2>&1 || {
	tail -50 "$scratch/log" >&2
	exit 1
}

# Settings that say where packages come from; whichever of them this machine has.
rm -rf "$scratch/base/etc/apt/sources.list"
settings=(/etc/apt/apt.conf /etc/apt/apt.conf.d /etc/apt/auth.conf /etc/apt/auth.conf.d /etc/apt/keyrings /etc/apt/sources.list
	/etc/apt/sources.list.d /etc/apt/preferences.d /etc/apt/trusted.gpg /etc/apt/trusted.gpg.d /usr/share/keyrings /etc/pip.conf
	/etc/ssl/certs /usr/local/share/ca-certificates /usr/share/ca-certificates /etc/hosts /etc/resolv.conf)
for setting in "${settings[@]}"; do
	if [ -d "$setting" ]; then
		mkdir -p "$scratch/base$setting"
		cp -a "$setting/." "$scratch/base$setting/"
	elif [ -e "$setting" ]; then
		cp -L "$setting" "$scratch/base$setting"
	fi
done
pip_settings=$(cat "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf" 2>/dev/null || true)
[ -z "$pip_settings" ] || printf '%s\n' "$pip_settings" >"$scratch/base/etc/pip.conf"
mapfile -t environment < <(env | grep -E '^(PIP_|NPM_CONFIG_|npm_config_|NODE_EXTRA_CA_CERTS=|SSL_CERT_|REQUESTS_CA_BUNDLE=|CURL_CA_BUNDLE=|(https?|ftp|no|all)_proxy=|(HTTPS?|FTP|NO|ALL)_PROXY=)' |
	grep -v '^PIP_FIND_LINKS=')
if [ -f "$HOME/.npmrc" ]; then
	install -m 0644 "$HOME/.npmrc" "$scratch/base/etc/npmrc"
	environment+=(NPM_CONFIG_GLOBALCONFIG=/etc/npmrc)
fi
# The compiled module and reports are made afresh: no byte of this work tree but what is committed.
git clone --quiet --no-hardlinks "$PWD" "$scratch/base/ibcc"

# in_chroot NAME USER COMMAND
in_chroot() {
	local folder=$scratch/$1 user=$2 home=/root
	[ "$user" = root ] || home=/home/$user
	mountpoint --quiet "$folder/proc" || {
		mount -t proc proc "$folder/proc"
		mount -t tmpfs -o mode=1777 tmpfs "$folder/dev/shm" # Python's locks are there
	}
	chroot --userspec="$user" "$folder" /usr/bin/env -i HOME="$home" USER="$user" LANG=C.UTF-8 \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${environment[@]}" \
		/bin/bash -euo pipefail -c "cd /ibcc && $3" </dev/null
}

for kind in "${who[@]}"; do
	echo "== a bare Debian 12, as $kind: $commands"
	started=$SECONDS
	cp -a "$scratch/base" "$scratch/$kind"
	case $kind in
	root)
		in_chroot root root "$commands"
		;;
	user)
		in_chroot user root 'apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends \
			python3-venv python3-dev g++ >/dev/null 2>&1 && useradd --create-home someone && chown -R someone: /ibcc'
		in_chroot user someone "$commands"
		;;
	*)
		echo "chroot_test.sh: '$kind' is neither root nor user" >&2
		exit 2
		;;
	esac
	echo "== as $kind: passed in $((SECONDS - started)) s"
	umount "$scratch/$kind/proc" "$scratch/$kind/dev/shm"
	rm -rf --one-file-system "${scratch:?}/$kind"
done
