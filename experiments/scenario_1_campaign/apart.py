# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""All that is measured of the recommendations after the searches."""

from collections.abc import Callable, Mapping

from experiments.registry import Options
from experiments.scenario_1_campaign import ablation, devices
from experiments.scenario_1_campaign.bed import EXPERT, FEW_SEEDS, SEEDS, held
from experiments.scenario_1_campaign.claims import UNSPACED_CNPS
from experiments.scenario_1_campaign.replicated import Replicated, replicate
from experiments.scenario_1_campaign.ripple import Ripple, ripple
from tuner.documents.parameter import Scalar

QUICK_TIMERS = (40, 150)
QUICK_DEVICES = (devices.CALIBRATED, devices.ACKS_16)
HELD = "sources held to their share"


class Apart:
    """What is measured of the recommendations; `found` is the one that is taken apart."""

    def __init__(self, found: Mapping[str, Scalar], every: Mapping[str, Mapping[str, Scalar]], options: Options) -> None:
        quick, workers, told = options.quick, options.workers, options.on_progress
        seeds, few = (FEW_SEEDS[:3], FEW_SEEDS[:2]) if quick else (SEEDS, FEW_SEEDS)
        self.rows: dict[str, Replicated] = replicate(
            ablation.rows(found) | {HELD: held()}, seeds, workers=workers, on_progress=part(told, 0.75, 0.82)
        )
        self.timers: dict[tuple[int, int], Replicated] = replicate(
            ablation.timers(ccti_timers=QUICK_TIMERS if quick else ablation.TIMERS),
            few,
            workers=workers,
            on_progress=part(told, 0.82, 0.88),
        )
        chosen = QUICK_DEVICES if quick else tuple(devices.DEVICES)
        nothing = replicate(devices.runs_off(chosen), few[:1], workers=workers, on_progress=part(told, 0.88, 0.89))
        each = replicate(devices.runs(every, chosen), few, workers=workers, on_progress=part(told, 0.89, 0.98))
        measured = nothing | each
        self.survivals = {device: {name: devices.survival(measured, device, name) for name in every} for device in chosen}
        unspaced = devices.DEVICES[devices.EVERY_MARK]
        self.ripples: dict[str, list[Ripple]] = {
            name: [ripple(values, seed=seed, model=model) for seed in few]
            for name, values, model in ((EXPERT, {}, {}), (ablation.FOUND, found, {}), (UNSPACED_CNPS, {}, unspaced))
        }
        told(1.0)


def part(told: Callable[[float], None], begin: float, end: float) -> Callable[[float], None]:
    """For a part of the experiment that is from `begin` to `end` of the whole."""
    return lambda fraction: told(begin + (end - begin) * fraction)
