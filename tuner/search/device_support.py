# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Capacity of the devices of a fabric, and the check that a search space stays within it.

A device that is sent more than it has room for keeps what fits (the plugin calls it `clamped`): a search would measure profiles
that it never put in force.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ccsim.policy import Profile, ProfileError, Tables
from tuner.documents.parameter import Scalar
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.search.field_path import GroupField

if TYPE_CHECKING:
    from tuner.search.space import Space  # needs Optuna, and who emulates a fabric may not have it

BLOCK_ENTRIES = 64
"""Entries in a block of a CongestionControlTable, in which ControlTableCap counts (IBA A10.4.3.1)."""


@dataclass(frozen=True, kw_only=True)
class DeviceSupport:
    """A switch, or a port of a channel adapter."""

    guid: int
    port: int
    """0 of a switch."""
    kind: Literal["switch", "ca"]
    name: str
    congestion_control: bool
    """It knows the class at all."""
    cct_entries: int | None = None
    """Room in its table; None if it has not said."""

    def __str__(self) -> str:
        place = f"0x{self.guid:016x}" + (f", port {self.port}" if self.port else "")
        return f"{'switch' if self.kind == 'switch' else 'adapter'} '{self.name}' ({place})"


def from_plugin(rows: Iterable[Mapping[str, Any]]) -> list[DeviceSupport]:
    """From what the plugin's `devices` answers (docs/operate/plugin-socket.md); devices that have gone are left out."""
    return [
        DeviceSupport(
            guid=int(row["guid"], 0),
            port=row["port"],
            kind=row["kind"],
            name=row["description"],
            congestion_control=row["state"] != "unsupported",
            cct_entries=BLOCK_ENTRIES * row["control_table_cap"] if row["control_table_cap"] else None,
        )
        for row in rows
        if row["present"]
    ]


def check_matches(space: "Space", built: BuiltFabric) -> None:
    """Raises BadInputError if a field of some devices applies to none on this fabric, or contradicts another where they meet."""
    for path in space.parameters:
        group = GroupField.parse(path)
        if group is None:
            continue
        for profile in space.extremes(path):
            place = next(i for i, override in enumerate(profile.to_dict()["overrides"]) if group.is_of(override))
            for sentence in _resolved(f"space.{path}", profile, built).warnings:
                if sentence.startswith(f"overrides[{place}]"):
                    raise BadInputError(f"space.{path}: on fabric '{built.document.name}', {sentence}")


def check_support(space: "Space", devices: Sequence[DeviceSupport], fabrics: Iterable[BuiltFabric]) -> None:
    """Raises BadInputError, with the field, the value, the device and what would be right, if a profile of the space asks more of
    a device than that can hold. Devices that know no congestion control are left alone, unless they are all of their kind."""
    _check_kinds(space, devices)
    room = {(one.guid, one.port): one for one in devices if one.congestion_control and one.cct_entries is not None}
    if not room:
        return
    for built in fabrics:
        _check_room(f"profile '{space.base.name}'", None, space.base, room, built)
        for path, parameter in space.parameters.items():
            if "cct" in path.split("."):
                for end, profile in zip(parameter.ends, space.extremes(path), strict=True):
                    _check_room(f"space.{path}", end, profile, room, built)


def _check_kinds(space: "Space", devices: Sequence[DeviceSupport]) -> None:
    for kind, sections, plural in (("switch", ("switch",), "switch"), ("ca", ("ca", "cct"), "channel adapter")):
        mine = [one for one in devices if one.kind == kind]
        if not mine or any(one.congestion_control for one in mine):
            continue
        for path in space.distributions:
            group = GroupField.parse(path)
            if (group.section if group else path.split(".")[0]) in sections:
                raise BadInputError(
                    f"space.{path} sets what no {plural} of this fabric have: none of {len(mine)} supports congestion control, "
                    f"{mine[0]} for one; take it out of the space"
                )


def _check_room(
    what: str, value: Scalar | None, profile: Profile, room: Mapping[tuple[int, int], DeviceSupport], built: BuiltFabric
) -> None:
    for ca in _resolved(what, profile, built).cas:
        device, wanted = room.get((ca["guid"], ca["port"])), len(ca["cct"]["entries"])
        if device is not None and device.cct_entries is not None and wanted > device.cct_entries:
            at = "" if value is None else f" at {value}"
            raise BadInputError(
                f"{what}{at} needs a table of {wanted} entries, and {device} has room for {device.cct_entries}: "
                f"a ccti_limit of at most {device.cct_entries - 1} would fit"
            )


def _resolved(what: str, profile: Profile, built: BuiltFabric) -> Tables:
    try:
        return profile.resolve(built.fabric)
    except ProfileError as error:
        raise BadInputError(f"{what}: on fabric '{built.document.name}', {error.sentence}") from error
