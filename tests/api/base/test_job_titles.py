# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""People read the words of a kind of job, not its name."""

import pytest

from api.base.job_titles import TITLES, title_of
from api.events.sentences import sentence_of
from api.queue.kind import KINDS

DONE = {"outcome": "done", "drifted": 0, "profile": "mine", "version": 3, "by": "anna", "devices": 9}
ASKED = {"promotion": "1", "profile": "mine", "version": 3, "by": "anna", "decided_by": None, "devices": 9}


def test_each_kind_has_words_of_its_own() -> None:
    assert TITLES.keys() == {name for name in KINDS.names() if KINDS.get(name).__class__.__module__.startswith("api.")}
    assert len(set(TITLES.values())) == len(TITLES)
    assert title_of("a kind of release 0.1") == "a kind of release 0.1"


@pytest.mark.parametrize(
    ("topic", "kind", "data", "sentence"),
    [
        ("jobs", "job", {"kind": "fabric_import", "subject": {"name": "lab"}, "state": "failed", "problem": "no fabric"},
         "Import of a fabric lab failed: no fabric"),
        ("jobs", "job", {"kind": "hosts.check", "subject": {}, "state": "failed"}, "Check of hosts failed"),
        ("jobs", "job", {"kind": "hosts.check", "state": "failed"}, "Check of hosts failed"),
        ("fabric:lab", "state", {"action": "verify", "outcome": "done", "drifted": 2},
         "Verification done; 2 settings had drifted and were set again"),
        ("fabric:lab", "state", {"action": "apply", **DONE, "ttl_s": 600},
         "anna began a trial run of profile mine version 3 on 9 devices, for 10 min"),
        ("fabric:lab", "state", {"action": "apply", **DONE, "ttl_s": 90, "devices": 1},
         "anna began a trial run of profile mine version 3 on 1 device, for 90 s"),
        ("fabric:lab", "state", {"action": "apply", **DONE, "outcome": "failed", "problem": "H1 refused it"},
         "the trial run of profile mine version 3 that anna asked for failed: H1 refused it"),
        ("fabric:lab", "state", {"action": "promote", **DONE, "asked_by": "anna"},
         "anna promoted profile mine version 3: it is the base of 9 devices now"),
        ("fabric:lab", "state", {"action": "promote", **DONE, "by": "bert", "asked_by": "anna"},
         "anna promoted profile mine version 3, as bert approved: it is the base of 9 devices now"),
        ("fabric:lab", "state", {"action": "promote", **DONE, "outcome": "cancelled"},
         "the promotion of profile mine version 3 that anna asked for was cancelled"),
        ("fabric:lab", "state", {"action": "rollback", **DONE, "profile": "off", "version": None},
         "anna rolled back: profile off is the base of 9 devices again"),
        ("fabric:lab", "state", {"action": "restore", **DONE, "profile": "off", "version": None},
         "anna ended trial runs: the base profile off is in force on 9 devices"),
        ("fabric:lab", "state", {"action": "verify", **DONE, "drifted": 2},
         "anna verified 9 devices; 2 settings had drifted and were set again"),
        ("fabric:lab", "promotion", ASKED | {"state": "pending"},
         "anna asks for approval: profile mine version 3 is to be the base, which changes 9 devices"),
        ("fabric:lab", "promotion", ASKED | {"state": "rejected", "decided_by": "bert"},
         "bert rejected the promotion of profile mine version 3, for which anna had asked"),
        ("fabric:lab", "promotion", ASKED | {"state": "rejected", "decided_by": "anna"},
         "anna withdrew the promotion of profile mine version 3"),
        ("fabric:lab", "promotion", ASKED | {"state": "outdated", "problem": "the base was 'off'"},
         "the promotion of profile mine version 3, for which anna had asked, is outdated: the base was 'off'; ask for it again"),
        ("fabric:lab", "promotion", {"state": "pending"}, "a promotion waits for approval"),
        ("fabric:lab", "state", {"action": "start"}, "OpenSM was started"),
        ("fabric:lab", "state", {"action": "start", "problem": "it was stopped"}, "OpenSM: it was stopped"),
    ],
)  # fmt: skip
def test_events_are_told_in_these_words(topic: str, kind: str, data: dict[str, object], sentence: str) -> None:
    assert sentence_of(topic, kind, data) == sentence
