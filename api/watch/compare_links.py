# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares the links of a look with those that were known. A link of a device that is lost, back or new is no event by itself."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from api.fabric_drivers.sight import Key, LinkKey, SeenLink, Sight
from api.watch.changes import Change
from api.watch.damping import damped
from api.watch.imported import Imported
from api.watch.known import KnownDevice, KnownLink
from api.watch.names import shown
from api.watch.states import passed

_Devices = Mapping[Key, KnownDevice]


def compare_links(
    known: Mapping[LinkKey, KnownLink],
    sight: Sight,
    devices: _Devices,
    devices_before: _Devices,
    expected: Imported | None,
    now_s: float,
    changes: list[Change],
    *,
    forget_s: float,
) -> Mapping[LinkKey, KnownLink]:
    """`sight`: one with links. `devices`: those after this look. Returns `known` itself if nothing has changed."""
    seen, between = sight.links or {}, sight.between.links
    peers = {end: other for a, b in seen for end, other in ((a, b), (b, a))}
    changed: dict[LinkKey, KnownLink] = {}
    gone: set[LinkKey] = set()
    left: dict[Key, tuple[Key, str]] = {}
    """Former other end of each end whose link is gone, with its name."""
    for key, old in known.items():
        if key in seen:
            continue
        for end, other, name in ((key[0], key[1], old.names[1]), (key[1], key[0], old.names[0])):
            left[end] = (other, name)
        recabled = any(end in peers for end in key)
        is_expected = expected is not None and key in expected.links
        if recabled or any(is_away(end, devices) for end in key):
            if old.up:
                changed[key] = replace(old, up=False, since_s=now_s)
        else:
            new = _moved(key, old, (*between.get(key, ()), False), now_s, changes)
            if new is not old:
                changed[key] = new
        if not is_expected and (recabled or (old.since_s is not None and now_s - old.since_s > forget_s)):
            gone.add(key)
    for key, link in seen.items():
        old_or_none = known.get(key)
        if old_or_none is None:
            names = (shown(link.names[0]), shown(link.names[1]))
            changed[key] = KnownLink(
                names=names,
                up=True,
                since_s=now_s,
                rate=link.rate,
                as_imported=None if expected is None else key in expected.links,
            )
            arrived = any(_has_arrived(end, devices, devices_before) for end in key)
            if not (arrived and not any(end in left for end in key)) and known:
                changes.append(_new(key, names, left))
        else:
            ups = (*between.get(key, ()), True)
            arrived = any(_has_arrived(end, devices, devices_before) for end in key)
            moved = replace(old_or_none, up=True) if arrived else _moved(key, old_or_none, ups, now_s, changes)
            new = _again(key, old_or_none, moved, link, now_s, changes)
            if new != old_or_none:
                changed[key] = new
    if not changed and not gone:
        return known
    return {key: one for key, one in (dict(known) | changed).items() if key not in gone}


def _again(key: LinkKey, old: KnownLink, moved: KnownLink, link: SeenLink, now_s: float, changes: list[Change]) -> KnownLink:
    """Returns the link that is up; its state has `moved`, and perhaps its rate has changed too."""
    rate = link.rate or old.rate
    if old.rate is not None and rate != old.rate:
        text = f"Link {_title(key, old.names)} runs at {rate}, not at {old.rate}"
        changes.append(Change("link.changed", key[0], old.names[0], detail=_ends(key, old.names, rate), text=text))
    is_as_before = old.up and rate == old.rate and old.since_s is not None
    return replace(moved, rate=rate, since_s=moved.since_s if is_as_before else now_s)


def _moved(key: LinkKey, old: KnownLink, ups: Sequence[bool], now_s: float, changes: list[Change]) -> KnownLink:
    """Returns the link after all that it has passed: `ups`, whether it was up, in order; the last one is its state now."""
    states = passed([old.up, *ups])
    if len(states) == 1:
        return old
    unrest, kinds = damped(old.unrest, ["link.up" if up else "link.down" for up in states[1:]], now_s)
    new = replace(old, up=states[-1], since_s=now_s, unrest=unrest)
    changes += told_of_link(key, new, kinds)
    return new


def told_of_link(key: LinkKey, link: KnownLink, kinds: Sequence[str]) -> Iterator[Change]:
    """Yields the changes of one link, each of a turn of its own."""
    for turn, kind in enumerate(kinds):
        text = f"Link {_title(key, link.names)} {_WORDS[kind]}"
        yield Change(kind, key[0], link.names[0], detail=_ends(key, link.names, link.rate), text=text, turn=turn)


_WORDS = {
    "link.down": "is down",
    "link.up": "is up",
    "link.flapping": "goes down and comes up again and again",
    "link.steady": "is steady again: it has not gone down or come up for a minute",
}


def _new(key: LinkKey, names: tuple[str, str], left: Mapping[Key, tuple[Key, str]]) -> Change:
    detail = _ends(key, names, None)
    for end, other, end_name, other_name in ((key[0], key[1], *names), (key[1], key[0], *names[::-1])):
        if end in left:
            former, former_name = left[end]
            text = f"{end_name} port {end[1]} is cabled to {other_name} port {other[1]}, not to {former_name} port {former[1]}"
            return Change("link.changed", end, end_name, detail=detail, text=text)
    return Change("link.up", key[0], names[0], detail=detail, text=f"Link {_title(key, names)} is up and new")


def _ends(key: LinkKey, names: tuple[str, str], rate: str | None) -> dict[str, object]:
    a, b = ({"guid": guid, "port": port, "name": name} for (guid, port), name in zip(key, names, strict=True))
    return {"a": a, "b": b, "rate": rate}


def _title(key: LinkKey, names: tuple[str, str]) -> str:
    return " \u2013 ".join(f"{name} port {port}" for (_, port), name in zip(key, names, strict=True))


def device_at(end: Key, devices: _Devices) -> KnownDevice | None:
    """Returns the device that the end of a link belongs to: an adapter's port, or a switch."""
    return devices.get(end) or devices.get((end[0], 0))


def is_away(end: Key, devices: _Devices) -> bool:
    """Says whether the device at the end of a link is missing."""
    device = device_at(end, devices)
    return device is not None and device.state == "missing"


def _has_arrived(end: Key, devices: _Devices, before: _Devices) -> bool:
    """True if the device was not there at the look before."""
    now, then = device_at(end, devices), device_at(end, before)
    return now is not None and now.state != "missing" and (then is None or then.state == "missing")
