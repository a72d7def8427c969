# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The log of changes in systemd's journal: the real journald, in a mount namespace, so that the machine's own hears nothing."""

import json
import os
import subprocess
from pathlib import Path

import pytest

JOURNALD = Path("/lib/systemd/systemd-journald")

SCRIPT = """
set -eu
mkdir -p /run/systemd/journal /run/log
for folder in /run/systemd/journal /run/log /var/log/journal; do
	[ ! -d $folder ] || mount -t tmpfs tmpfs $folder
done
"$JOURNALD" & journald=$!
trap 'kill $journald; wait $journald || true' EXIT
until [ -S /run/systemd/journal/socket ]; do
	kill -0 $journald
	sleep 0.05
done
"$IBCC" emulate two-switch --socket "$SOCKET" --plugin --profile gran-2010 -- "$IBCC" profile apply off >&2
journalctl --sync >&2
journalctl --output json SYSLOG_IDENTIFIER=ibcc
"""


PRIVATE = ["unshare", "--mount", "--propagation", "private"]


def can_have_its_own() -> bool:
    """Not in a chroot, whose root is no mount."""
    return (
        os.geteuid() == 0 and JOURNALD.exists() and subprocess.run([*PRIVATE, "true"], stderr=subprocess.DEVNULL).returncode == 0
    )


@pytest.mark.usefixtures("infiniband_programs")
@pytest.mark.skipif(not can_have_its_own(), reason="a journald of one's own takes root, systemd, and mount namespaces")
def test_changes_are_entries_of_the_journal(ibcc: Path, library: Path) -> None:
    names = {"JOURNALD": JOURNALD, "IBCC": ibcc, "IBCC_PLUGIN": library, "SOCKET": f"ibcc-journal-{os.getpid()}"}
    environment = os.environ | {name: str(value) for name, value in names.items()}
    done = subprocess.run(
        [*PRIVATE, "bash", "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    entries = [json.loads(line) for line in done.stdout.splitlines()]
    told = [(entry["IBCC_WHAT"], entry["IBCC_RESULT"], entry["IBCC_REVISION"]) for entry in entries]
    assert told == [("file", "acknowledged", "1"), ("job", "done", "1"), ("apply", "acknowledged", "2"), ("job", "done", "2")]
    assert {entry["_COMM"] for entry in entries} == {"opensm"}
    applied = json.loads(entries[2]["IBCC_CHANGE"])
    assert (applied["what"], applied["revision"], applied["uid"]) == ("apply", 2, 0)
    assert entries[2]["MESSAGE"] == f"apply of revision 2, profile 'off', by process {applied['pid']} of user 0: acknowledged"
