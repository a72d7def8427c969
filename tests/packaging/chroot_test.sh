#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# chroot_test.sh [--debian 12|13]... [root|user]...: runs ibcc's commands in a bare Debian 12 and 13, as root and as a plain user.
#
# What one release skips, the other must skip too.
#
#
#   root  has what debootstrap's minbase has, make and ca-certificates: make has to install all else.
#   user  has python3-venv, python3-dev, g++ and make besides, and may install nothing.
#
# It tests the last commit. CHROOT_COMMANDS replaces "make demo && make test"; CHROOT_FILES is a folder whose files are in
# /ibcc/build/files there. The machine's own settings for apt, pip, npm,
# certificates and proxies are copied in, so that packages come from where this machine takes them; where those for apt name this
# machine's release, they name the other's there.
set -euo pipefail
cd "$(dirname "$0")/../.."

declare -A codenames=([12]=bookworm [13]=trixie)
arguments=("$@")
releases=()
who=()
while [ $# -gt 0 ]; do
	case $1 in
	--debian)
		[ -n "${codenames[${2:-none}]:-}" ] || {
			echo "chroot_test.sh: there is no test in Debian '${2:-}'; 12 or 13 would be right" >&2
			exit 2
		}
		releases+=("$2")
		shift
		;;
	root | user) who+=("$1") ;;
	*)
		echo "chroot_test.sh: '$1' is neither --debian, root nor user" >&2
		exit 2
		;;
	esac
	shift
done
[ ${#releases[@]} -gt 0 ] || releases=(12 13)
[ ${#who[@]} -gt 0 ] || who=(root user)
commands=${CHROOT_COMMANDS:-make demo && make test}

if [ "$(id -u)" -ne 0 ]; then
	sudo -n true 2>/dev/null || {
		echo 'Skipped: the test in a bare Debian, which needs root for debootstrap and chroot.' >&2
		exit 0
	}
	exec sudo -n --preserve-env "$0" "${arguments[@]}"
fi
# Mounts and processes of the chroots live in namespaces that end with this script, so that no accident leaves any behind.
if [ -z "${CHROOT_TEST_UNSHARED:-}" ]; then
	CHROOT_TEST_UNSHARED=1 exec unshare --mount --pid --fork --kill-child --propagation private "$0" "${arguments[@]}"
fi

scratch=$(mktemp -d "${TMPDIR:-/tmp}/ibcc-chroot.XXXXXX")
trap 'umount --quiet "$scratch"/*/proc "$scratch"/*/dev/shm 2>/dev/null || true; rm -rf --one-file-system "$scratch"' EXIT

here=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null | awk -v here="$here" '$1 == here {print $2; exit}')
pip_settings=$(cat "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf" 2>/dev/null || true)
mapfile -t environment < <(env | grep -E '^(PIP_|NPM_CONFIG_|npm_config_|NODE_EXTRA_CA_CERTS=|SSL_CERT_|REQUESTS_CA_BUNDLE=|CURL_CA_BUNDLE=|(https?|ftp|no|all)_proxy=|(HTTPS?|FTP|NO|ALL)_PROXY=)' |
	grep -v '^PIP_FIND_LINKS=')
[ ! -f "$HOME/.npmrc" ] || environment+=(NPM_CONFIG_GLOBALCONFIG=/etc/npmrc)

# make_base CODENAME: a bare Debian with this machine's settings and ibcc's sources, in $scratch/base
make_base() {
	local codename=$1 base=$scratch/base setting
	debootstrap --variant=minbase --include=make,ca-certificates "$codename" "$base" ${mirror:+"$mirror"} >"$scratch/log" 2>&1 || {
		tail -50 "$scratch/log" >&2
		return 1
	}
	# Settings that say where packages come from; whichever of them this machine has.
	[ -z "$mirror" ] || rm -rf "$base/etc/apt/sources.list"
	for setting in /etc/apt/apt.conf /etc/apt/apt.conf.d /etc/apt/auth.conf /etc/apt/auth.conf.d /etc/apt/keyrings /etc/apt/sources.list \
		/etc/apt/sources.list.d /etc/apt/preferences.d /etc/apt/trusted.gpg /etc/apt/trusted.gpg.d /usr/share/keyrings /etc/pip.conf \
		/etc/ssl/certs /usr/local/share/ca-certificates /usr/share/ca-certificates /etc/hosts /etc/resolv.conf; do
		if [ -d "$setting" ]; then
			mkdir -p "$base$setting"
			cp -a "$setting/." "$base$setting/"
		elif [ -e "$setting" ]; then
			cp -L "$setting" "$base$setting"
		fi
	done
	# trixie, trixie-updates and trixie-security, where this machine has bookworm's.
	find "$base"/etc/apt/sources.list* "$base/etc/apt/preferences.d" -type f -exec \
		sed -E -i "/^(deb|Suites:|Pin:)/s/(^|[[:space:]=])${here:-none}\\b/\\1$codename/g" {} +
	[ -z "$pip_settings" ] || printf '%s\n' "$pip_settings" >"$base/etc/pip.conf"
	[ ! -f "$HOME/.npmrc" ] || install -m 0644 "$HOME/.npmrc" "$base/etc/npmrc"
	# The compiled module and reports are made afresh: no byte of this work tree but what is committed.
	git clone --quiet --no-hardlinks "$PWD" "$base/ibcc"
	[ -z "${CHROOT_FILES:-}" ] || {
		mkdir -p "$base/ibcc/build"
		cp -r "$CHROOT_FILES" "$base/ibcc/build/files"
	}
}

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

for release in "${releases[@]}"; do
	echo "== debootstrap of Debian $release"
	make_base "${codenames[$release]}"
	for kind in "${who[@]}"; do
		echo "== a bare Debian $release, as $kind: $commands"
		started=$SECONDS
		cp -a "$scratch/base" "$scratch/$kind"
		someone=root
		if [ "$kind" = user ]; then
			someone=someone
			in_chroot user root 'apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends \
				python3-venv python3-dev g++ >/dev/null 2>&1 && useradd --create-home someone && chown -R someone: /ibcc'
		fi
		in_chroot "$kind" "$someone" "$commands" 2>&1 | tee "$scratch/output"
		echo "== Debian $release, as $kind: passed in $((SECONDS - started)) s"
		grep -iE '^skipped[: ]' "$scratch/output" | sort >"$scratch/skipped-$kind-$release" || true
		umount "$scratch/$kind/proc" "$scratch/$kind/dev/shm"
		rm -rf --one-file-system "${scratch:?}/$kind"
	done
	rm -rf --one-file-system "${scratch:?}/base"
done

for kind in "${who[@]}"; do
	for release in "${releases[@]:1}"; do
		diff --unified=0 --label "skipped in Debian ${releases[0]}, as $kind" "$scratch/skipped-$kind-${releases[0]}" \
			--label "skipped in Debian $release, as $kind" "$scratch/skipped-$kind-$release" >&2 || {
			echo "chroot_test.sh: as $kind, Debian $release does not skip what Debian ${releases[0]} skips" >&2
			exit 1
		}
	done
done
