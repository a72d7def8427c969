# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Traffic cases 1 to 4 of Paper V (section IV-A) and traffic patterns 1 to 3 of Paper VI (Table 2), and what they run on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from experiments.flow_isolation.configurations import (
    MTU_BYTES,
    V_1,
    V_2,
    V_3,
    VI_1,
    VI_1_SINGLE,
    VI_2,
    VI_2_SINGLE,
    VI_3,
    Configuration,
)
from tuner.document_base.model import build_model
from tuner.documents.workload import Workload

MESSAGE_BYTES = MTU_BYTES
"""One packet: the papers' sources draw a destination for each packet."""
BURST_S = (0.001, 0.002)
"""When hot spots get traffic."""


@dataclass(frozen=True, kw_only=True)
class Traffic:
    name: str
    duration_s: float
    interval_s: float
    flows: Sequence[Mapping[str, Any]] = ()
    patterns: Sequence[Mapping[str, Any]] = ()
    trees: int = 0
    """Hot spots of a burst during BURST_S; 0: the flows have times of their own."""

    def workload(self, fabric: str) -> Workload:
        """`fabric`: path of the configuration's document."""
        return build_model(
            Workload,
            {
                "ibcc_workload": 1,
                "name": self.name,
                "fabric": fabric,
                "duration_s": self.duration_s,
                "sample_interval_s": self.interval_s,
                "flows": [dict(flow) for flow in self.flows],
                "patterns": [dict(pattern) for pattern in self.patterns],
            },
        )

    @property
    def judged_s(self) -> tuple[float, float]:
        """From when to when throughput is judged: the burst, or from the start of the last flow to the end."""
        if self.trees:
            return BURST_S
        return max(flow["start_s"] for flow in self.flows), self.duration_s


@dataclass(frozen=True, kw_only=True)
class Bed:
    """A configuration and what runs on it."""

    configuration: Configuration
    traffic: Traffic
    duration_s: float | None = None
    """Length of the run instead of the traffic's own, where hosts are so many that each ms takes long."""
    drawn: bool = False
    """True if each hot node draws one of all hot spots for each packet, instead of having one for itself. The papers do not say
    which of the two they do."""

    @property
    def name(self) -> str:
        return f"{self.configuration.name}/{self.traffic.name}{', drawn' if self.drawn else ''}"

    def workload(self, fabric: str) -> Workload:
        """`fabric`: path of the configuration's document."""
        traffic = self._with_drawn_hot_spots() if self.drawn else self.traffic
        return replace(traffic, duration_s=self.duration_s or traffic.duration_s).workload(fabric)

    def _with_drawn_hot_spots(self) -> Traffic:
        """The same hot nodes and hot spots."""
        flows = self.traffic.workload(self.configuration.name).expanded(self.configuration.hosts).flows
        hot = [flow for flow in flows if flow.name.startswith("hot-")]
        pattern = {
            "kind": "uniform",
            "name": "hot",
            "hosts": sorted({flow.src for flow in hot}),
            "destinations": sorted({flow.dst for flow in hot}),
            "role": "contributor",
            "message_bytes": MESSAGE_BYTES,
            "start_s": BURST_S[0],
            "stop_s": BURST_S[1],
        }
        return replace(self.traffic, patterns=[*self.traffic.patterns[:1], pattern])


def _flows(destinations: Mapping[int, int], starts_ms: Mapping[int, float], victim: int | None) -> list[dict[str, Any]]:
    """Flow Fi from node i, for each node of `destinations`, from its start in ms to the end of the run."""
    return [
        {
            "name": f"F{source}",
            "src": f"H{source + 1}",
            "dst": f"H{destination + 1}",
            "start_s": starts_ms[source] / 1e3,
            "role": "victim" if source == victim else "contributor",
            "message_bytes": MESSAGE_BYTES,
        }
        for source, destination in destinations.items()
    ]


def _case_1() -> Traffic:
    """F0, the victim, goes to node 3 on the other switch, all others to node 4 there. F1 and F2 are on F0's switch."""
    flows = _flows({0: 3, 1: 4, 2: 4, 5: 4, 6: 4}, {0: 0, 1: 2, 2: 4, 5: 6, 6: 6}, victim=0)
    return Traffic(name="case 1", duration_s=0.01, interval_s=1e-4, flows=flows)


def _case_2(name: str, patterns: Sequence[Mapping[str, Any]] = ()) -> Traffic:
    """Five flows to node 7, which join at four switches on the way."""
    flows = _flows(dict.fromkeys(range(5), 7), {1: 0, 0: 2, 4: 4, 2: 6, 3: 6}, victim=None)
    return Traffic(name=name, duration_s=0.01, interval_s=1e-4, flows=flows, patterns=patterns)


def burst(name: str, hot_percent: float, trees: int) -> Traffic:
    """`hot_percent` of the nodes send to `trees` hot spots during BURST_S, each to one of them; the others send to all nodes,
    drawn for each packet, all the time. All send all they can. Who is hot and where the hot spots are is drawn by the pattern's
    seed."""
    nodes = {"kind": "hotspots", "hotspots": trees, "c_percent": hot_percent, "message_bytes": MESSAGE_BYTES}
    cold = {**nodes, "name": "cold", "active": ["V"]}
    hot = {**nodes, "name": "hot", "active": ["C"], "start_s": BURST_S[0], "stop_s": BURST_S[1]}
    return Traffic(name=name, duration_s=0.003, interval_s=5e-5, patterns=[cold, hot], trees=trees)


_UNIFORM = {"kind": "uniform", "name": "U", "hosts": ["H[6-8]"], "destinations": ["*"], "message_bytes": MESSAGE_BYTES}
CASE_1 = _case_1()
CASE_2 = _case_2("case 2")
CASE_3 = _case_2("case 3", [_UNIFORM])
CASE_4 = {trees: burst(f"case 4, {trees} {'tree' if trees == 1 else 'trees'}", 25, trees) for trees in (1, 4, 6)}
PATTERN_1 = burst("pattern 1", 12.5, 1)
PATTERN_2 = burst("pattern 2", 25, 4)
PATTERN_3 = burst("pattern 3", 37.5, 6)

BEDS = (
    Bed(configuration=V_1, traffic=CASE_1),
    Bed(configuration=V_2, traffic=CASE_2),
    Bed(configuration=V_2, traffic=CASE_3),
    *(Bed(configuration=V_3, traffic=case) for case in CASE_4.values()),
    *(Bed(configuration=tree, traffic=each) for tree in (VI_1, VI_2) for each in (PATTERN_1, PATTERN_2, PATTERN_3)),
    *(Bed(configuration=VI_3, traffic=each, duration_s=0.0022) for each in (PATTERN_1, PATTERN_2, PATTERN_3)),
    *(Bed(configuration=tree, traffic=each) for tree in (VI_1_SINGLE, VI_2_SINGLE) for each in (PATTERN_1, PATTERN_2, PATTERN_3)),
    *(Bed(configuration=V_3, traffic=CASE_4[trees], drawn=True) for trees in (4, 6)),
    *(Bed(configuration=VI_1, traffic=each, drawn=True) for each in (PATTERN_2, PATTERN_3)),
)
