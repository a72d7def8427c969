# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kinds of jobs in words for people: a row for each kind of `api/jobs/kinds`."""

from collections.abc import Mapping
from types import MappingProxyType

TITLES: Mapping[str, str] = MappingProxyType(
    {
        "apply": "Start of a trial run",
        "ask_devices": "Question to the devices",
        "campaign": "Campaign",
        "challenge": "Challenge of a recommendation",
        "check": "Nightly check",
        "check_answer": "Answer to a check",
        "clear_foreign": "Clearing of foreign devices",
        "diagnosis": "Diagnosis of a fabric",
        "fabric_import": "Import of a fabric",
        "hosts.check": "Check of hosts",
        "hosts.paths": "Tests inside hosts",
        "hosts.triggers": "Watch of ports to hosts",
        "promote": "Promotion",
        "restore": "Restore of the base",
        "rollback": "Rollback",
        "routing_trial": "Trial of a line of OpenSM",
        "twin": "Twin of a fabric",
        "verify": "Verification",
    }
)


def title_of(kind: str) -> str:
    """Returns the words for a kind, or the kind itself where there are none, as of a job that an earlier release has stored."""
    return TITLES.get(kind, kind)
