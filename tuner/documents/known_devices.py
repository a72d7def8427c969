# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Devices of which something is known about their congestion control: `configs/known_devices.yaml`, and rows that probes add.

Most rows are guesses. A row that a probe has found holds for one firmware, and comes before the others of its device.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from tuner.document_base.model import DocumentModel, ListOf, load
from tuner.documents.hardware import Firmware, Oui, firmware_numbers
from tuner.documents.probe_report import Dialect, Misleading, ProbedDevice, ProbeReport, Refusal, Text, VlReading, Word

FILE = "known_devices.yaml"


class KnownDevice(DocumentModel):
    """One row."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    """Name of the model."""
    kind: Literal["switch", "adapter"]
    vendor_id: Oui
    """OUI of the maker, as NodeInfo has it."""
    device_id: Word
    """Number of the device among the maker's, as NodeInfo has it."""
    firmware_from: Firmware | None = None
    """First version that the row is about; None: all before `firmware_to`."""
    firmware_to: Firmware | None = None
    """Last version that the row is about; None: all later ones."""
    dialects: ListOf[Dialect]
    """Congestion control that it has; empty if it has none that can be believed."""
    vl_reading: VlReading | None = None
    """Place of the VL in a Get of CongestionPortProfileSettings; None: not known."""
    unknown_port: Refusal | None = None
    """Answer for a port that does not exist; None: not known."""
    misleading: ListOf[Misleading] = ()
    """Reasons not to believe its answers."""
    evidence: Literal["probed", "published", "guessed"]
    """`probed`: by `ibcc fabric probe`; `published`: somebody has said so; `guessed`: of its age and maker."""
    source: Text
    """Publication, or reason of the guess."""

    @model_validator(mode="after")
    def _range_is_one(self) -> "KnownDevice":
        first, last = self.firmware_from, self.firmware_to
        if first is not None and last is not None and firmware_numbers(first) > firmware_numbers(last):
            raise ValueError(f"firmware_from {first} is later than firmware_to {last}")
        return self

    def is_about(self, firmware: str | None) -> bool:
        """Returns whether the row holds for a firmware. One that is not known is in the range of rows for all alone."""
        if firmware is None:
            return self.firmware_from is None and self.firmware_to is None
        numbers = firmware_numbers(firmware)
        first = self.firmware_from is None or firmware_numbers(self.firmware_from) <= numbers
        return first and (self.firmware_to is None or numbers <= firmware_numbers(self.firmware_to))


class KnownDevices(DocumentModel):
    """The table."""

    ibcc_known_devices: Literal[1]
    """Version of the format."""
    devices: ListOf[KnownDevice]


def packaged_path() -> Path:
    return Path(str(resources.files("ibcc_configs"))) / FILE


@lru_cache(maxsize=1)
def known_devices() -> tuple[KnownDevice, ...]:
    """The table that comes with ibcc."""
    return load(KnownDevices, packaged_path()).devices


def known_device(
    vendor_id: int, device_id: int, firmware: str | None = None, *, rows: Sequence[KnownDevice] | None = None
) -> KnownDevice | None:
    """The row of a device: one for its firmware alone before one for all; None if nothing is known of it. `rows`: by default
    those that come with ibcc."""
    table = known_devices() if rows is None else rows
    found = [row for row in table if (row.vendor_id, row.device_id) == (vendor_id, device_id) and row.is_about(firmware)]
    return min(found, key=lambda row: (row.firmware_from is None) + (row.firmware_to is None), default=None)


def rows_of(report: ProbeReport, rows: Sequence[KnownDevice]) -> list[KnownDevice]:
    """The rows that a report adds; devices of which too little was asked have none. `rows`: for the models' names."""
    return [_row(device, rows) for device in report.devices if device.stopped is None and device.firmware is not None]


def merged(rows: Iterable[KnownDevice], more: Iterable[KnownDevice]) -> list[KnownDevice]:
    """All rows; of two for the same firmware of a device the later one. Ordered by kind, device and firmware."""
    found: dict[tuple[Any, ...], KnownDevice] = {}
    for row in (*rows, *more):
        found[row.kind, row.vendor_id, row.device_id, row.firmware_from, row.firmware_to] = row
    return sorted(found.values(), key=_place)


def _place(row: KnownDevice) -> tuple[Any, ...]:
    first = (-1, -1, -1) if row.firmware_from is None else firmware_numbers(row.firmware_from)
    return row.kind != "switch", row.vendor_id, row.device_id, first


def _row(device: ProbedDevice, rows: Sequence[KnownDevice]) -> KnownDevice:
    known = next((row for row in rows if (row.vendor_id, row.device_id) == (device.vendor_id, device.device_id)), None)
    return KnownDevice(
        name=f"device 0x{device.device_id:04x}" if known is None else known.name,
        kind=device.kind,
        vendor_id=device.vendor_id,
        device_id=device.device_id,
        firmware_from=device.firmware,
        firmware_to=device.firmware,
        dialects=device.findings.dialects,
        vl_reading=device.vl_reading,
        unknown_port=device.findings.unknown_port,
        misleading=device.findings.misleading,
        evidence="probed",
        source="ibcc fabric probe",
    )
