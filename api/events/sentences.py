# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Events as sentences for people who read them outside of the web interface.

Sentences hold names that others chose, such as node descriptions: whoever shows one must treat it as text
(`api.events.texts`).
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from api.job_titles import title_of

Words: TypeAlias = Callable[[Mapping[str, Any]], str]


def _because(data: Mapping[str, Any], key: str = "problem") -> str:
    return f": {data[key]}" if data.get(key) else ""


def _action(data: Mapping[str, Any]) -> str:
    action, outcome = data.get("action", "a change"), data.get("outcome", "done")
    if action == "start":
        return f"OpenSM{_because(data)}" if data.get("problem") else "OpenSM was started"
    drifted = data.get("drifted")
    found = f"; {drifted} settings had drifted and were set again" if drifted else ""
    return f"{title_of(action)} {outcome}{_because(data)}{found}"


def _of_what(data: Mapping[str, Any]) -> str:
    """Returns the job's object by name, where it has one besides its fabric."""
    subject = data.get("subject") or {}
    name = subject.get("name") or subject.get("profile") or subject.get("check")
    return f" {name}" if name else ""


def _night(data: Mapping[str, Any]) -> str:
    verdict = data.get("verdict") if data.get("state") == "done" else data.get("state")
    return f"check {data.get('check')} of {data.get('date')}: {verdict}{_because(data, 'headline')}"


_WORDS: Mapping[tuple[str, str], Words] = {
    ("checks", "check.night"): _night,
    ("checks", "check.missed"): lambda data: (
        f"check {data.get('check')} of {data.get('date')} was missed{_because(data, 'headline')}"
    ),
    ("checks", "check.answer"): lambda data: (
        f"check {data.get('check')}: the answer {data.get('answer')} is {data.get('state')}{_because(data, 'cause')}"
    ),
    ("checks", "check.changed"): lambda data: f"check {data.get('check')} was changed ({data.get('action')})",
    ("fabric", "created"): lambda data: "the fabric was added",
    ("fabric", "changed"): lambda data: "the fabric's description or options were changed",
    ("fabric", "deleted"): lambda data: "the fabric was deleted",
    ("fabric", "inventory"): lambda data: f"the inventory was changed ({data.get('action')})",
    ("fabric", "hosts"): lambda data: "the hosts were checked",
    ("fabric", "state"): _action,
    ("fabric", "promotion"): lambda data: (
        "a promotion waits for approval" if data.get("state") == "pending" else f"a promotion was {data.get('state')}"
    ),
    ("fabric", "campaign"): lambda data: (
        f"campaign {data.get('name') or data.get('campaign')} {data.get('state')}{_because(data)}"
    ),
    ("jobs", "job"): lambda data: f"{title_of(str(data.get('kind')))}{_of_what(data)} {data.get('state')}{_because(data)}",
    ("notify", "test"): lambda data: f"test of the address {data.get('address')}, asked for by {data.get('by')}",
}


def sentence_of(topic: str, kind: str, data: Mapping[str, Any]) -> str:
    """Returns a sentence for an event, without its fabric: that of `_WORDS`, or the data's `headline`, or else its kind and
    simple values."""
    words = _WORDS.get((topic.partition(":")[0], kind))
    if words is not None:
        return words(data)
    if isinstance(data.get("headline"), str):
        return str(data["headline"])
    simple = ", ".join(
        f"{key} {value}" for key, value in data.items() if isinstance(value, str | int | float) and key != "fabric"
    )
    return f"{kind}: {simple}" if simple else kind
