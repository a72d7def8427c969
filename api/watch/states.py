# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""States of a device, a link, a subnet manager and a fabric that are watched: one table each, with the events of a change."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

DeviceState: TypeAlias = Literal["present", "timing-out", "drifted", "not-ready", "missing"]
DEVICE_STATES: tuple[DeviceState, ...] = ("present", "timing-out", "drifted", "not-ready", "missing")

DEVICE_EVENTS: Mapping[tuple[DeviceState, DeviceState], tuple[str, ...]] = {
    ("present", "timing-out"): ("device.timing-out",),
    ("present", "drifted"): ("device.drifted",),
    ("present", "not-ready"): ("device.not-ready",),
    ("present", "missing"): ("device.lost",),
    ("timing-out", "present"): ("device.responding",),
    ("timing-out", "drifted"): ("device.responding", "device.drifted"),
    ("timing-out", "not-ready"): ("device.not-ready",),
    ("timing-out", "missing"): ("device.lost",),
    ("drifted", "present"): ("device.repaired",),
    ("drifted", "timing-out"): ("device.timing-out",),
    ("drifted", "not-ready"): ("device.not-ready",),
    ("drifted", "missing"): ("device.lost",),
    ("not-ready", "present"): ("device.ready",),
    ("not-ready", "timing-out"): ("device.ready", "device.timing-out"),
    ("not-ready", "drifted"): ("device.ready", "device.drifted"),
    ("not-ready", "missing"): ("device.lost",),
    ("missing", "present"): ("device.back",),
    ("missing", "timing-out"): ("device.back", "device.timing-out"),
    ("missing", "drifted"): ("device.back", "device.drifted"),
    ("missing", "not-ready"): ("device.back", "device.not-ready"),
}
"""Events of a change of a device's state, in order."""

Reach: TypeAlias = Literal["unseen", "starting", "reachable", "unreachable"]
"""Whether a fabric can be looked at. `unseen`: nobody has tried yet; `starting`: the server is starting it."""
REACHES: tuple[Reach, ...] = ("unseen", "starting", "reachable", "unreachable")

REACH_CHANGES: Mapping[tuple[Reach, Reach], tuple[Reach, str | None]] = {
    ("unseen", "starting"): ("starting", None),
    ("unseen", "reachable"): ("reachable", None),
    ("unseen", "unreachable"): ("unreachable", "fabric.unreachable"),
    ("starting", "reachable"): ("reachable", None),
    ("starting", "unreachable"): ("unreachable", "fabric.unreachable"),
    ("reachable", "starting"): ("starting", None),
    ("reachable", "unreachable"): ("unreachable", "fabric.unreachable"),
    ("unreachable", "starting"): ("unreachable", None),
    ("unreachable", "reachable"): ("reachable", "fabric.reachable"),
}
"""The state that a fabric has after a look, by its former state and what the look found, and the event, if there is one."""

PASSING_ROLES = ("starting", "discovering")
"""Roles that a subnet manager has for moments; they are no change."""
SAME_ROLES = {"sweep-failed": "master"}
"""Roles that are the same to those who watch: a sick host makes each sweep end with errors."""

Mark: TypeAlias = Literal["missing", "new", "timing-out", "drifted", "not-ready", "flapping", "not-cabled-as-imported"]
MARKS: tuple[Mark, ...] = ("missing", "timing-out", "drifted", "not-ready", "flapping", "not-cabled-as-imported", "new")
"""Marks of a node on maps and lists, the gravest first. The device is in the wiring and not on the fabric; it does not respond;
it was found to hold other values, which are not set again yet; OpenSM has not brought its port up; it comes and goes again and
again; its cables lead elsewhere than the wiring says; it is on the fabric and not in the wiring."""


def passed(states: Sequence[bool]) -> list[bool]:
    """Returns the states without repetitions of the one before: [up, up, down, up] is [up, down, up]."""
    return [state for i, state in enumerate(states) if i == 0 or state != states[i - 1]]


def device_path(old: DeviceState, between: Sequence[bool], new: DeviceState) -> list[DeviceState]:
    """Returns the states that a device has passed, from the old one to the new one. `between`: whether it was there, in order."""
    there = passed([old != "missing", *between, new != "missing"])
    return [old, *("present" if one else "missing" for one in there[1:-1]), new]


def settled_role(old: str | None, seen: str) -> str | None:
    """Returns the role that counts after a look that has found `seen`."""
    return old if seen in PASSING_ROLES else SAME_ROLES.get(seen, seen)
