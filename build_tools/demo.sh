#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# demo.sh: searches for a profile that cures scenario 1 (one victim, two to eight contributors) on three models of the devices, and
# says where the report is.
set -euo pipefail
cd "$(dirname "$0")/.."

started=$SECONDS
.venv/bin/ibcc tune configs/campaigns/any-devices.yaml --report build/demo --fresh
echo
echo "Took $((SECONDS - started)) s. Open the report in a browser: file://$PWD/build/demo/report.html"
echo "The recommended profile is build/demo/profile.yaml; read it with: .venv/bin/ibcc profile show build/demo/profile.yaml"
if compgen -G 'build/demo/profile-*.yaml' >/dev/null; then
	echo "The best for each model of the devices: $(echo build/demo/profile-*.yaml)"
fi
