# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Says whether the runs of a search are shorter than contributors need to settle under the profile that it recommends.

Congestion control has the same timers whatever the length of a run. Where contributors have not settled when it ends, its figures
are those of the start, and another profile may be the best in longer runs.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ccsim.policy import Profile
from tuner.campaign.setup import Setup
from tuner.campaign.setup_checks import SIMULATED
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.suggest.ground import ground_of
from tuner.suggest.incast_traffic import SETTLED
from tuner.suggest.settling import settles_s


def short_runs(setup: Setup, profile: Profile) -> dict[str, Any] | None:
    """Returns `{workload, needs_s, lasts_s, time_scale, sentence}` of the workload or scenario whose runs are the most too short;
    None where all are long enough, where a forecast cannot say, or where devices are not simulated, which nobody knows so well.

    `needs_s`: time to settle by forecast; `lasts_s`: how long all contributors send together in a run, in seconds; `time_scale`:
    one that makes that SETTLED times as long as `needs_s`.
    """
    if setup.campaign.backend != SIMULATED:
        return None
    worst: tuple[float, str, float, float] | None = None
    for workload, model in _measured(setup):
        built, scaled = setup.built[workload.fabric], workload.scaled(setup.campaign.time_scale)
        try:
            ground = ground_of([(built, workload)], model)
        except BadInputError:
            continue
        needs_s = None if ground is None else settles_s(profile, ground)
        start, stop = scaled.expanded(built.hosts).window()
        lasts_s = stop - start + scaled.warmup_s
        if needs_s is not None and needs_s > lasts_s and (worst is None or needs_s / lasts_s > worst[0]):
            worst = needs_s / lasts_s, workload.name, needs_s, lasts_s
    if worst is None:
        return None
    ratio, name, needs_s, lasts_s = worst
    time_scale = _rounded_up(SETTLED * ratio * setup.campaign.time_scale)
    sentence = (
        f"It may not hold in longer runs: by forecast contributors need {1e3 * needs_s:.3g} ms to settle under it in '{name}', "
        f"and send together for {1e3 * lasts_s:.3g} ms of a run; --time-scale {time_scale:g} is long enough"
    )
    return {"workload": name, "needs_s": needs_s, "lasts_s": lasts_s, "time_scale": time_scale, "sentence": sentence}


def _measured(setup: Setup) -> Iterator[tuple[Workload, Mapping[str, Any]]]:
    """Yields what runs at the length of the search, with settings of the devices."""
    if not setup.searches_scenarios:
        yield from ((workload, setup.backend_settings) for workload in setup.workloads)
    yield from ((scenario.workload, {**setup.backend_settings, **scenario.model}) for scenario in setup.scenarios)


def _rounded_up(value: float) -> float:
    """Returns it with two digits."""
    unit: float = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / unit - 1e-9) * unit:.6g}")
