# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Marks of nodes and links that are not as they should be, and the numbers of devices and links by state."""

from collections import Counter
from collections.abc import Mapping

from api.fabric_drivers.sight import Key, LinkKey
from api.watch.compare_links import device_at
from api.watch.known import Known, KnownLink
from api.watch.states import MARKS, Mark


def device_marks(known: Known) -> dict[Key, list[Mark]]:
    """Returns the marks of each device that has one, the gravest first."""
    found: dict[Key, set[Mark]] = {}
    for key, device in known.devices.items():
        if device.state != "present":
            found.setdefault(key, set()).add(device.state)
        if device.unrest.flaps:
            found.setdefault(key, set()).add("flapping")
        if device.is_new:
            found.setdefault(key, set()).add("new")
    for ends, link in known.links.items():
        if link.up and link.as_imported is False:
            devices = [(end if end in known.devices else (end[0], 0), device_at(end, known.devices)) for end in ends]
            if not any(one is not None and one.is_new for _, one in devices):
                for key, end_device in devices:
                    if end_device is not None:
                        found.setdefault(key, set()).add("not-cabled-as-imported")
    return {key: [mark for mark in MARKS if mark in marks] for key, marks in found.items()}


def is_down(ends: LinkKey, link: KnownLink, known: Known) -> bool:
    """Says whether a link is down by itself: the links of a device that is missing are no news."""
    if link.up:
        return False
    devices = (device_at(end, known.devices) for end in ends)
    return not any(one is not None and one.state == "missing" for one in devices)


def counts(known: Known) -> dict[str, int]:
    """Numbers of devices by state and mark, and of links."""
    states: Counter[str] = Counter(one.state for one in known.devices.values())
    miscabled = sum("not-cabled-as-imported" in marks for marks in device_marks(known).values())
    return {
        "devices": len(known.devices),
        "present": len(known.devices) - states["missing"],
        "missing": states["missing"],
        "missing_switches": sum(one.state == "missing" and one.kind == "switch" for one in known.devices.values()),
        "timing_out": states["timing-out"],
        "drifted": states["drifted"],
        "not_ready": states["not-ready"],
        "flapping": sum(one.unrest.flaps for all_of in (known.devices, known.links) for one in all_of.values()),
        "new": sum(one.is_new and one.state != "missing" for one in known.devices.values()),
        "not_cabled_as_imported": miscabled,
        "links": len(known.links),
        "links_down": sum(is_down(ends, link, known) for ends, link in known.links.items()),
    }


def node_marks(known: Known) -> Mapping[str, list[Mark]]:
    """Returns the marks of each node, by GUID: those of all its ports."""
    found: dict[str, set[Mark]] = {}
    for (guid, _), marks in device_marks(known).items():
        found.setdefault(guid, set()).update(marks)
    return {guid: [mark for mark in MARKS if mark in marks] for guid, marks in found.items()}
