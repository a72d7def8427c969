# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An incast on the fabric itself, with victims that share links with it: what a suggested profile does there."""

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import ccsim
from ccsim.policy import PACKET_OVERHEAD_BYTES, Profile
from tuner.document_base.model import build_model
from tuner.documents.device_model import device_model, nested
from tuner.documents.hosts import Endport
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.simulation.flows import simulated_flows
from tuner.simulation.measurement import simulated_measurement
from tuner.suggest.receivers import paths
from tuner.suggest.suggestion import Suggestion

HEADROOM, VICTIMS, ATTEMPTS, TRIES = 0.9, 8, 400, 20
VICTIM_ASKS = 0.3
"""Rate that each victim asks for, of what its receiver takes."""
WINDOW_GAPS, SAMPLES = 500, 20
LEAST_WARM_UP_GAPS, SETTLED = 1000, 1.5
"""A run warms up for that many packets of each contributor, which empties the buffers on the way, or for that many times what
contributors need to settle, if that is longer."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One incast under a profile."""

    contributors: int
    victims: float | None
    """What victims get of what they ask for; None if none could be placed."""
    total: float
    """What contributors get together, of what the receiver takes."""
    victims_without: float | None
    """The same without congestion control."""
    total_without: float

    @property
    def kept(self) -> float:
        """What contributors keep of their total without congestion control."""
        return self.total / self.total_without

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class Incasts:
    """Draws and measures incasts on one fabric."""

    def __init__(self, built: BuiltFabric, suggestion: Suggestion, *, seed: int = 1) -> None:
        """Contributors send to a receiver that takes as much as the suggestion is made for."""
        self._built, self._suggestion, self._seed = built, suggestion, seed
        document = built.document
        share = document.mtu_bytes / (document.mtu_bytes + PACKET_OVERHEAD_BYTES)
        self._carries = {
            (end.node, end.port): ccsim.link_data_gbps(link.rate) * share for link, *ends in document.ends() for end in ends
        }
        self._paths = paths(built)
        near = suggestion.receive_gbps
        self._targets = [one for one, path in self._paths.items() if math.isclose(path.receive_gbps, near, rel_tol=1e-6)]
        self._without: dict[int, tuple[float | None, float]] = {}
        """Victims and total without congestion control, which hardly depend on the devices."""
        if not self._targets:  # the suggestion is for a link between switches
            self._targets = list(self._paths)

    def measure(
        self,
        contributors: int,
        model: Mapping[str, Any],
        *,
        settles_ms: float,
        on_progress: Callable[[float], None] = lambda fraction: None,
    ) -> Measured:
        """Measures an incast without congestion control and under the suggested profile, with devices of these settings.

        Raises BadInputError if the fabric has no routes for so many contributors.
        """
        workload = self._workload(contributors, settles_ms)
        if contributors not in self._without:
            self._without[contributors] = self._run(workload, None, model, lambda done: on_progress(done / 2))
        victims_without, total_without = self._without[contributors]
        victims, total = self._run(workload, self._suggestion.profile, model, lambda done: on_progress((1 + done) / 2))
        return Measured(
            contributors=contributors,
            victims=victims,
            total=total,
            victims_without=victims_without,
            total_without=total_without,
        )

    def _run(
        self, workload: Workload, profile: Profile | None, model: Mapping[str, Any], on_progress: Callable[[float], None]
    ) -> tuple[float | None, float]:
        built = self._built

        def progress(simulated_s: float) -> bool:
            on_progress(min(1.0, simulated_s / workload.duration_s))
            return True

        simulation = ccsim.Simulation(
            built.fabric,
            simulated_flows(built, workload),
            tables=None if profile is None else profile.resolve(built.fabric),
            model=device_model(built.document.model, nested(model), mtu_bytes=built.document.mtu_bytes),
            seed=self._seed,
            duration_s=workload.duration_s,
            sample_interval_s=workload.sample_interval_s,
            judged_s=workload.window(),
        )
        measured = simulated_measurement(
            built, workload, simulation.run(progress), backend="simulated", seed=self._seed, profile="suggested"
        )
        asked = {flow.name: flow.rate_gbps for flow in workload.flows}
        victims = [flow.mean_gbps / (asked[flow.name] or math.inf) for flow in measured.flows if flow.role == "victim"]
        total = sum(flow.mean_gbps for flow in measured.flows if flow.role == "contributor")
        target = self._paths[built.hosts.find(workload.flows[0].dst)]
        return (sum(victims) / len(victims) if victims else None), total / target.receive_gbps

    def _workload(self, contributors: int, settles_ms: float) -> Workload:
        draws = random.Random(self._seed * 1_000_003 + contributors)
        target, sources = self._incast(draws, contributors)
        path = self._paths[target]
        gap_s = path.gap_ns(contributors) * 1e-9
        interval_s = max(1e-6, WINDOW_GAPS * gap_s / SAMPLES)
        warm_up = math.ceil(max(LEAST_WARM_UP_GAPS * gap_s, SETTLED * settles_ms * 1e-3) / interval_s)
        name = self._built.hosts.reference
        victims = [
            {
                "name": f"V{i}",
                "src": name(src),
                "dst": name(dst),
                "role": "victim",
                "rate_gbps": gbps,
                "start_s": warm_up * interval_s,
            }
            for i, (src, dst, gbps) in enumerate(self._victims(draws, target, sources, path.receive_gbps / contributors), start=1)
        ]
        flows = [
            {"name": f"C{i}", "src": name(source), "dst": name(target), "role": "contributor"}
            for i, source in enumerate(sources, start=1)
        ]
        return build_model(
            Workload,
            {
                "ibcc_workload": 1,
                "name": f"incast of {contributors}",
                "fabric": self._built.document.name,
                "duration_s": (warm_up + SAMPLES) * interval_s,
                "sample_interval_s": interval_s,
                "warmup_s": warm_up * interval_s,
                "flows": [*flows, *victims],
            },
        )

    def _incast(self, draws: random.Random, contributors: int) -> tuple[Endport, list[Endport]]:
        """A receiver, and sources that have a route to it. Most come from other switches than the receiver's."""
        hosts = list(self._paths)
        leaf = self._leaf
        for _ in range(TRIES):
            target = draws.choice(self._targets)
            others = [host for host in draws.sample(hosts, len(hosts)) if host != target and self._route(host, target)]
            if len(others) >= contributors:
                others.sort(key=lambda host: leaf(host) == leaf(target))
                return target, others[:contributors]
        raise BadInputError(
            f"no host of fabric '{self._built.document.name}' can be reached by {contributors} others, as its routes are"
        )

    def _victims(
        self, draws: random.Random, target: Endport, sources: Sequence[Endport], share_gbps: float
    ) -> list[tuple[Endport, Endport, float]]:
        """Pairs of other hosts whose route shares a link with the incast, and where nothing but that holds them back."""
        load: Counter[tuple[int, int]] = Counter()
        for source in sources:
            for hop in self._route(source, target)[1:-1]:
                load[hop] += share_gbps  # type: ignore[assignment]
        shared = set(load)
        found: list[tuple[Endport, Endport, float]] = []
        idle = [host for host in self._paths if host != target and host not in set(sources)]
        for _ in range(ATTEMPTS):
            if len(idle) < 2 or len(found) == VICTIMS:
                break
            src, dst = draws.sample(idle, 2)
            hops = self._route(src, dst)
            trunks = hops[1:-1]
            gbps = VICTIM_ASKS * min([self._paths[dst].receive_gbps, *(self._carries[hop] for hop in hops)])
            if shared.isdisjoint(trunks) or any(load[hop] + gbps > HEADROOM * self._carries[hop] for hop in trunks):
                continue
            for hop in trunks:
                load[hop] += gbps  # type: ignore[assignment]
            idle.remove(src)
            idle.remove(dst)
            found.append((src, dst, gbps))
        return found

    def _leaf(self, host: Endport) -> int | None:
        peer = self._built.fabric.peer(host.node, host.port)
        return None if peer is None else peer[0]

    def _route(self, source: Endport, target: Endport) -> list[tuple[int, int]]:
        """Empty if there is none, or none back for notifications."""
        fabric = self._built.fabric
        ends = fabric.endport(source.node, source.port), fabric.endport(target.node, target.port)
        try:
            fabric.route(ends[1], ends[0])
            return fabric.route(*ends)
        except RuntimeError:
            return []
