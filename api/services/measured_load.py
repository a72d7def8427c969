# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Congestion of a simulated fabric as its last campaign measured it: for CC off, the published profile, and the recommendation.

It is stored as JSON in the fabric's record: `at`, `campaign`, `workload`, and by `cc` what was measured.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias, get_args

from api.base.times import now
from api.documents.topology import Measured
from api.fabric_drivers.base import digest_of
from tuner.campaign.result import CampaignResult, Confirmed
from tuner.measuring.measurement import Measurement

Kept: TypeAlias = Mapping[str, Any]

_MOST_PORTS = 100
"""Ports that are kept of each measurement, the worst."""

ORDER: tuple[Measured, ...] = get_args(Measured)


def kept_load(result: CampaignResult, campaign: str) -> dict[str, Any] | None:
    """Returns what to store; None if nothing was measured."""
    measured = {cc: found for cc, trial, one in _confirmed(result) if (found := _one(one, trial)) is not None}
    if not measured:
        return None
    workload = result.setup.confirmation_workloads[0].name
    return {"at": now().isoformat(), "campaign": campaign, "workload": workload, "measured": measured}


def shown(kept: Kept | None, wanted: Measured | None) -> Measured | None:
    """Returns what to show: `wanted` if it was measured, else the last of `ORDER` that was; None without any."""
    measured = (kept or {}).get("measured", {})
    return wanted if wanted in measured else next((cc for cc in reversed(ORDER) if cc in measured), None)


def _confirmed(result: CampaignResult) -> Iterable[tuple[Measured, int | None, Confirmed]]:
    yield "off", None, result.baseline
    yield "published", None, result.expert
    if result.recommended is not None:
        yield "recommended", result.recommended.record.number, result.recommended.confirmed


def _one(one: Confirmed, trial: int | None) -> dict[str, Any] | None:
    if not one.measurements:
        return None
    with suppress(KeyError, TypeError):  # counters are the backend's own
        ports = _waited(one.measurements[0])
        devices: dict[str, float] = {}
        for guid, _, waited in ports:
            devices[guid] = max(devices.get(guid, 0.0), waited)
        worst = sorted((row for row in ports if row[2] > 0), key=lambda row: (-row[2], row[0], row[1]))[:_MOST_PORTS]
        text = one.profile.to_yaml()
        return {"profile": one.profile.name, "digest": digest_of(text), "trial": trial, "devices": devices, "ports": worst}
    return None


def _waited(measurement: Measurement) -> list[tuple[str, int, float]]:
    """Returns by port the fraction of the run for which it had packets and no credits."""
    return [
        (row["guid"], row["port"], min(1.0, round(row["xmit_wait_ns"] / (measurement.duration_s * 1e9), 4)))
        for row in measurement.counters["ports"]
    ]
