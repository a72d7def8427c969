# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The bed for taking settings apart: scenario 1 with its flows started one right after the other, and seeds that no search
saw."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from experiments._common.runs import Run
from tuner.documents.parameter import Scalar
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload, load_workload
from tuner.search.field_path import lookup

EXPERT = "gran-2010"
TABLE = ("cct.curve.full_scale_us", "cct.curve.exponent")
"""The fields of the space that make the CCT."""
SEEDS: Sequence[int] = range(5001, 5007)
FEW_SEEDS: Sequence[int] = SEEDS[:3]
FAIR_GBPS = 3.25
"""A quarter of 98 % of what the receiver takes."""


@cache
def workload() -> Workload:
    return load_workload(Path(__file__).with_name("steady.yaml"))


def steady(settings: Mapping[str, Scalar], model: Mapping[str, Any] | None = None) -> Run:
    """The expert's profile with other values."""
    return Run(workload=workload(), profile=EXPERT, profile_settings=dict(settings), model=model or {})


def off(model: Mapping[str, Any] | None = None) -> Run:
    """Congestion control off."""
    return Run(workload=workload(), model=model or {})


def held() -> Run:
    """No congestion control, and sources that offer their fair share and no more: the least variation that there can be."""
    flows = tuple(
        flow.model_copy(update={"rate_gbps": FAIR_GBPS}) if flow.role == "contributor" else flow for flow in workload().flows
    )
    return Run(workload=workload().model_copy(update={"flows": flows}))


def expert_values(fields: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Returns the expert's values of these fields."""
    expert = load_profile(EXPERT).to_dict()
    return {field: lookup(expert, field) for field in fields}
