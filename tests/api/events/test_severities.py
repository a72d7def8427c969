# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Each event that somebody should see has the severity of the table."""

from typing import Any

import pytest

from api.events.severities import _ROWS, SEVERITIES, is_at_least, severity_of


@pytest.mark.parametrize(
    ("topic", "kind", "data", "severity"),
    [
        ("checks", "check.night", {"state": "done", "verdict": "fail"}, "error"),
        ("checks", "check.night", {"state": "done", "verdict": "could not be run"}, "warning"),
        ("checks", "check.night", {"state": "done", "verdict": "pass"}, "info"),
        ("checks", "check.night", {"state": "running", "verdict": None}, None),
        ("checks", "check.night", {"state": "failed", "verdict": None}, "error"),
        ("checks", "check.missed", {"state": "missed"}, "warning"),
        ("checks", "check.answer", {"state": "waiting"}, None),
        ("fabric:lab", "state", {"action": "apply"}, "info"),
        ("fabric:lab", "state", {"action": "verify", "drifted": 2}, "warning"),
        ("fabric:lab", "state", {"action": "apply", "outcome": "failed"}, "error"),
        ("fabric:lab", "state", {"action": "apply", "outcome": "failed", "exit_code": 4}, "error"),
        ("fabric:lab", "state", {"action": "apply", "outcome": "failed", "exit_code": 5}, "error"),  # as of a lost worker
        ("fabric:lab", "state", {"action": "apply", "outcome": "failed", "exit_code": 2}, "info"),  # the asker's profile
        ("fabric:lab", "state", {"action": "restore", "outcome": "failed", "exit_code": 2}, "error"),
        ("fabric:lab", "promotion", {"state": "pending"}, "warning"),
        ("fabric:lab", "promotion", {"state": "outdated"}, "warning"),
        ("jobs", "job", {"kind": "fabric_import", "state": "failed", "exit_code": 2}, "info"),  # a mistyped paste
        ("jobs", "job", {"kind": "fabric_import", "state": "failed", "exit_code": 3}, "error"),
        ("jobs", "job", {"kind": "fabric_import", "state": "failed", "exit_code": 70}, "error"),
        ("fabric:lab", "promotion", {"state": "running"}, None),
        ("fabric:lab", "campaign", {"state": "failed"}, "error"),
        ("fabric:lab", "device.lost", {"kind": "switch"}, "error"),
        ("fabric:lab", "device.lost", {"kind": "ca"}, "warning"),
        ("campaign:01ABC", "state", {"state": "failed"}, None),  # its fabric's event reports it
        ("jobs", "job", {"kind": "hosts_check", "state": "failed"}, "error"),
        ("jobs", "job", {"kind": "campaign", "state": "failed"}, None),
        ("jobs", "job", {"kind": "hosts_check", "state": "done"}, None),
        ("fabric:lab", "nobody.knows", {}, None),
        ("audit", "entry", {}, None),
    ],
)
def test_severity(topic: str, kind: str, data: dict[str, Any], severity: str | None) -> None:
    assert severity_of(topic, kind, data) == severity


def test_no_row_is_out_of_reach() -> None:
    """A row without a condition is the last one of its kind."""
    unconditional: set[tuple[str, str]] = set()
    for row in _ROWS:
        assert (row.family, row.kind) not in unconditional, row
        if row.when is None:
            unconditional.add((row.family, row.kind))


def test_order_of_severities() -> None:
    pairs = [(one, other) for one in SEVERITIES for other in SEVERITIES if is_at_least(one, other)]
    assert pairs == [
        ("info", "info"),
        ("warning", "info"),
        ("warning", "warning"),
        ("error", "info"),
        ("error", "warning"),
        ("error", "error"),
    ]
