# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Devices and links of a fabric that are known, each with its state since when, as plain JSON for the database."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from api.fabric_drivers.sight import Key, LinkKey
from api.watch.damping import QUIET, Unrest
from api.watch.states import DEVICE_STATES, DeviceState


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownDevice:
    name: str
    kind: Literal["switch", "ca"]
    state: DeviceState
    since_s: float | None
    """Seconds since 1970; None: as imported, never seen otherwise."""
    drifts: int = 0
    is_new: bool = False
    """True if the fabric's document does not name it."""
    unrest: Unrest = QUIET


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownLink:
    names: tuple[str, str]
    up: bool
    since_s: float | None
    rate: str | None
    as_imported: bool | None
    """None: the fabric has no document to compare with."""
    unrest: Unrest = QUIET


@dataclass(frozen=True)
class Known:
    """State of a fabric's devices and links. Values are never changed in place."""

    devices: Mapping[Key, KnownDevice] = field(default_factory=dict)
    links: Mapping[LinkKey, KnownLink] = field(default_factory=dict)

    @cached_property
    def flaps(self) -> bool:
        """True if a device or link is flapping."""
        return any(one.unrest.flaps for known in (self.devices, self.links) for one in known.values())

    def devices_json(self) -> dict[str, Any]:
        return {
            _text(key): [
                *(device.name, device.kind, DEVICE_STATES.index(device.state), device.since_s, device.drifts, int(device.is_new)),
                *_unrest_json(device.unrest),
            ]
            for key, device in self.devices.items()
        }

    def links_json(self) -> dict[str, Any]:
        return {
            f"{_text(a)} {_text(b)}": [
                *link.names,
                int(link.up),
                link.since_s,
                link.rate,
                link.as_imported,
                *_unrest_json(link.unrest),
            ]
            for (a, b), link in self.links.items()
        }

    @staticmethod
    def from_json(devices: Mapping[str, Any], links: Mapping[str, Any]) -> "Known":
        return Known(devices=dict(_devices(devices)), links=dict(_links(links)))


def _devices(document: Mapping[str, Any]) -> Iterable[tuple[Key, KnownDevice]]:
    for text, (name, kind, state, since_s, drifts, is_new, *unrest) in document.items():
        yield (
            _key(text),
            KnownDevice(
                name=name,
                kind=kind,
                state=DEVICE_STATES[state],
                since_s=since_s,
                drifts=drifts,
                is_new=bool(is_new),
                unrest=_unrest(unrest),
            ),
        )


def _links(document: Mapping[str, Any]) -> Iterable[tuple[LinkKey, KnownLink]]:
    for text, (one, other, up, since_s, rate, as_imported, *unrest) in document.items():
        a, b = text.split(" ")
        known = KnownLink(
            names=(one, other), up=bool(up), since_s=since_s, rate=rate, as_imported=as_imported, unrest=_unrest(unrest)
        )
        yield (_key(a), _key(b)), known


def _unrest_json(unrest: Unrest) -> list[Any]:
    """Empty for what is quiet, as nearly all is."""
    return [] if unrest == QUIET else [list(unrest.falls), int(unrest.flaps)]


def _unrest(document: list[Any]) -> Unrest:
    if not document:
        return QUIET
    falls, flaps = document
    return Unrest(tuple(falls), "flapping" if flaps else "steady")


def _text(key: Key) -> str:
    return f"{key[0]}/{key[1]}"


def _key(text: str) -> Key:
    guid, _, port = text.partition("/")
    return guid, int(port)
