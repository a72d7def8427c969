# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""People read the words of a kind of job, not its name."""

import pytest

from api.events.sentences import sentence_of
from api.job_titles import TITLES, title_of
from api.queue.kind import KINDS


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
        ("fabric:lab", "state", {"action": "apply", "outcome": "done", "drifted": 2},
         "Trial run done; 2 settings had drifted and were set again"),
        ("fabric:lab", "state", {"action": "start"}, "OpenSM was started"),
        ("fabric:lab", "state", {"action": "start", "problem": "it was stopped"}, "OpenSM: it was stopped"),
    ],
)  # fmt: skip
def test_events_are_told_in_these_words(topic: str, kind: str, data: dict[str, object], sentence: str) -> None:
    assert sentence_of(topic, kind, data) == sentence
