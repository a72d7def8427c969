# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A recommendation taken apart: all that is measured after the searches."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

from experiments._common.runs import Run
from experiments.registry import Options
from experiments.scenario_1_campaign import ablation, devices
from experiments.scenario_1_campaign.bed import EXPERT, FEW_SEEDS, SEEDS, held
from experiments.scenario_1_campaign.claims import DECISIVE, UNSPACED_CNPS
from experiments.scenario_1_campaign.replicated import Replicated, replicate
from experiments.scenario_1_campaign.ripple import Ripple, ripple
from tuner.documents.parameter import Scalar

QUICK_SCALE = 0.25
QUICK_TIMERS = (40, 150)
QUICK_DEVICES = (devices.CALIBRATED, devices.ACKS_16)
Key = TypeVar("Key", bound=Hashable)

HELD = "sources held to their share"


class Apart:
    """`recommended`: by name their values of the space; the first one is taken apart."""

    def __init__(self, recommended: Mapping[str, Mapping[str, Scalar]], options: Options) -> None:
        found = next(iter(recommended.values()))
        quick, workers, told = options.quick, options.workers, options.on_progress
        seeds, few = (FEW_SEEDS[:2], FEW_SEEDS[:2]) if quick else (SEEDS, FEW_SEEDS)
        scale = QUICK_SCALE if quick else 1.0

        def measured(runs: Mapping[Key, Run], seeds: Sequence[int], begin: float, end: float) -> dict[Key, Replicated]:
            return replicate(runs, seeds, time_scale=scale, workers=workers, on_progress=part(told, begin, end))

        self.rows: dict[str, Replicated] = measured(ablation.rows(found) | {HELD: held()}, seeds, 0.75, 0.84)
        self.finer: dict[str, Replicated] = measured(ablation.finer(recommended), seeds, 0.84, 0.86)
        timers = ablation.timers(ccti_timers=QUICK_TIMERS if quick else ablation.TIMERS)
        self.timers: dict[tuple[int, int], Replicated] = measured(timers, few, 0.86, 0.91)
        chosen = QUICK_DEVICES if quick else tuple(devices.DEVICES)
        on_devices = measured(devices.runs_off(chosen), few[:1], 0.91, 0.92)
        on_devices |= measured(devices.runs(found, chosen), few, 0.92, 0.98)
        self.survivals = {device: devices.survival(on_devices, device) for device in chosen}
        unspaced = devices.DEVICES[devices.EVERY_MARK]
        traced: dict[str, tuple[Mapping[str, Scalar], Mapping[str, Any]]] = {EXPERT: ({}, {})}
        traced |= {ablation.one_field(EXPERT, field, found[field]): ({field: found[field]}, {}) for field in DECISIVE}
        traced |= {ablation.FOUND: (found, {}), UNSPACED_CNPS: ({}, unspaced)}
        self.ripples: dict[str, list[Ripple]] = {
            name: [ripple(values, seed=seed, model=model, time_scale=scale) for seed in few]
            for name, (values, model) in traced.items()
        }
        told(1.0)


def part(told: Callable[[float], None], begin: float, end: float) -> Callable[[float], None]:
    """For a part of the experiment that is from `begin` to `end` of the whole."""
    return lambda fraction: told(begin + (end - begin) * fraction)
