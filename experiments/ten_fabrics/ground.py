# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A bed that is built: its fabric's document lies in a folder, its devices are known, and its traffic can be drawn."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import tuner.suggest.path
from experiments.ten_fabrics.traffic import Traffic
from tuner.document_base.model import build_model
from tuner.documents.device_model import device_model, nested
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.suggest.devices import DEVICE_MODELS
from tuner.suggest.notifier import Notifier
from tuner.suggest.receivers import paths

DEVICES = "cnp-packet-times"
"""Kind of devices that campaigns measure."""
OTHER_DEVICES = ("calibrated", "becn-on-ack")
"""Kinds under which suggested profiles are measured as well."""
SAMPLES = 20
"""Samples in the judged window."""


@dataclass(frozen=True, kw_only=True)
class Bed:
    """One fabric with its traffic."""

    name: str
    fabric: Callable[[], FabricDocument]
    traffic: Traffic


@dataclass(frozen=True, kw_only=True)
class Lengths:
    """Length of a run, as sums of packets of a fair share and of notifications: so that it fits 8 Gb/s and 800 Gb/s.

    The first packets fill all buffers on the way, 128 of each contributor's at its leaf, and it takes as many gaps until those
    are gone. Then CCTIs rise by notifications, and fall by CCTI_Timer, which is some notifications long.
    """

    warmup_packets: int = 1500
    warmup_notifications: int = 1000
    window_packets: int = 1000
    window_notifications: int = 600


LENGTHS = Lengths()
SLOW_LENGTHS = Lengths(warmup_notifications=400, window_notifications=300)
"""Lengths for devices that notify a contributor less than once in SLOW_PACKETS of its packets."""
SLOW_PACKETS = 8


class Ground:
    """Devices are names in DEVICE_MODELS."""

    def __init__(self, bed: Bed, folder: Path) -> None:
        """Writes the fabric's document into `folder`. Raises BadInputError."""
        self.bed = bed
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder.resolve() / "fabric.yaml"
        self.path.write_text(fabric_text(bed.fabric()), encoding="utf-8")

    @property
    def name(self) -> str:
        return self.bed.name

    @property
    def traffic(self) -> Traffic:
        return self.bed.traffic

    @cached_property
    def built(self) -> BuiltFabric:
        return build(load_fabric(self.path))

    @cached_property
    def receiver(self) -> tuner.suggest.path.Path:
        """The way to the fastest host, whose hotspots the traffic makes."""
        return max(paths(self.built).values(), key=lambda path: path.receive_gbps)

    def devices(self, kind: str = DEVICES) -> Mapping[str, Any]:
        """Returns settings of the simulated devices; all others are the simulator's defaults."""
        return DEVICE_MODELS[kind].settings(self.receiver)

    def workload(self, seed: int, *, devices: str = DEVICES, times: float = 1.0) -> Workload:
        """The traffic, with hosts drawn by `seed`. Victims begin with the window where they ask for a rate, so that they have
        nothing to catch up with. `devices`: those that the run is long enough for. `times`: factor for its length. Raises
        BadInputError if the fabric has no place for it."""
        gap_s = self.receiver.gap_ns(self.traffic.contributors) * 1e-9
        notification_s = self._notification_ns(devices) * 1e-9
        lengths = LENGTHS if notification_s <= SLOW_PACKETS * gap_s else SLOW_LENGTHS
        window_s = times * (lengths.window_packets * gap_s + lengths.window_notifications * notification_s)
        warmup_s = times * (lengths.warmup_packets * gap_s + lengths.warmup_notifications * notification_s)
        interval_s = round(window_s / SAMPLES, 9)
        warmup_s = round(math.ceil(warmup_s / interval_s) * interval_s, 9)
        keys = self.traffic.keys(self.built, seed=seed, receive_gbps=self.receiver.receive_gbps, gap_s=gap_s, warmup_s=warmup_s)
        return build_model(
            Workload,
            {
                "ibcc_workload": 1,
                "name": self.name,
                "fabric": str(self.path),
                "duration_s": round(warmup_s + SAMPLES * interval_s, 9),
                "sample_interval_s": interval_s,
                "warmup_s": warmup_s,
                **keys,
            },
        )

    def _notification_ns(self, devices: str) -> float:
        """Between two notifications of a contributor at its fair share if each packet is marked."""
        model = device_model(nested(dict(self.devices(devices))), mtu_bytes=self.receiver.mtu_bytes)
        return Notifier.of(model).between_ns(self.receiver.gap_ns(self.traffic.contributors), 1)

    def to_json(self) -> dict[str, Any]:
        """Returns the values that its figures depend on."""
        document = self.built.document
        hosts = {endport.node for endport in self.built.hosts.endports if endport.kind == "host"}
        return {
            "name": self.name,
            "hosts": len(hosts),
            "rates": sorted({link.rate for link, *ends in document.ends() if any(end.node in hosts for end in ends)}),
            "mtu_bytes": document.mtu_bytes,
            "routing": document.routing,
            "traffic": self.traffic.describe(),
            "contributors": self.traffic.contributors,
            "receive_gbps": self.receiver.receive_gbps,
            "gap_ns": self.receiver.gap_ns(self.traffic.contributors),
            "devices": dict(self.devices()),
        }
