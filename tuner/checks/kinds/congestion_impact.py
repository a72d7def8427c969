# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kind `congestion_impact`: what a job suffers from others that congest the fabric, as GPCNeT measures it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tuner.checks.hosts.need import HostNeed
from tuner.checks.impact import on_hosts
from tuner.checks.impact.gpcnet_output import GpcnetRun, read_output
from tuner.checks.impact.hosts import LEAST_HOSTS, Parts, parts_of, too_few
from tuner.checks.impact.metrics import CANARIES, IMPACT_METRICS, Figures, values
from tuner.checks.impact.on_hosts import HostRecipe
from tuner.checks.impact.workload import CanaryResult, Recipe, result_of, statistics, workload
from tuner.checks.kind import KINDS, Kind, Night
from tuner.checks.measured import AROUND_S, Measure, about, held_nowhere, hosts_off, measuring
from tuner.checks.observation import Observation
from tuner.documents.check_kinds import CongestionImpact
from tuner.documents.fabric import load_fabric
from tuner.documents.hosts import HostDirectory
from tuner.documents.profile import load_profile
from tuner.errors import DeadlockError
from tuner.fabric.built_fabric import build
from tuner.measuring.measurement import Measurement
from tuner.opensm.device_states import first_names

SCHEMA = 1
_SLOWER = (1, 4, 16)
"""Factor by which each ring gets more time if there was not enough of it."""


def plan(options: CongestionImpact, night: Night) -> str:
    """Raises BadInputError for a fabric or a profile that cannot be read."""
    if options.backend == "gpcnet":
        return f"read what GPCNeT has written to {options.output}, if that is younger than {options.max_age_h:g} h"
    if options.backend == "cluster":
        return f"run GPCNeT's rings, incast and broadcast on hosts for {_seconds(options):.0f} s under the profile in force"
    under = "the profile in force" if options.profile is None else f"profile '{load_profile(options.profile, {}).name}'"
    count = len(_hosts(HostDirectory(load_fabric(night.fabric))))
    return f"run GPCNeT's canaries and congestors on {count} hosts of backend '{options.backend}' under {under}"


def hosts(options: CongestionImpact, night: Night) -> HostNeed | None:
    return HostNeed(least=LEAST_HOSTS, seconds=_seconds(options)) if options.backend == "cluster" else None


def observe(options: CongestionImpact, night: Night) -> Observation:
    """The backend restores what it found, whatever happens."""
    if options.backend == "gpcnet":
        return _read(options)
    return _simulated(options, night) if night.hosts is None else _on_hosts(options, night)


def _simulated(options: CongestionImpact, night: Night) -> Observation:
    document = load_fabric(night.fabric)
    directory = HostDirectory(document)
    warnings: list[str] = []
    with measuring(options, night, warnings) as measure:
        off = hosts_off(options, directory)
        there = [one for one in _hosts(directory) if one not in off]
        if sentence := too_few(len(there), f"fabric '{night.fabric}'"):
            return Observation(not_run=sentence)
        # Roles stay what they were where hosts were added, removed or are off: nights would not be comparable.
        hosts: Sequence[str] = there if night.latest is None else night.latest.record["hosts"]
        parts = parts_of(hosts, options.seed, there=set(there))
        if not parts.are_enough:
            hosts, parts = there, parts_of(there, options.seed)
        recipe = Recipe.of(parts, directory, rings=options.rings, host_us=options.host_us, seed=options.seed)
        runs = _Runs(measure, recipe, night)
        try:
            found = {canary: runs.figures(canary) for canary in CANARIES}
        except DeadlockError as error:
            return Observation(not_run="; ".join([str(error), *dict.fromkeys(warnings)]))
    facts = (
        runs.about,
        *([f"hosts that are gone or off: {first_names(gone)}"] if (gone := [one for one in hosts if one not in there]) else []),
        f"GPCNeT's recipe on {_counts(parts)}, with one rank a host, {recipe.rings} random rings (GPCNeT: 30), and "
        f"{recipe.host_us:g} µs of a host's time from a message to the next",
        *(
            f"{run}: {count} times, a host finished no exchange in a ring's time, which counts instead; the factor is larger"
            for run, count in runs.silent.items()
        ),
    )
    regime = None if options.profile is not None else runs.in_force
    record = {"impact": SCHEMA, "hosts": list(hosts)}
    return Observation(
        metrics=tuple(values(found)),
        findings=held_nowhere(options, build(document)),
        facts=(*facts, *dict.fromkeys(warnings)),
        regime=regime,
        record=record,
    )


