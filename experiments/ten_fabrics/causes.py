# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Why contributors lose where they lose: the same traffic without what is suspected; and whether the runs are long enough."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from ccsim.policy import Profile
from experiments._common.findings import Table
from experiments._common.runs import Run, read_all
from experiments.ten_fabrics.compare import FIRST_SEED, HOME, OFF, TOLD, Compared
from experiments.ten_fabrics.ground import DEVICES, Ground
from experiments.ten_fabrics.searches import SEARCH_PLACES
from experiments.ten_fabrics.traffic import Incast
from tuner.documents.profile import load_profile
from tuner.measuring.measurement import Measurement
from tuner.suggest import suggest
from tuner.suggest.devices import DEVICE_MODELS

SEEDS = range(FIRST_SEED, FIRST_SEED + 3)
LONGER = 4.0
"""Factor for the length of runs."""
BURSTS = (None, 1, 10, 30)
"""Factors for the lengths of bursts and pauses; None: no pauses."""
TIMER = "ca.ccti_timer"


@dataclass(frozen=True, kw_only=True)
class Got:
    """Payload in Gb/s."""

    victims: float
    """Mean of a victim flow."""
    contributors: tuple[float, ...]
    """The contributors of each hotspot. The hotspot with the most contributors comes first."""

    @classmethod
    def of(cls, measurement: Measurement) -> "Got":
        flows = [flow for flow in measurement.flows if flow.role == "contributor"]
        hotspots = [host for host, _ in Counter(flow.dst for flow in flows).most_common()]
        assert measurement.metrics.victim_throughput_gbps is not None
        return cls(
            victims=measurement.metrics.victim_throughput_gbps,
            contributors=tuple(sum(flow.mean_gbps for flow in flows if flow.dst == host) for host in hotspots),
        )


class Key(NamedTuple):
    row: str
    profile: str
    seed: int


def tables(compared: Sequence[Compared], folder: Path, *, workers: int | None) -> list[Table]:
    found: list[Table] = []
    for comparison in compared:
        traffic = comparison.ground.traffic
        if isinstance(traffic, Incast) and traffic.bursts is not None:
            found.append(bursts(comparison, traffic, folder, workers=workers))
        if isinstance(traffic, Incast) and len(traffic.shapes) > 1:
            found.append(hotspots(comparison, traffic, workers=workers))
    return [*found, longer(compared, workers=workers)]


def bursts(one: Compared, traffic: Incast, folder: Path, *, workers: int | None) -> Table:
    """Returns what contributors keep without pauses and with longer ones, also under a profile for the mean number of them."""
    assert traffic.bursts is not None
    on, off = traffic.bursts
    active = round(traffic.contributors * on / (on + off))
    of_active = suggest(one.ground.built, contributors=active, variants=[DEVICE_MODELS[DEVICES]]).profile
    profiles = {**_profiles(one), f"{TOLD}, for {active}": of_active}
    runs: dict[Key, Run] = {}
    for times in BURSTS:
        changed = replace(traffic, bursts=None if times is None else (times * on, times * off))
        row = "none" if times is None else f"{times * on:g} and {times * off:g}"
        ground = Ground(replace(one.ground.bed, traffic=changed), folder / f"{one.ground.name}-bursts")
        runs |= _runs(row, ground, profiles, SEEDS, times=max(1.0, (times or 1) / 10))
    read = read_all(runs, Got.of, workers=workers)
    rows = list(dict.fromkeys(key.row for key in runs))
    shown = [name for name in profiles if name != OFF]
    return Table(
        title=f"{one.ground.name}: contributors, % of CC off, by the lengths of bursts and pauses in packets of a fair share",
        columns=["bursts and pauses", *shown],
        rows=[[row, *(_percent(_total(read, row, name) / _total(read, row, OFF)) for name in shown)] for row in rows],
    )


def hotspots(one: Compared, traffic: Incast, *, workers: int | None) -> Table:
    """Returns what contributors of each hotspot keep, also with a CCTI_Timer that is lower by one and by two."""
    profiles = _profiles(one)
    timer = one.suggestions[TOLD].values.ccti_timer
    for lower in range(max(1, timer - 2), timer):
        profiles[f"{TOLD}, CCTI_Timer {lower}"] = profiles[TOLD].with_settings({TIMER: lower})
    read = read_all(_runs("", one.ground, profiles, SEEDS), Got.of, workers=workers)
    best_gbps = one.cells[one.best, HOME].victims_gbps()

    def row(name: str) -> list[str]:
        mine, off = ([read[Key("", which, seed)] for seed in SEEDS] for which in (name, OFF))
        kept = [
            fmean(got.contributors[i] for got in mine) / fmean(got.contributors[i] for got in off)
            for i in range(len(traffic.shapes))
        ]
        together = _total(read, "", name) / _total(read, "", OFF)
        return [name, _percent(fmean(got.victims for got in mine) / best_gbps), *map(_percent, [*kept, together])]

    sizes = sorted((shape.contributors for shape in traffic.shapes), reverse=True)
    return Table(
        title=f"{one.ground.name}: victims, % of the best, and contributors by hotspot, % of CC off",
        columns=["profile", "victims", *(f"contributors, {size} to a hotspot" for size in sizes), "all contributors"],
        rows=[row(name) for name in profiles if name != OFF],
    )


def longer(compared: Sequence[Compared], *, workers: int | None) -> Table:
    """Victims and contributors in longer runs, of one seed."""
    runs: dict[Key, Run] = {}
    for comparison in compared:
        profiles = {**_profiles(comparison), "the campaign's best": comparison.cells[comparison.best, HOME].profile}
        runs |= _runs(comparison.ground.name, comparison.ground, profiles, [FIRST_SEED], times=LONGER)
    read = read_all(runs, Got.of, workers=workers)
    shown = list(dict.fromkeys(key.profile for key in runs if key.profile != OFF))

    def cell(one: Compared, name: str) -> str:
        row = one.ground.name
        victims = read[Key(row, name, FIRST_SEED)].victims / one.cells[one.best, HOME].victims_gbps()
        return f"{_percent(victims)} / {_percent(_total(read, row, name) / _total(read, row, OFF))}"

    return Table(
        title=f"Runs of {LONGER:g} times the length: victims, % of the best, / contributors, % of CC off",
        columns=["fabric", *shown],
        rows=[[one.ground.name, *(cell(one, name) for name in shown)] for one in compared],
    )


def _profiles(one: Compared) -> dict[str, Profile]:
    return {OFF: load_profile(OFF), **{name: suggestion.profile for name, suggestion in one.suggestions.items()}}


def _runs(
    row: str, ground: Ground, profiles: Mapping[str, Profile], seeds: Sequence[int], *, times: float = 1.0
) -> dict[Key, Run]:
    workload = ground.workload(SEARCH_PLACES, times=times)
    return {
        Key(row, name, seed): Run(workload=workload, profile=profile, model=ground.devices(), seed=seed)
        for name, profile in profiles.items()
        for seed in seeds
    }


def _total(read: Mapping[Key, Got], row: str, profile: str) -> float:
    """All contributors together, mean over the seeds."""
    return fmean(sum(got.contributors) for key, got in read.items() if (key.row, key.profile) == (row, profile))


def _percent(part: float) -> str:
    return f"{100 * part:.1f}"
