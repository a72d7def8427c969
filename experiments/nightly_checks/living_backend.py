# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Backend `living`: simulates the world of the night, and returns what a check would see of it, its own flows and the counters of
ports. The check's documents stay the same every night, as a site's do."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from pydantic import model_validator

from ccsim.policy import Profile
from experiments.nightly_checks.world import World, world_at
from tuner.backends.registry import BACKENDS, create_backend
from tuner.document_base.model import DocumentModel, build_model
from tuner.documents.check_kinds import CongestionImpact, Fairness, Sweep
from tuner.documents.fabric_text import fabric_text
from tuner.documents.flow import Flow
from tuner.documents.profile import load_profile, profile_revision
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import build
from tuner.measuring.backend import Capabilities
from tuner.measuring.measurement import Measurement, measure
from tuner.measuring.options import BackendOptions
from tuner.measuring.settings import own_settings

NAME = "living"


class LivingFairness(Fairness):
    """Kind `fairness` on this backend. `socket`: the address of the night's Place."""

    backend: Literal["living"] = "living"  # type: ignore[assignment]

    @model_validator(mode="after")
    def _the_backend_has_what_it_needs(self) -> "LivingFairness":
        return self


class LivingSweep(Sweep):
    """Kind `sweep` on this backend. `socket`: as above."""

    backend: Literal["living"] = "living"  # type: ignore[assignment]

    @model_validator(mode="after")
    def _the_backend_has_what_it_needs(self) -> "LivingSweep":
        return self


class LivingImpact(CongestionImpact):
    """Kind `congestion_impact` on this backend. `socket`: as above."""

    backend: Literal["living"] = "living"  # type: ignore[assignment]

    @model_validator(mode="after")
    def _the_backend_has_what_it_needs(self) -> "LivingImpact":
        return self


class _Settings(DocumentModel):
    socket: str


class LivingBackend:
    name = NAME

    def __init__(self, options: BackendOptions) -> None:
        self._world: World = world_at(own_settings(NAME, options.settings, _Settings).socket)
        self._options = options
        self._built = build(self._world.fabric)
        self._profile: Profile | None = None

    def open(self) -> Capabilities:
        return Capabilities(name=NAME, concurrent=True, deterministic=True)

    def apply(self, profile: Profile) -> str:
        """The devices hold it, but for the world's tables."""
        self._profile = profile
        return profile_revision(profile)

    def measure(
        self,
        workload: Workload,
        *,
        seed: int,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[float], None] = lambda fraction: None,
    ) -> Measurement:
        mine = _late(workload, self._world.late_s).expanded(self._built.hosts)
        flows = mine.flows + self._others(workload)
        whole = mine.model_copy(update={"flows": flows})
        with TemporaryDirectory() as folder:
            path = Path(folder) / "fabric.yaml"
            path.write_text(fabric_text(self._world.fabric), encoding="utf-8")
            devices = create_backend("simulated", BackendOptions(fabric=str(path)))
            devices.open()
            if (profile := self._held) is not None:
                devices.apply(_with(profile, self._world.tables))
            measured = devices.measure(whole, seed=seed, should_stop=should_stop, on_progress=on_progress)
        return self._as_seen(measured, mine)

    @property
    def _held(self) -> Profile | None:
        in_force = self._world.profile
        return self._profile if self._profile is not None or in_force is None else load_profile(in_force, {})

    def _others(self, workload: Workload) -> tuple[Flow, ...]:
        if not self._world.others:
            return ()
        times = {"duration_s": workload.duration_s, "sample_interval_s": workload.sample_interval_s}
        patterns = list(map(dict, self._world.others))
        document = {"ibcc_workload": 1, "name": "others", "fabric": workload.fabric, **times, "patterns": patterns}
        return build_model(Workload, document).expanded(self._built.hosts).flows

    def _as_seen(self, measured: Measurement, mine: Workload) -> Measurement:
        own = {flow.name for flow in mine.flows}
        counters = dict(measured.counters) | {"flows": [row for row in measured.counters["flows"] if row["name"] in own]}
        seen = measure(
            mine,
            measured.gbps[: len(mine.flows)],
            backend=NAME,
            seed=measured.seed,
            fabric=measured.fabric,
            profile="off" if self._held is None else self._held.name,
            counters=counters,
            performance=measured.performance,
        )
        metrics = replace(seen.metrics, round_trip_p99_us=measured.metrics.round_trip_p99_us)
        in_force = None if self._world.profile is None or self._held is None else profile_revision(self._held)
        return replace(seen, metrics=metrics, in_force=in_force)

    def restore(self) -> None:
        self._profile = None

    def close(self) -> None: ...


def _late(workload: Workload, late_s: Mapping[str, float]) -> Workload:
    def shifted(traffic: Any) -> Any:
        return traffic.model_copy(update={"start_s": round(traffic.start_s + late_s.get(traffic.name, 0.0), 9)})

    flows, patterns = tuple(map(shifted, workload.flows)), tuple(map(shifted, workload.patterns))
    return workload.model_copy(update={"flows": flows, "patterns": patterns})


def _with(profile: Profile, tables: tuple[Mapping[str, Any], ...]) -> Profile:
    if not tables:
        return profile
    document = profile.to_dict()
    return Profile.from_dict(document | {"overrides": [*document.get("overrides", []), *map(dict, tables)]})


BACKENDS.add(NAME, LivingBackend)
