# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One case: a fabric, jobs, background, and what is wrong, all drawn by a seed."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import ccsim
from ccsim.policy import Profile
from experiments.host_or_fabric.ground import JOB_SHARE, Ground
from tuner.document_base.model import build_model
from tuner.documents.fabric import FabricDocument
from tuner.documents.host_model import HostModel
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload

JOBS = 5
STRENGTHS, BACKGROUNDS = (0.1, 0.8), (0.0, 0.6)
SOUND_SHARE = 1 / 8
DRAWING = 5
"""README.md has what the earlier ones gave: the first has shown what was to be mended, the third had neither loads nor models of
sound hosts, and the fourth had lighter loads."""
_IDLE_GBYTES_PER_S = 40.0
"""Most that runs on a misconfigured host whose memory of 90 GB/s has room to spare."""
_SOUND_CORES = 4.0
"""Most memory-bound cores of a sound host: they take 50 of its 90 GB/s."""
_SENDERS = 3
"""Further senders of a hotspot."""
_RATES = ("4xFDR", "2xEDR", "4xFDR10", "4xQDR", "2xFDR", "1xEDR", "4xDDR", "1xFDR", "2xQDR", "4xSDR", "1xQDR", "1xSDR")


@dataclass
class Case:
    """`truth`: (kind, places of which one is right) of each fault. `wanted`: the profile that devices should hold."""

    ground: Ground
    seed: int
    duration_s: float
    strength: float = 0.0
    background: float = 0.0
    truth: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    hosts: dict[str, dict[str, Any]] = field(default_factory=dict)
    models: dict[str, Any] = field(default_factory=dict)
    loads: list[dict[str, Any]] = field(default_factory=list)
    rates: dict[int, str] = field(default_factory=dict)
    flows: list[dict[str, Any]] = field(default_factory=list)
    wanted: Profile | None = None
    held: Profile | None = None

    @property
    def name(self) -> str:
        return "none" if not self.truth else self.truth[0][0] if len(self.truth) == 1 else "several"

    @property
    def asked_gbps(self) -> float:
        """What a host with a job sends or receives, background and all."""
        return JOB_SHARE * self.ground.line_gbps + self.background * self.ground.background_gbps

    def fabric(self) -> FabricDocument:
        document = self.ground.document
        links = [link.model_copy(update={"rate": self.rates.get(i, link.rate)}) for i, link in enumerate(document.links)]
        hosts = [host.model_copy(update=self.hosts.get(host.name, {})) for host in document.hosts]
        plain = document.model_copy(update={"links": tuple(links), "hosts": tuple(hosts)})
        return build_model(FabricDocument, plain.model_dump(mode="json", exclude_unset=True) | {"host_models": self.models})

    def workload(self, fabric: str) -> Workload:
        rate = self.background * self.ground.background_gbps
        others = {"kind": "uniform", "name": "others", "hosts": list(self.ground.hosts), "rate_gbps": rate, "message_bytes": 4096}
        document = {
            "ibcc_workload": 1,
            "name": f"case {self.seed}",
            "fabric": fabric,
            "duration_s": self.duration_s,
            "sample_interval_s": self.duration_s / 20,
            "warmup_s": self.duration_s / 4,
            "flows": self.flows,
            "host_loads": self.loads,
            "patterns": [others] if rate > 0.01 else [],
        }
        return build_model(Workload, document)


Fault = Callable[[Case, tuple[str, str], random.Random], None]


def _receiver(case: Case, job: tuple[str, str], rng: random.Random) -> None:
    """Half of them are loaded, and the others slow for a reason that no counter shows."""
    gbps = (1 - case.strength) * case.asked_gbps
    if rng.random() < 1 / 2:
        case.models["slow"] = {"preset": "cascadelake-100g", "hosts": [job[1]]}
        case.loads.append({"hosts": [job[1]], **_load(gbps, rng)})
    else:
        case.hosts[job[1]] = {"receive_gbps": gbps}
    case.truth.append(("slow-receiver", frozenset({job[1]})))


def _load(gbps: float, rng: random.Random) -> dict[str, float]:
    """What leaves the adapter so much: memory-bound cores if as many as that do, or work that takes the other bandwidth."""
    model = HostModel(preset="cascadelake-100g").simulated()
    least, most = 0.0, model.cores
    if rng.random() < 1 / 2 or model.drain(cores=most)["gbps"] > gbps:
        return {"gbytes_per_s": model.memory_gbytes_per_s - gbps / 8}
    for _ in range(40):
        middle = (least + most) / 2
        least, most = (middle, most) if model.drain(cores=middle)["gbps"] > gbps else (least, middle)
    return {"cores": most}


