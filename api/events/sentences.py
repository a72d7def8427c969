# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Events as sentences for people who read them outside of the web interface.

Sentences hold names that others chose, such as node descriptions: whoever shows one must treat it as text
(`api.events.texts`).
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from api.base.job_titles import title_of

Words: TypeAlias = Callable[[Mapping[str, Any]], str]


def _because(data: Mapping[str, Any], key: str = "problem") -> str:
    return f": {data[key]}" if data.get(key) else ""


def _profile(data: Mapping[str, Any]) -> str:
    version = data.get("version")
    return f"profile {data.get('profile')}" + (f" version {version}" if version is not None else "")


def _devices(data: Mapping[str, Any]) -> str:
    count = data.get("devices", 0)
    return f"{count:,} device" if count == 1 else f"{count:,} devices"


def _for(seconds: int) -> str:
    units = {"d": 86400, "h": 3600, "min": 60}
    return next((f"{seconds // size} {unit}" for unit, size in units.items() if seconds % size == 0), f"{seconds} s")


def _promoted(data: Mapping[str, Any]) -> str:
    asker = data.get("asked_by") or data["by"]
    approved = "" if asker == data["by"] else f", as {data['by']} approved"
    return f"{asker} promoted {_profile(data)}{approved}: it is the base of {_devices(data)} now"


_DONE: Mapping[str, Words] = {
    "apply": lambda data: (
        f"{data['by']} began a trial run of {_profile(data)} on {_devices(data)}, for {_for(data.get('ttl_s', 0))}"
    ),
    "promote": _promoted,
    "rollback": lambda data: f"{data['by']} rolled back: {_profile(data)} is the base of {_devices(data)} again",
    "restore": lambda data: f"{data['by']} ended trial runs: the base {_profile(data)} is in force on {_devices(data)}",
    "verify": lambda data: f"{data['by']} verified {_devices(data)}",
    "clear_foreign": lambda data: f"{data['by']} cleared devices of {_devices(data)} that others had switched on",
    "ask_devices": lambda data: f"{data['by']} asked {_devices(data)} which attributes they have",
}
"""A job on a fabric that is done, by its kind. Events of earlier releases name no person, and have other words."""

_NOUNS: Mapping[str, str] = {"apply": "trial run", "promote": "promotion"}


def _action(data: Mapping[str, Any]) -> str:
    action, outcome = data.get("action", "a change"), data.get("outcome", "done")
    if action == "start":
        return f"OpenSM{_because(data)}" if data.get("problem") else "OpenSM was started"
    drifted = data.get("drifted")
    found = f"; {drifted} settings had drifted and were set again" if drifted else ""
    if data.get("by") and outcome == "done" and action in _DONE:
        return _DONE[action](data) + found
    if data.get("by") and action in _NOUNS and data.get("profile"):
        ended = "was cancelled" if outcome == "cancelled" else f"{outcome}{_because(data)}"
        asker = data.get("asked_by") or data["by"]
        return f"the {_NOUNS[action]} of {_profile(data)} that {asker} asked for {ended}"
    by = f", asked for by {data['by']}" if data.get("by") else ""
    return f"{title_of(action)} {outcome}{by}{_because(data)}{found}"


def _promotion(data: Mapping[str, Any]) -> str:
    state, asker, decider = data.get("state"), data.get("by"), data.get("decided_by")
    if asker is None:  # of an earlier release
        return "a promotion waits for approval" if state == "pending" else f"a promotion was {state}"
    if state == "pending":
        return f"{asker} asks for approval: {_profile(data)} is to be the base, which changes {_devices(data)}"
    if state == "rejected":
        if decider == asker:
            return f"{asker} withdrew the promotion of {_profile(data)}"
        return f"{decider} rejected the promotion of {_profile(data)}, for which {asker} had asked"
    if state == "outdated":
        told = f"the promotion of {_profile(data)}, for which {asker} had asked, is outdated"
        return f"{told}{_because(data)}; ask for it again"
    return f"the promotion of {_profile(data)}, for which {asker} asked, is {state}"


def _of_what(data: Mapping[str, Any]) -> str:
    """Returns the job's object by name, where it has one besides its fabric."""
    subject = data.get("subject") or {}
    name = subject.get("name") or subject.get("profile") or subject.get("check")
    return f" {name}" if name else ""


def _night(data: Mapping[str, Any]) -> str:
    verdict = data.get("verdict") if data.get("state") == "done" else data.get("state")
    known = ", known" if data.get("known") is True else ""
    return f"check {data.get('check')} of {data.get('date')}: {verdict}{known}{_because(data, 'headline')}"


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
    ("fabric", "promotion"): _promotion,
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
