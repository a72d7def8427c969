# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds out which adapters really throttle: some take a congestion profile, report that they hold it, and send on at full rate.

Several hosts send to one at once, first with congestion control off, then under a profile that takes nearly all from a sender
that heeds a single BECN and gives it back over seconds. A sender that throttles falls far below its former rate; one that does
not throttle takes the rest.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from ccsim.policy import Profile
from tuner.documents.inventory_canary import CanarySettings
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.measuring.backend import Backend

Verdict = Literal["yes", "no", "unknown"]

FELL_BELOW = 0.5
"""A sender that falls below this fraction of its former rate throttles."""
KEPT = 0.8
"""A sender that keeps this fraction of its former rate, while others fall, does not throttle."""
_LEAST_GBPS = 0.01
"""Rate without congestion control below which a sender's verdict is `unknown`."""
_DEPTH = 255
"""Packet times from one packet to the next at every CCTI but 0."""


@dataclass(frozen=True, kw_only=True)
class Reaction:
    """Reaction of one host to the canary's profile."""

    host: str
    verdict: Verdict
    off_gbps: float
    """With congestion control off."""
    canary_gbps: float
    """Under the canary's profile."""


@runtime_checkable
class CanaryDriver(Protocol):
    """A cluster driver that can say who is to be tried, and pass on what was found."""

    def canary(self) -> tuple[Sequence[str], str, CanarySettings]:
        """Hosts, what workloads call their fabric, and how they are tried."""

    def tell_reactions(self, found: Iterable[Reaction], *, by: str) -> None:
        """Has the plugin keep it. Call it while the fabric is held."""


def canary_profile() -> Profile:
    """One BECN takes a flow to 1/256 of its link's rate; 0.067 s later its CCTI falls by one, of 127."""
    entries = [{"shift": 0, "multiplier": 0}, *({"shift": 0, "multiplier": _DEPTH} for _ in range(127))]
    base = load_profile("gran-2010").to_dict()
    switch, ca = base["switch"], base["ca"]
    document = {
        "ibcc_profile": 1,
        "name": "canary",
        "switch": {**switch, "threshold": 15, "marking_rate": 0},
        "ca": {**ca, "ccti_timer": 65535, "ccti_increase": 127, "ccti_min": 0},
        "cct": {"ccti_limit": 127, "entries": entries},
    }
    return Profile.from_dict(document)


def groups(hosts: Sequence[str], senders: int) -> list[tuple[tuple[str, ...], str]]:
    """(senders, their receiver): every host is a sender at least once, and no group has fewer than two. Raises BadInputError for
    fewer than three hosts."""
    if len(hosts) < 3:
        raise BadInputError(f"a canary needs at least 3 hosts, two that send to one; there are {len(hosts)}")
    size = min(senders, len(hosts) - 1)
    found = []
    for begin in range(0, len(hosts), size):
        # The last group is filled up from the beginning.
        group = tuple(hosts[(begin + k) % len(hosts)] for k in range(size))
        found.append((group, hosts[(begin + size) % len(hosts)]))
    return found


def measure_reactions(
    backend: Backend,
    hosts: Sequence[str],
    *,
    fabric: str,
    settings: CanarySettings,
    seed: int = 1,
    should_stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> list[Reaction]:
    """On an open backend, which has its base profile in force again afterwards. `hosts`: as the fabric calls them. Raises what
    the backend raises."""
    rounds = groups(hosts, settings.senders)
    rates: list[dict[str, tuple[float, float]]] = []
    try:
        by_profile = []
        for turn, profile in enumerate((load_profile("off"), canary_profile())):
            backend.apply(profile)
            seen = []
            for place, (senders, receiver) in enumerate(rounds):
                workload = _incast(senders, receiver, fabric, settings)
                measurement = backend.measure(workload, seed=seed, should_stop=should_stop)
                seen.append({flow.src: float(row.mean()) for flow, row in zip(measurement.flows, measurement.gbps, strict=True)})
                on_progress((turn * len(rounds) + place + 1) / (2 * len(rounds)))
            by_profile.append(seen)
    finally:
        backend.restore()
    rates = [{host: (off[host], on[host]) for host in off} for off, on in zip(*by_profile, strict=True)]
    found: dict[str, Reaction] = {}
    for group in rates:
        somebody_fell = any(on < FELL_BELOW * off for off, on in group.values())
        for host, (off, on) in group.items():
            verdict = _verdict(off, on, somebody_fell)
            if host not in found or found[host].verdict == "unknown":
                found[host] = Reaction(host=host, verdict=verdict, off_gbps=off, canary_gbps=on)
    return [found[host] for host in hosts]


def _verdict(off: float, on: float, somebody_fell: bool) -> Verdict:
    if off < _LEAST_GBPS:
        return "unknown"
    if on < FELL_BELOW * off:
        return "yes"
    # If no sender fell, the switch may have marked nothing.
    return "no" if somebody_fell and on >= KEPT * off else "unknown"


def _incast(senders: Sequence[str], receiver: str, fabric: str, settings: CanarySettings) -> Workload:
    samples = 10
    return Workload.model_validate(
        {
            "ibcc_workload": 1,
            "name": "canary",
            "fabric": fabric,
            "duration_s": float(settings.duration_s),
            "sample_interval_s": float(settings.duration_s) / samples,
            "flows": [
                {"name": f"c{n}", "src": src, "dst": receiver, "role": "contributor", "message_bytes": settings.message_bytes}
                for n, src in enumerate(senders, start=1)
            ],
        }
    )
