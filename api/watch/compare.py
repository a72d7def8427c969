# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares a look at a fabric with what was known of it: what is known then, and what has happened."""

from collections.abc import Mapping
from dataclasses import replace

from api.fabric_drivers.sight import Condition, Key, SeenDevice, Sight
from api.watch.changes import Change
from api.watch.compare_links import compare_links
from api.watch.imported import Imported
from api.watch.known import Known, KnownDevice
from api.watch.names import shown
from api.watch.states import DEVICE_EVENTS, DeviceState

FORGET_S = 7 * 86400.0
"""Seconds for which a device or link that is gone is remembered, if the fabric's document does not name it."""


def compare(known: Known | None, sight: Sight, expected: Imported | None, now_s: float) -> tuple[Known, list[Change]]:
    """`known` is None at the first look: what the document names is expected then, or, without a document, what is there. `sight`
    is one that knows the fabric. Returns `known` itself if nothing has changed."""
    if expected is not None and not expected.is_of(sight):
        expected = None
    if known is None:
        known = Known(expected.devices, expected.links) if expected is not None else _first(sight, now_s)
    changes: list[Change] = []
    devices = _devices(known.devices, sight.devices, expected, now_s, changes)
    links = known.links
    if sight.links is not None:
        links = compare_links(known.links, sight.links, devices, known.devices, expected, now_s, changes, forget_s=FORGET_S)
    if devices is known.devices and links is known.links:
        return known, changes
    return Known(devices, links), changes


def _first(sight: Sight, now_s: float) -> Known:
    """Nothing is new, as nothing is expected; who is away or sick is told of."""
    there = {
        key: KnownDevice(name=shown(one.name), kind=one.kind, state="present", since_s=now_s, drifts=one.drifts)
        for key, one in sight.devices.items()
        if one.condition != "missing"
    }
    return Known(devices=there)


def _devices(
    known: Mapping[Key, KnownDevice],
    seen: Mapping[Key, SeenDevice],
    expected: Imported | None,
    now_s: float,
    changes: list[Change],
) -> Mapping[Key, KnownDevice]:
    changed: dict[Key, KnownDevice] = {}
    for key, one in seen.items():
        old = known.get(key)
        if old is None:
            if one.condition == "missing":  # it was there before anybody looked
                continue
            new, kinds = _found(key, one, expected, now_s)
        else:
            new, kinds = _seen_again(old, one, now_s)
        if new is not old:
            changed[key] = new
        changes += [Change(kind, key, new.name, new.kind) for kind in kinds]
    forgotten = []
    for key in known.keys() - seen.keys():
        old = known[key]
        if old.state != "missing":
            changed[key] = replace(old, state="missing", since_s=now_s)
            changes.append(Change("device.lost", key, old.name, old.kind))
        elif _is_forgotten(old, key, expected, now_s):
            forgotten.append(key)
    if not changed and not forgotten:
        return known
    return {key: one for key, one in (dict(known) | changed).items() if key not in forgotten}


def _found(key: Key, one: SeenDevice, expected: Imported | None, now_s: float) -> tuple[KnownDevice, tuple[str, ...]]:
    state = _state(one.condition, "present")
    device = KnownDevice(
        name=shown(one.name),
        kind=one.kind,
        state=state,
        since_s=now_s,
        drifts=one.drifts,
        is_new=expected is not None and key not in expected.devices,
    )
    return device, ("device.new", *DEVICE_EVENTS.get(("present", state), ()))


def _seen_again(old: KnownDevice, one: SeenDevice, now_s: float) -> tuple[KnownDevice, tuple[str, ...]]:
    state = _state(one.condition, old.state)
    kinds = DEVICE_EVENTS.get((old.state, state), ())
    drifted = one.drifts > old.drifts or 0 < one.drifts < old.drifts  # OpenSM counts from 0 when it is started again
    if drifted and state in ("present", "drifted") and "device.drifted" not in kinds and old.since_s is not None:
        kinds += ("device.drifted", "device.repaired") if state == "present" else ("device.drifted",)
    name = shown(one.name) if state != "missing" else old.name
    if (state, name, one.drifts) == (old.state, old.name, old.drifts) and old.since_s is not None:
        return old, ()
    since_s = old.since_s if state == old.state and old.since_s is not None else now_s
    return replace(old, state=state, name=name, drifts=one.drifts, since_s=since_s), kinds


def _state(condition: Condition, old: DeviceState) -> DeviceState:
    """Returns the state of a device that was in state `old`. While nothing is known of one that is there, nothing changes."""
    if condition != "unknown":
        return condition
    return "present" if old in ("missing", "not-ready") else old


def _is_forgotten(old: KnownDevice, key: Key, expected: Imported | None, now_s: float) -> bool:
    is_expected = expected is not None and key in expected.devices
    return not is_expected and old.since_s is not None and now_s - old.since_s > FORGET_S
