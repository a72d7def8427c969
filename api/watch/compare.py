# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares a look at a fabric with what was known of it: what is known then, and what has happened."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from api.fabric_drivers.sight import Condition, Key, SeenDevice, Sight
from api.watch.changes import KINDS, Change
from api.watch.compare_links import compare_links
from api.watch.damping import damped
from api.watch.imported import Imported
from api.watch.known import Known, KnownDevice
from api.watch.names import shown
from api.watch.states import DEVICE_EVENTS, DeviceState, device_path

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
    devices = _devices(known.devices, sight, expected, now_s, changes)
    links = known.links
    if sight.links is not None:
        links = compare_links(known.links, sight, devices, known.devices, expected, now_s, changes, forget_s=FORGET_S)
    if devices is known.devices and links is known.links:
        return known, changes
    return Known(devices, links), changes


def _first(sight: Sight, now_s: float) -> Known:
    """Nothing is new, as nothing is expected; who is away or sick is told of."""
    there = {
        key: KnownDevice(name=shown(device.name), kind=device.kind, state="present", since_s=now_s, drifts=device.drifts)
        for key, device in sight.devices.items()
        if device.condition != "missing"
    }
    return Known(devices=there)


def _devices(
    known: Mapping[Key, KnownDevice],
    sight: Sight,
    expected: Imported | None,
    now_s: float,
    changes: list[Change],
) -> Mapping[Key, KnownDevice]:
    seen = sight.devices
    changed: dict[Key, KnownDevice] = {}
    for key, device in seen.items():
        old = known.get(key)
        if old is None:
            if device.condition == "missing":  # it was there before anybody looked
                continue
            new, kinds = _found(key, device, expected, now_s)
        else:
            new, kinds = _seen_again(old, device, sight.between.nodes.get(key[0], ()), now_s)
        if new is not old:
            changed[key] = new
        changes += told(key, new, kinds)
    forgotten = []
    for key in known.keys() - seen.keys():
        old = known[key]
        if old.state != "missing":
            changed[key], kinds = _moved(old, (), "missing", now_s)
            changes += told(key, old, kinds)
        elif _is_forgotten(old, key, expected, now_s):
            forgotten.append(key)
    if not changed and not forgotten:
        return known
    return {key: one for key, one in (dict(known) | changed).items() if key not in forgotten}


def _found(key: Key, one: SeenDevice, expected: Imported | None, now_s: float) -> tuple[KnownDevice, Sequence[str]]:
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


def _seen_again(old: KnownDevice, one: SeenDevice, between: Sequence[bool], now_s: float) -> tuple[KnownDevice, Sequence[str]]:
    state = _state(one.condition, old.state)
    new, kinds = _moved(old, between, state, now_s)
    drifted = one.drifts > old.drifts or 0 < one.drifts < old.drifts  # OpenSM counts from 0 when it is started again
    if drifted and state in ("present", "drifted") and "device.drifted" not in kinds and old.since_s is not None:
        kinds = [*kinds, "device.drifted", *(["device.repaired"] if state == "present" else [])]
    name = shown(one.name) if state != "missing" else old.name
    if new is old and (name, one.drifts) == (old.name, old.drifts) and old.since_s is not None:
        return old, ()
    return replace(new, name=name, drifts=one.drifts, since_s=now_s if new.since_s is None else new.since_s), kinds


def _moved(old: KnownDevice, between: Sequence[bool], state: DeviceState, now_s: float) -> tuple[KnownDevice, Sequence[str]]:
    """Returns the device in its new state, and the events of all that it has passed on the way."""
    path = device_path(old.state, between, state)
    steps = [kind for one, other in pairwise(path) for kind in DEVICE_EVENTS.get((one, other), ())]
    if not steps:
        return old, ()
    unrest, kinds = damped(old.unrest, steps, now_s)
    return replace(old, state=state, since_s=now_s, unrest=unrest), kinds


def told(key: Key, device: KnownDevice, kinds: Sequence[str]) -> Iterator[Change]:
    """Yields the changes of one device. Events that come in the order of KINDS belong to one turn."""
    turn = 0
    for i, kind in enumerate(kinds):
        if i and KINDS.index(kind) <= KINDS.index(kinds[i - 1]):
            turn += 1
        yield Change(kind, key, device.name, device.kind, turn=turn)


def _state(condition: Condition, old: DeviceState) -> DeviceState:
    """Returns the state of a device that was in state `old`. While nothing is known of one that is there, nothing changes."""
    if condition != "unknown":
        return condition
    return "present" if old in ("missing", "not-ready") else old


def _is_forgotten(old: KnownDevice, key: Key, expected: Imported | None, now_s: float) -> bool:
    is_expected = expected is not None and key in expected.devices
    return not is_expected and old.since_s is not None and now_s - old.since_s > FORGET_S
