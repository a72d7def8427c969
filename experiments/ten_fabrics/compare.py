# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Suggested profiles beside the best of a campaign, in pairs: all profiles of a bed are measured with the same seeds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from ccsim.policy import Profile
from experiments._common.runs import Run, read_all
from experiments.ten_fabrics.ground import DEVICES, OTHER_DEVICES, Ground
from experiments.ten_fabrics.searches import PUBLISHED, SEARCH_PLACES, Found, published, to_three_digits
from tuner.campaign.replicates import Estimate, jackknife
from tuner.documents.profile import load_profile
from tuner.goals.metrics import Metrics
from tuner.suggest import Suggestion, suggest
from tuner.suggest.devices import DEVICE_MODELS

HELD = 0.95
"""Part of the best's victims' throughput, and of the contributors' total without CC, that a suggested profile is to keep."""
FIRST_SEED = 101
"""The first seed of the comparison. No campaign has measured with it."""
DEVICE_REPLICATES = 3
"""The greatest number of seeds on other devices."""
OFF, SUGGESTED, TOLD = "off", "suggested", "suggested, devices told"
OTHER_HOSTS = "other hosts"


class Where(NamedTuple):
    """Conditions of a measurement."""

    devices: str = DEVICES
    other_hosts: bool = False
    """Hosts that no campaign has measured, drawn anew for each replicate."""

    def __str__(self) -> str:
        return OTHER_HOSTS if self.other_hosts else self.devices


HOME, ELSEWHERE = Where(), Where(other_hosts=True)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One profile under one set of conditions; a replicate for each seed."""

    profile: Profile
    metrics: Sequence[Metrics]

    def victims_gbps(self, chosen: Sequence[int] | None = None) -> float:
        """Mean of a victim flow, over the chosen replicates or all."""
        return self._mean("victim_throughput_gbps", chosen)

    def contributors_gbps(self, chosen: Sequence[int] | None = None) -> float:
        """All contributors together."""
        return self._mean("contributor_total_gbps", chosen)

    def _mean(self, field: str, chosen: Sequence[int] | None) -> float:
        return fmean(getattr(self.metrics[i], field) for i in (range(len(self.metrics)) if chosen is None else chosen))


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One bed."""

    found: Found
    suggestions: Mapping[str, Suggestion]
    """SUGGESTED and TOLD, for the devices that the campaign measured."""
    cells: Mapping[tuple[str, Where], Cell]
    """Measurements by the profile's name and the conditions."""
    best: str
    """Name of the campaign's best profile; OFF if no trial kept the constraint."""

    @property
    def ground(self) -> Ground:
        return self.found.ground

    def judged(self, name: str, where: Where = HOME) -> dict[str, Estimate]:
        """`victims`: what they get, of what they get at home under the campaign's best. `contributors`: what they get together,
        of what they get there without CC. `contributors_of_best`: of what they get there under the best. In pairs of
        replicates."""
        mine, off = self.cells[name, where], self.cells[OFF, where]
        best, home = self.cells[self.best, where], self.cells[self.best, HOME]

        def figures(chosen: Sequence[int]) -> dict[str, float]:
            total_gbps = mine.contributors_gbps(chosen)
            return {
                "victims": mine.victims_gbps(chosen) / home.victims_gbps(chosen),
                "contributors": total_gbps / off.contributors_gbps(chosen),
                "contributors_of_best": total_gbps / best.contributors_gbps(chosen),
            }

        return jackknife(range(len(mine.metrics)), figures)

    def keeps(self, name: str, where: Where = HOME) -> bool:
        """True if victims and contributors have HELD or more."""
        judged = self.judged(name, where)
        return min(judged["victims"].value, judged["contributors"].value) >= HELD


