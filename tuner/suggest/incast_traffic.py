# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Traffic to try a profile with: an incast on a fabric, and victims that share links with it."""

import math
import random
from collections import defaultdict
from collections.abc import Sequence

from tuner.document_base.model import build_model
from tuner.documents.fabric import End
from tuner.documents.hosts import Endport
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest.receivers import controlled, link_payloads, notifying, paths

HEADROOM, VICTIMS, ATTEMPTS, TRIES = 0.9, 8, 400, 20
VICTIM_ASKS = 0.3
"""Rate that each victim asks for, of what its receiver takes."""
WINDOW_GAPS, WINDOW_TIMERS, SAMPLES = 500, 40, 20
"""A window is that many times as long as a contributor takes between two packets, and at least so many CCTI_Timers, as CCTIs
fall slowly."""
LEAST_WARM_UP_GAPS, SETTLED = 1000, 1.5
"""A run warms up for that many packets of each contributor, which empties the buffers on the way, or for that many times what
contributors need to settle, if that is longer."""


class IncastTraffic:
    """Draws incasts on one fabric."""

    def __init__(self, built: BuiltFabric, *, receive_gbps: float, seed: int) -> None:
        """Contributors send to receivers that take `receive_gbps` and at which a profile works, if there are any. They are hosts
        that a profile is set on, as far as there are enough."""
        self._built, self._seed = built, seed
        self._carries = link_payloads(built.document)
        self.paths = paths(built)
        self._controlled = set(controlled(built.document, self.paths))
        told = notifying(built.document, self.paths) or list(self.paths)
        self._targets = [
            endport for endport in told if math.isclose(self.paths[endport].receive_gbps, receive_gbps, rel_tol=1e-6)
        ] or told

    def workload(self, contributors: int, *, settles_ms: float, timer_us: float) -> Workload:
        """Returns an incast; the same number gives the same one. `settles_ms`: time that contributors need to settle; `timer_us`:
        the CCTI_Timer.

        Raises BadInputError if the fabric has no routes for so many contributors.
        """
        draws = random.Random(self._seed * 1_000_003 + contributors)
        target, sources = self._incast(draws, contributors)
        path = self.paths[target]
        gap_s = path.gap_ns(contributors) * 1e-9
        interval_s = max(1e-6, WINDOW_GAPS * gap_s / SAMPLES, WINDOW_TIMERS * timer_us * 1e-6 / SAMPLES)
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
        """Returns a receiver, and sources that have a route to it. Most come from other switches than the receiver's."""
        hosts = list(self.paths)
        leaf = self._leaf
        for _ in range(TRIES):
            target = draws.choice(self._targets)
            others = [host for host in draws.sample(hosts, len(hosts)) if host != target and self._route(host, target)]
            if len(others) >= contributors:
                others.sort(key=lambda host: (host not in self._controlled, leaf(host) == leaf(target)))
                return target, others[:contributors]
        raise BadInputError(
            f"no host of fabric '{self._built.document.name}' can be reached by {contributors} others, as its routes are"
        )

    def _victims(
        self, draws: random.Random, target: Endport, sources: Sequence[Endport], share_gbps: float
    ) -> list[tuple[Endport, Endport, float]]:
        """Returns pairs of other hosts whose route shares a link with the incast, and where nothing but that holds them back."""
        load: dict[tuple[int, int], float] = defaultdict(float)
        for source in sources:
            for hop in self._route(source, target)[1:-1]:
                load[hop] += share_gbps
        shared = set(load)
        found: list[tuple[Endport, Endport, float]] = []
        idle = [host for host in self.paths if host != target and host not in set(sources)]
        for _ in range(ATTEMPTS):
            if len(idle) < 2 or len(found) == VICTIMS:
                break
            src, dst = draws.sample(idle, 2)
            hops = self._route(src, dst)
            trunks = hops[1:-1]
            gbps = VICTIM_ASKS * min([self.paths[dst].receive_gbps, *(self._carries[End(*hop)] for hop in hops)])
            if shared.isdisjoint(trunks) or any(load[hop] + gbps > HEADROOM * self._carries[End(*hop)] for hop in trunks):
                continue
            for hop in trunks:
                load[hop] += gbps
            idle.remove(src)
            idle.remove(dst)
            found.append((src, dst, gbps))
        return found

    def _leaf(self, host: Endport) -> int | None:
        peer = self._built.fabric.peer(host.node, host.port)
        return None if peer is None else peer[0]

    def _route(self, source: Endport, target: Endport) -> list[tuple[int, int]]:
        """Returns the hops; empty if there is no route, or none back for notifications."""
        fabric = self._built.fabric
        ends = fabric.endport(source.node, source.port), fabric.endport(target.node, target.port)
        try:
            fabric.route(ends[1], ends[0])
            return fabric.route(*ends)
        except RuntimeError:
            return []