def _sender(case: Case, job: tuple[str, str], rng: random.Random) -> None:
    case.hosts[job[0]] = {"inject_gbps": (1 - case.strength) * case.asked_gbps}
    case.truth.append(("slow-sender", frozenset({job[0]})))


def _misconfigured(case: Case, job: tuple[str, str], rng: random.Random) -> None:
    """Half of them have a narrow PCIe link, the others long translations; half of them, something runs that is no fault."""
    gbps = (1 - case.strength) * case.asked_gbps
    if rng.random() < 1 / 2:
        case.models["slow"] = {"pcie_gbps": gbps, "hosts": [job[1]]}
    else:
        credits_bytes = HostModel().simulated().write_credits_lines * 64
        case.models["slow"] = {"base_latency_ns": credits_bytes / (gbps / 8), "hosts": [job[1]]}
    if rng.random() < 1 / 2:
        case.loads.append({"hosts": [job[1]], "gbytes_per_s": rng.uniform(0, _IDLE_GBYTES_PER_S)})
    case.truth.append(("host-misconfigured", frozenset({job[1]})))


def _hotspot(case: Case, job: tuple[str, str], rng: random.Random) -> None:
    """The job's receiver is asked for more than its link, by hosts without a job."""
    busy = {flow[end] for flow in case.flows for end in ("src", "dst")}
    others = rng.sample([host for host in case.ground.hosts if host not in busy], _SENDERS)
    more = (1 + case.strength) * case.ground.line_gbps - case.asked_gbps
    case.flows += [{"name": f"more from {host}", "src": host, "dst": job[1], "rate_gbps": more / _SENDERS} for host in others]
    ways = [case.ground.route(host, job[1]) for host in (*others, job[0])]
    case.truth.append(("hotspot", frozenset({job[1], *(port for way in ways for port in way[1:])})))


def _link(case: Case, job: tuple[str, str], rng: random.Random) -> None:
    """To the speed that is nearest to the strength."""
    place = case.ground.link_between_switches(case.ground.route(*job), rng)
    link = case.ground.document.links[place]
    line = ccsim.link_data_gbps(link.rate)
    slower = [rate for rate in _RATES if ccsim.link_data_gbps(rate) < 0.95 * line]
    case.rates[place] = min(slower, key=lambda rate: abs(ccsim.link_data_gbps(rate) - (1 - case.strength) * line))
    case.truth.append(("degraded-link", frozenset({f"{link.a} – {link.b}", f"{link.b} – {link.a}"})))


def _table(case: Case, job: tuple[str, str], rng: random.Random) -> None:
    case.wanted = load_profile("gran-2010", {})
    changed = [{"match": {"node": job[0]}, "ca": {"ccti_increase": round(1 + 10 * case.strength)}}]
    case.held = load_profile("gran-2010", {"overrides": changed})
    case.truth.append(("drifted-table", frozenset({job[0]})))


FAULTS: Mapping[str, Fault] = {
    "slow-receiver": _receiver,
    "slow-sender": _sender,
    "hotspot": _hotspot,
    "degraded-link": _link,
    "drifted-table": _table,
    "host-misconfigured": _misconfigured,
}
_PAIRED = ("slow-receiver", "slow-sender", "degraded-link")
"""Faults of which a case may have two at once."""


def drawn(ground: Ground, seed: int, duration_s: float) -> Case:
    """Returns a case: an eighth without a fault, the others of all kinds alike, two at once among them."""
    rng = random.Random(f"host or fabric/{DRAWING}/{ground.name}/{seed}")
    case = Case(ground=ground, seed=seed, duration_s=duration_s)
    case.strength, case.background = rng.uniform(*STRENGTHS), rng.uniform(*BACKGROUNDS)
    jobs = ground.jobs(rng, JOBS)
    rate = JOB_SHARE * ground.line_gbps
    sound = [dst for _, dst in jobs[2:]]
    case.models["sound"] = {"preset": "skylake-100g", "hosts": sound}
    case.loads += [{"hosts": [host], "cores": rng.uniform(0, _SOUND_CORES)} for host in sound]
    case.flows = [{"name": f"{src} to {dst}", "src": src, "dst": dst, "rate_gbps": rate} for src, dst in jobs]
    if rng.random() < SOUND_SHARE:
        return case
    kind = rng.choice([*FAULTS, "several"])
    kinds = rng.sample(_PAIRED, 2) if kind == "several" else [kind]
    for name, job in zip(kinds, jobs, strict=False):
        FAULTS[name](case, job, rng)
    return case