def compare(
    found: Sequence[Found],
    *,
    replicates: int,
    workers: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> list[Compared]:
    """Measures suggested profiles, published ones and the campaigns' finalists, at first under the conditions of the campaigns;
    then suggested profiles and the best on other hosts and, with fewer replicates, on other devices."""
    suggestions = {one.ground.name: {SUGGESTED: _suggest(one.ground, None), TOLD: _suggest(one.ground, DEVICES)} for one in found}
    home: dict[tuple[str, Where, Ground], Profile] = {}
    for comparison in found:
        profiles = {
            OFF: load_profile(OFF),
            **{name: published(name, comparison.ground) for name in PUBLISHED},
            **comparison.finalists(),
        }
        profiles |= {name: suggestion.profile for name, suggestion in suggestions[comparison.ground.name].items()}
        home |= {(name, HOME, comparison.ground): profile for name, profile in profiles.items()}
    cells = _measure(home, replicates, workers, lambda fraction: on_progress(fraction / 2))
    best = {one.ground.name: _best(one, cells) for one in found}
    away: dict[tuple[str, Where, Ground], Profile] = {}
    for comparison in found:
        ground = comparison.ground
        for where in (ELSEWHERE, *(Where(devices=kind) for kind in OTHER_DEVICES)):
            told = _suggest(ground, where.devices).profile
            profiles = {SUGGESTED: home[SUGGESTED, HOME, ground], TOLD: told, OFF: load_profile(OFF)}
            profiles[best[ground.name]] = home[best[ground.name], HOME, ground]
            away |= {(name, where, ground): profile for name, profile in profiles.items()}
    cells |= _measure(away, replicates, workers, lambda fraction: on_progress((1 + fraction) / 2))
    return [
        Compared(
            found=comparison,
            suggestions=suggestions[comparison.ground.name],
            cells={(name, where): cell for (name, where, ground), cell in cells.items() if ground is comparison.ground},
            best=best[comparison.ground.name],
        )
        for comparison in found
    ]


def _suggest(ground: Ground, devices: str | None) -> Suggestion:
    """The profile as `ibcc profile suggest --fabric … --workload …` suggests it, and with `--devices` if devices are given."""
    kinds = DEVICE_MODELS.values() if devices is None else [DEVICE_MODELS[devices]]
    return suggest(ground.built, workload=ground.workload(SEARCH_PLACES), variants=list(kinds))


def _measure(
    wanted: Mapping[tuple[str, Where, Ground], Profile],
    replicates: int,
    workers: int | None,
    on_progress: Callable[[float], None],
) -> dict[tuple[str, Where, Ground], Cell]:
    def seeds(where: Where) -> range:
        count = replicates if where.devices == DEVICES else min(replicates, DEVICE_REPLICATES)
        return range(FIRST_SEED, FIRST_SEED + count)

    runs = {
        (key, seed): Run(
            workload=ground.workload(seed if where.other_hosts else SEARCH_PLACES, devices=where.devices),
            profile=profile,
            model=ground.devices(where.devices),
            seed=seed,
        )
        for key, profile in wanted.items()
        for _, where, ground in [key]
        for seed in seeds(where)
    }
    read = read_all(runs, lambda measurement: measurement.metrics, workers=workers, on_progress=on_progress)
    return {key: Cell(profile=profile, metrics=[read[key, seed] for seed in seeds(key[1])]) for key, profile in wanted.items()}


def _best(one: Found, cells: Mapping[tuple[str, Where, Ground], Cell]) -> str:
    """Picks the finalist with the most victims' throughput among those that keep the contributors' total here too.

    The contributors' total decides between equals. Returns OFF if there is none."""
    off_gbps = cells[OFF, HOME, one.ground].contributors_gbps()
    finalists = {name: cells[name, HOME, one.ground] for name in one.finalists()}
    kept = {name: cell for name, cell in finalists.items() if cell.contributors_gbps() >= HELD * off_gbps}
    return max(kept, key=lambda name: (to_three_digits(kept[name].victims_gbps()), kept[name].contributors_gbps()), default=OFF)
