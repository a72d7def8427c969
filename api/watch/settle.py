# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Devices and links that were flapping and have kept their state for a minute are steady again, and told as they are."""

from dataclasses import replace

from api.watch.changes import Change
from api.watch.compare import told
from api.watch.compare_links import is_away, told_of_link
from api.watch.damping import calmed, is_calm
from api.watch.known import Known
from api.watch.states import DEVICE_EVENTS


def settled(known: Known, now_s: float) -> tuple[Known, list[Change]]:
    """Returns `known` itself if nothing is steady again."""
    if not known.flaps:
        return known, []
    changes: list[Change] = []
    devices = {key: one for key, one in known.devices.items() if is_calm(one.unrest, one.since_s, now_s)}
    links = {key: one for key, one in known.links.items() if is_calm(one.unrest, one.since_s, now_s)}
    if not devices and not links:
        return known, []
    for key, device in devices.items():
        devices[key] = replace(device, unrest=calmed(device.unrest))
        changes += told(key, device, ["device.steady", *DEVICE_EVENTS.get(("present", device.state), ())])
    for ends, link in links.items():
        links[ends] = replace(link, unrest=calmed(link.unrest))
        is_down = not link.up and not any(is_away(end, known.devices) for end in ends)
        changes += told_of_link(ends, link, ["link.steady", *(["link.down"] if is_down else [])])
    return Known(dict(known.devices) | devices, dict(known.links) | links), changes
