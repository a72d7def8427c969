# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kind `congestion_impact`: what a job suffers from others that congest the fabric, as GPCNeT measures it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tuner.checks.gpcnet_output import GpcnetRun, read_output
from tuner.checks.impact_hosts import Parts, parts_of, too_few
from tuner.checks.impact_metrics import CANARIES, IMPACT_METRICS, Figures, values
from tuner.checks.impact_workload import CanaryResult, Recipe, result_of, statistics, workload
from tuner.checks.kind import KINDS, Kind, Night
from tuner.checks.measured import measuring
from tuner.checks.observation import Observation
from tuner.documents.check_kinds import CongestionImpact
from tuner.documents.fabric import load_fabric
from tuner.documents.hosts import HostDirectory
from tuner.documents.profile import load_profile
from tuner.errors import DeadlockError
from tuner.measuring.backend import Backend

_SLOWER = (1, 4, 16)
"""How much more time each ring gets if there was not enough of it."""


def plan(options: CongestionImpact, night: Night) -> str:
    """Raises BadInputError for a fabric or a profile that cannot be read."""
    if options.backend == "gpcnet":
        return f"read what GPCNeT has written to {options.output}, if that is younger than {options.max_age_h:g} h"
    under = "the profile in force" if options.profile is None else f"profile '{load_profile(options.profile, {}).name}'"
    count = len(_hosts(HostDirectory(load_fabric(night.fabric))))
    return f"run GPCNeT's canaries and congestors on {count} hosts of backend '{options.backend}' under {under}"


def observe(options: CongestionImpact, night: Night) -> Observation:
    """The backend restores what it found, whatever happens."""
    if options.backend == "gpcnet":
        return _read(options)
    directory = HostDirectory(load_fabric(night.fabric))
    hosts = _hosts(directory)
    if sentence := too_few(len(hosts), f"fabric '{night.fabric}'"):
        return Observation(not_run=sentence)
    parts = parts_of(hosts, options.seed)
    recipe = Recipe.of(parts, directory, rings=options.rings, host_us=options.host_us, seed=options.seed)
    warnings: list[str] = []
    with measuring(
        options.backend, night, profile=options.profile, socket=options.socket, plugin=options.plugin, warnings=warnings
    ) as backend:
        measured = _Measured(backend, recipe, night)
        try:
            found = {canary: measured.figures(canary) for canary in CANARIES}
        except DeadlockError as error:
            return Observation(not_run="; ".join([str(error), *dict.fromkeys(warnings)]))
    facts = (*_facts(measured, parts, night.seed), *dict.fromkeys(warnings))
    return Observation(metrics=tuple(values(found)), facts=facts)


@dataclass
class _Measured:
    """One run for each canary alone and loaded."""

    backend: Backend
    recipe: Recipe
    night: Night
    profile: str = ""
    fabric: str = ""
    silent: dict[str, int] = field(default_factory=dict)
    _done: int = 0

    def figures(self, canary: str) -> Figures:
        alone, loaded = (statistics(canary, self._result(canary, loaded)) for loaded in (False, True))
        return Figures(isolated=alone, loaded=loaded)

    def _result(self, canary: str, loaded: bool) -> CanaryResult:
        for factor in _SLOWER:
            recipe = self.recipe.slower(factor)
            run = workload(recipe, canary, fabric=self.night.fabric, loaded=loaded)
            measurement = self.backend.measure(run, seed=self.night.seed, on_progress=self._progress())
            if "deadlock" in measurement.counters:
                raise DeadlockError(f"workload '{run.name}' ended in a deadlock, so its figures say nothing")
            result = result_of(recipe, canary, measurement)
            if not result.silent:
                break
        if result.silent:
            self.silent[run.name] = result.silent
        self.profile, self.fabric = measurement.profile, measurement.fabric
        self._done += 1
        return result

    def _progress(self) -> Callable[[float], None]:
        before = self._done
        return lambda fraction: self.night.on_progress((before + fraction) / (2 * len(CANARIES)))


def _facts(measured: _Measured, parts: Parts, seed: int) -> tuple[str, ...]:
    recipe = measured.recipe
    congestors = sum(map(len, parts.congestors.values()))
    return (
        f"profile '{measured.profile}' on fabric '{measured.fabric}', seed {seed}",
        f"GPCNeT's recipe on {len(parts.canaries)} canaries and {congestors} congestors, with one rank a host, "
        f"{recipe.rings} random rings (GPCNeT: 30), and {recipe.host_us:g} µs of a host's time from a message to the next",
        *(
            f"{run}: {count} times, a host finished no exchange in a ring's time, which counts instead; the factor is larger"
            for run, count in measured.silent.items()
        ),
    )


def _read(options: CongestionImpact) -> Observation:
    run = read_output(options.output or "", max_age_h=options.max_age_h, now=datetime.now(UTC))
    return Observation(metrics=tuple(values(run.figures)), facts=_told(run))


def _told(run: GpcnetRun) -> tuple[str, ...]:
    return (
        f"GPCNeT {run.version} with {run.ranks} ranks on {run.hosts} hosts, {run.canaries} of them canaries, "
        f"written at {run.written:%Y-%m-%d %H:%M} UTC",
        "factors are of figures with one decimal, as GPCNeT prints them",
    )


def _hosts(directory: HostDirectory) -> list[str]:
    return [directory.reference(endport) for endport in directory.endports if endport.kind == "host"]


KINDS.add("congestion_impact", Kind(options=CongestionImpact, metrics=IMPACT_METRICS, plan=plan, observe=observe))
