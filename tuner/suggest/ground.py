# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Keeps what decides how a profile does: the way to the hotspot, how many contributors meet there, and how devices react."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tuner.documents.device_model import device_model
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest.fan_in import hotspots
from tuner.suggest.notifier import Notifier
from tuner.suggest.path import Path
from tuner.suggest.receivers import paths


@dataclass(frozen=True, kw_only=True)
class Ground:
    """The worst hotspot of a workload on a fabric, and the devices there."""

    path: Path
    contributors: int
    """Contributors to one receiver at a time; at least 2."""
    notifier: Notifier
    timer: str
    """Scope of a CCTI_Timer: `port_sl` or `flow`."""

    @property
    def gap_ns(self) -> float:
        """Time between two packets of a contributor at its fair share."""
        return self.path.gap_ns(self.contributors)

    @property
    def pause_packet_times(self) -> float:
        """Delay that holds a contributor at its fair share."""
        return self.path.pause_packet_times(self.contributors)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Ground":
        parts = {"path": Path(**document["path"]), "notifier": Notifier(**document["notifier"])}
        return cls(**(dict(document) | parts))


def ground_of(placed: Sequence[tuple[BuiltFabric, Workload]], settings: Mapping[str, Any]) -> Ground | None:
    """Returns the ground of the hotspot at which a contributor waits longest between two packets, of all workloads.

    `settings`: of the devices, by dotted name. None if no workload asks a receiver or a link, where senders learn of it, for more
    than it takes. Raises BadInputError if a fabric has fewer than three hosts, or a workload or the settings do not fit it.
    """
    found = []
    for built, workload in placed:
        devices = device_model(built.document.model, settings, mtu_bytes=built.document.mtu_bytes)
        found += [
            Ground(
                path=spot.path,
                contributors=spot.contributors,
                notifier=Notifier.of(devices),
                timer=str(devices.ca.ccti_timer),
            )
            for spot in hotspots(built, workload, paths(built))
            if spot.notifies
        ]
    return max(found, key=lambda ground: ground.gap_ns, default=None)
