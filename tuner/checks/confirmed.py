# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a campaign's confirmation has measured under a profile: expected of the first nights after its promotion."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ccsim.policy import Profile, ProfileError
from tuner.checks.decisions import Confirmed
from tuner.checks.fairness_metrics import FAIRNESS_METRICS
from tuner.documents.profile import profile_revision
from tuner.errors import BadInputError
from tuner.goals.metrics import METRICS

_BY_TIME = "settle_time"
"""Depends on how long was measured, which a campaign and a check choose differently."""


def is_for(one: Confirmed, regime: str) -> bool:
    """True for the revision of a profile with the same settings, whatever its name."""
    name = regime.rpartition("@")[0]
    settings = Profile.from_text(one.profile).to_dict() | {"name": name}
    return bool(name) and profile_revision(Profile.from_dict(settings)) == regime


def confirmed_of(report: Mapping[str, Any]) -> Confirmed:
    """`report`: report.json of a campaign. Raises BadInputError for one that recommends nothing, or has several workloads."""
    try:
        found, workloads = report["recommended"], report["conditions"]["workloads"]
        if found is None or len(workloads) != 1:
            raise BadInputError(
                "recommends no profile, or has several workloads; it must recommend one that one workload measured"
            )
        values = {
            metric.name: float(estimate["value"])
            for metric in FAIRNESS_METRICS
            if metric.name != _BY_TIME and (estimate := found["estimates"].get(METRICS[metric.name].key)) is not None
        }
        Profile.from_text(found["profile_yaml"])
        return Confirmed(
            source=str(report["campaign"]["name"]),
            profile=str(found["profile_yaml"]),
            workload=str(workloads[0]["name"]),
            values=values,
        )
    except (AttributeError, KeyError, TypeError, ValueError, ProfileError) as error:
        raise BadInputError(f"is no report.json of a campaign: {error}") from error


def read_confirmed(path: Path) -> Confirmed:
    """`path`: report.json, or the folder that has it. Raises BadInputError."""
    file = path / "report.json" if path.is_dir() else path
    try:
        report = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInputError(f"cannot be read: {error}", source=str(file)) from error
    try:
        return confirmed_of(report)
    except BadInputError as error:
        raise BadInputError(error.sentence, source=str(file)) from error