def _on_hosts(options: CongestionImpact, night: Night) -> Observation:
    assert night.hosts is not None
    hosts = [host.host for host in night.hosts.inventory.by_node.values()]
    if sentence := too_few(len(hosts), f"inventory '{night.hosts.inventory.name}'"):
        return Observation(not_run=sentence)
    recipe = HostRecipe.of(hosts, rings=options.rings, seed=options.seed)
    warnings: list[str] = []
    found: dict[str, Figures] = {}
    with measuring(options, night, warnings) as measure:
        for place, canary in enumerate(on_hosts.CANARIES):
            averages = []
            for turn, loaded in enumerate((False, True)):
                run = on_hosts.workload(recipe, canary, fabric=night.fabric, loaded=loaded)
                measurement = measure(run, _part(night, 2 * place + turn, 2 * len(on_hosts.CANARIES)))
                averages.append({"average": on_hosts.average_of(canary, measurement)})
            found[canary] = Figures(isolated=averages[0], loaded=averages[1])
    facts = (
        about(measurement, night),
        f"GPCNeT's rings, incast and broadcast on {_counts(recipe.parts)}, with {len(recipe.rings)} random rings (GPCNeT: 30)",
        *on_hosts.LEFT_OUT,
    )
    regime = None if options.profile is not None else measurement.in_force
    return Observation(metrics=tuple(values(found)), facts=(*facts, *dict.fromkeys(warnings)), regime=regime)


@dataclass
class _Runs:
    """One run for each canary alone and loaded."""

    measure: Measure
    recipe: Recipe
    night: Night
    about: str = ""
    in_force: str | None = None
    silent: dict[str, int] = field(default_factory=dict)
    _done: int = 0

    def figures(self, canary: str) -> Figures:
        alone, loaded = (statistics(canary, self._result(canary, loaded)) for loaded in (False, True))
        return Figures(isolated=alone, loaded=loaded)

    def _result(self, canary: str, loaded: bool) -> CanaryResult:
        for factor in _SLOWER:
            recipe = self.recipe.slower(factor)
            run = workload(recipe, canary, fabric=self.night.fabric, loaded=loaded)
            measurement = self.measure(run, _part(self.night, self._done, 2 * len(CANARIES)))
            self._require_progress(run.name, measurement)
            result = result_of(recipe, canary, measurement)
            if not result.silent:
                break
        if result.silent:
            self.silent[run.name] = result.silent
        self.about, self.in_force = about(measurement, self.night), measurement.in_force
        self._done += 1
        return result

    def _require_progress(self, name: str, measurement: Measurement) -> None:
        if "deadlock" in measurement.counters:
            raise DeadlockError(f"workload '{name}' ended in a deadlock, so its figures say nothing")


def _read(options: CongestionImpact) -> Observation:
    run = read_output(options.output or "", max_age_h=options.max_age_h, now=datetime.now(UTC))
    return Observation(metrics=tuple(values(run.figures)), facts=_told(run))


def _told(run: GpcnetRun) -> tuple[str, ...]:
    return (
        f"GPCNeT {run.version} with {run.ranks} ranks on {run.hosts} hosts, {run.canaries} of them canaries, "
        f"written at {run.written:%Y-%m-%d %H:%M} UTC",
        "factors are of figures with one decimal, as GPCNeT prints them",
        *run.left_out,
    )


def _part(night: Night, before: int, all_runs: int) -> Callable[[float], None]:
    """Progress of one of several runs."""
    return lambda fraction: night.on_progress((before + fraction) / all_runs)


def _counts(parts: Parts) -> str:
    return f"{len(parts.canaries)} canaries and {sum(map(len, parts.congestors.values()))} congestors"


def _seconds(options: CongestionImpact) -> float:
    runs = 2 * len(on_hosts.CANARIES)
    return runs * (on_hosts.duration_s(options.rings) + AROUND_S)


def _hosts(directory: HostDirectory) -> Sequence[str]:
    return [directory.reference(endport) for endport in directory.endports if endport.kind == "host"]


KINDS.add("congestion_impact", Kind(options=CongestionImpact, metrics=IMPACT_METRICS, plan=plan, observe=observe, hosts=hosts))
