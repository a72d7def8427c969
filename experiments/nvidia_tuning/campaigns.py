# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign on a bed: its folder and its search."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ccsim.policy import Profile
from experiments._common.search import DOCUMENT, search
from experiments.nvidia_tuning.dialects import Kind
from tuner.campaign.result import CampaignResult
from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.documents.workload import Workload

FABRIC, EXPERT, WORKLOAD = "fabric.yaml", "expert.yaml", "workload.yaml"


def lay_out(folder: Path, fabric: FabricDocument, workload: Workload, kind: Kind, expert: Profile) -> None:
    """Writes a folder for a campaign: the fabric with devices of a kind, the workload on it, and the published profile."""
    folder.mkdir(parents=True, exist_ok=True)
    devices = fabric.model_copy(update={"congestion_control": (CongestionControlRow(dialect=kind.dialect),)})
    placed = workload.model_copy(update={"fabric": FABRIC})
    (folder / FABRIC).write_text(fabric_text(devices), encoding="utf-8")
    (folder / WORKLOAD).write_text(placed.model_dump_json(exclude_none=True), encoding="utf-8")
    (folder / EXPERT).write_text(expert.to_yaml(), encoding="utf-8")


def tune(
    folder: Path,
    kind: Kind,
    rate_gbps: float,
    *,
    name: str,
    trials: int,
    objectives: Mapping[str, float],
    constraints: Mapping[str, Any],
    seed: int = 1,
    confirmed: Sequence[int] = (101, 102),
    starts_there: bool = False,
    front: int = 4,
    time_scale: float = 1,
    on_progress: Callable[[float], None],
) -> CampaignResult:
    """Runs a campaign in a folder that `lay_out` has written, or continues with what is there. It begins with the suggestion, and
    replaces fields of the published profile, which is measured first too if it `starts_there`. Raises as search."""
    document = {
        "ibcc_campaign": 1,
        "name": name,
        "workloads": [f"./{WORKLOAD}"],
        "base": f"./{EXPERT}",
        "expert": f"./{EXPERT}",
        "start_from": [f"./{EXPERT}"] if starts_there else [],
        "space": kind.space(rate_gbps),
        "objectives": list(objectives),
        "constraints": dict(constraints),
        "budget": {"trials": trials},
        "seeds": [seed],
        "sampler": {"kind": "tpe", "seed": seed, "startup_trials": min(16, trials // 2)},
        "time_scale": time_scale,
        "confirmation": {"seeds": list(confirmed), "time_scale": time_scale, "front": front},
        "hypervolume_reference": dict(objectives),
    }
    (folder / DOCUMENT).write_text(json.dumps(document, indent=1), encoding="utf-8")
    return search(folder, changes={}, devices={}, on_progress=on_progress)
