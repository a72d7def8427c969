# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The devices and links that a fabric's document names: what is expected of the fabric."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from api.fabric_drivers.base import guid_text
from api.fabric_drivers.device_tables import listed_places
from api.fabric_drivers.sight import Key, LinkKey, Sight, link_key
from api.watch.known import Known, KnownDevice, KnownLink
from api.watch.names import shown
from tuner.documents.fabric import FabricDocument


@dataclass(frozen=True)
class Imported:
    devices: Mapping[Key, KnownDevice]
    links: Mapping[LinkKey, KnownLink]

    def is_of(self, sight: Sight) -> bool:
        """False if the document names none of the devices that are there: it is of another fabric, or its GUIDs are made up."""
        return not self.devices.keys().isdisjoint(sight.devices)


_NOTHING = Imported({}, {})


def rebased(expected: Imported | None, known: Known) -> Known:
    """Returns what is known with another expectation. Devices and links that are gone and that it does not name are forgotten;
    those that only it names are expected to be there. `expected` None: nothing is expected."""
    named = _NOTHING if expected is None else expected
    devices = {
        key: replace(device, is_new=expected is not None and key not in named.devices)
        for key, device in known.devices.items()
        if key in named.devices or device.state != "missing"
    }
    links = {
        key: replace(link, as_imported=None if expected is None else key in named.links)
        for key, link in known.links.items()
        if key in named.links or link.up
    }
    return Known(devices=dict(named.devices) | devices, links=dict(named.links) | links)


def imported(document: FabricDocument) -> Imported:
    n_switches = len(document.switches)
    guids = [guid_text(document.guid_of(node)) for node in range(len(document.nodes))]
    names = [shown(node.name) for node in document.nodes]
    return Imported(
        devices={
            (guids[node], port): KnownDevice(
                name=names[node], kind="switch" if node < n_switches else "ca", state="present", since_s=None
            )
            for node, port in listed_places(document)
        },
        links=dict(_links(document, guids, names)),
    )


def _links(document: FabricDocument, guids: list[str], names: list[str]) -> list[tuple[LinkKey, KnownLink]]:
    found = []
    for link, one, other in document.ends():
        ends = sorted(((guids[one.node], one.port), names[one.node]) for one in (one, other))
        (a, name_a), (b, name_b) = ends
        known = KnownLink(names=(name_a, name_b), up=True, since_s=None, rate=link.rate, as_imported=True)
        found.append((link_key(a, b), known))
    return found
