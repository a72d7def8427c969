#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# git_hooks.sh: has git run the hooks in .githooks, in this clone. Leaves hooks of somebody's own alone.
set -euo pipefail
cd "$(dirname "$0")/.."

[ -e .git ] && command -v git >/dev/null || exit 0 # sources without git
at=$(git config --get core.hooksPath || true)
case $at in
.githooks) ;;
'')
	git config core.hooksPath .githooks
	echo 'git checks commit messages from now on (.githooks/commit-msg)'
	;;
*) echo "git takes its hooks from $at; add .githooks/commit-msg there to check commit messages" ;;
esac
