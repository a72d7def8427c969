# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares the links of a look with those that were known. A link of a device that is lost, back or new is no event by itself."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from api.fabric_drivers.sight import Key, LinkKey, SeenLink
from api.watch.changes import Change
from api.watch.imported import Imported
from api.watch.known import KnownDevice, KnownLink
from api.watch.names import shown

_Devices = Mapping[Key, KnownDevice]


def compare_links(
    known: Mapping[LinkKey, KnownLink],
    seen: Mapping[LinkKey, SeenLink],
    devices: _Devices,
    devices_before: _Devices,
    expected: Imported | None,
    now_s: float,
    changes: list[Change],
    *,
    forget_s: float,
) -> Mapping[LinkKey, KnownLink]:
    """`devices`: those after this look. Returns `known` itself if nothing has changed."""
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
        if old.up:
            changed[key] = replace(old, up=False, since_s=now_s)
            if not recabled and not any(_is_away(end, devices) for end in key):
                changes.append(_down(key, old))
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
            _again(key, old_or_none, link, lambda end: _has_arrived(end, devices, devices_before), now_s, changed, changes)
    if not changed and not gone:
        return known
    return {key: one for key, one in (dict(known) | changed).items() if key not in gone}


def _again(
    key: LinkKey,
    old: KnownLink,
    link: SeenLink,
    has_arrived: Callable[[Key], bool],
    now_s: float,
    changed: dict[LinkKey, KnownLink],
    changes: list[Change],
) -> None:
    rate = link.rate or old.rate
    if not old.up:
        changed[key] = replace(old, up=True, since_s=now_s, rate=rate)
        if not any(map(has_arrived, key)):
            changes.append(_up(key, old))
    elif rate != old.rate:
        changed[key] = replace(old, rate=rate, since_s=now_s)
    elif old.since_s is None:
        changed[key] = replace(old, since_s=now_s)
    if old.rate is not None and rate != old.rate:
        text = f"Link {_title(key, old.names)} runs at {rate}, not at {old.rate}"
        changes.append(Change("link.changed", key[0], old.names[0], detail=_ends(key, old.names, rate), text=text))


def _down(key: LinkKey, link: KnownLink) -> Change:
    text = f"Link {_title(key, link.names)} is down"
    return Change("link.down", key[0], link.names[0], detail=_ends(key, link.names, link.rate), text=text)


def _up(key: LinkKey, link: KnownLink) -> Change:
    text = f"Link {_title(key, link.names)} is up"
    return Change("link.up", key[0], link.names[0], detail=_ends(key, link.names, link.rate), text=text)


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


def _is_away(end: Key, devices: _Devices) -> bool:
    device = device_at(end, devices)
    return device is not None and device.state == "missing"


def _has_arrived(end: Key, devices: _Devices, before: _Devices) -> bool:
    """True if the device was not there at the look before."""
    now, then = device_at(end, devices), device_at(end, before)
    return now is not None and now.state != "missing" and (then is None or then.state == "missing")
