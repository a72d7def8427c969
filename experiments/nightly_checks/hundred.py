# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A hundred nights of the packaged check `nightly` without a fault, in full: the tables of an emulated fabric through OpenSM and
the plugin, and the fairness of the living one. `python -m experiments.nightly_checks.hundred` writes hundred-nights.json."""

import json
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from experiments.nightly_checks.beds import BEDS, HERE, Ground
from experiments.nightly_checks.living_backend import LivingFairness
from experiments.nightly_checks.nature import SIZES, Sizes
from experiments.nightly_checks.nights import FIRST
from experiments.nightly_checks.standing import standing
from experiments.nightly_checks.world import place
from tuner.checks.kind import Night
from tuner.checks.observe import observed
from tuner.documents.check import load_check
from tuner.documents.check_kinds import Fairness, KindOptions, Tables
from tuner.errors import UnreachableError

NIGHTS = 100
SEED = 0
CHECK = "nightly"
FILE = HERE / "hundred-nights.json"


def simulate(
    nights: int, *, time_scale: float = 1.0, sizes: Sizes = SIZES, on_progress: Callable[[float], None] = lambda fraction: None
) -> dict[str, Any]:
    """Returns `first`, the first night's date, and `values` of each night by metric. Raises UnreachableError without OpenSM or
    the plugin, and if a night could not be run."""
    bed = BEDS["two-switch"]
    values: dict[str, list[float | None]] = {}
    with TemporaryDirectory(prefix="ibcc-nights-") as name, place() as its_place:
        ground = Ground(bed, Path(name), time_scale=time_scale)
        nature = ground.nature(SEED, nights, sizes)
        with standing(ground.fabric, bed.profile, Path(name)) as fabric:

            def living(entry: KindOptions) -> KindOptions:
                if isinstance(entry, Tables):
                    return entry.model_copy(update={"socket": str(fabric.plugin)})
                assert isinstance(entry, Fairness)
                return LivingFairness(
                    workload=entry.workload, profile=entry.profile, time_scale=time_scale, socket=its_place.address
                )

            entries = [living(entry) for entry in load_check(CHECK).kinds]
            for index in range(nights):
                night = FIRST + timedelta(days=index)
                its_place.world = nature.world(index, night)
                for entry in entries:
                    seen = observed(entry, Night(fabric=str(ground.path), date=night))
                    if seen.not_run is not None:
                        raise UnreachableError(f"{entry.entry} could not be run on {night}: {seen.not_run}")
                    for metric, value in seen.metrics:
                        values.setdefault(f"{entry.entry}.{metric.name}", []).append(value)
                on_progress((index + 1) / nights)
    return {"first": FIRST.isoformat(), "values": values}


def stored() -> dict[str, Any]:
    """Returns the nights of FILE, which this module's `main` has written."""
    document: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return document


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")


def main() -> None:
    found = simulate(NIGHTS, on_progress=lambda fraction: print(f"{fraction:4.0%}", file=sys.stderr, end="\r"))
    rounded = {name: [_rounded(value) for value in values] for name, values in found["values"].items()}
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(values)}" for name, values in rounded.items())
    FILE.write_text(f'{{\n "first": "{found["first"]}",\n "values": {{\n{lines}\n }}\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
