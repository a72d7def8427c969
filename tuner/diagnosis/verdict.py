# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One function, evidence in, verdict out: which host, link, switch or table makes flows slow, if any does.

A port with data sends or waits for credits. So a port towards a host that waits while the host receives less than the line shows
a host that withholds credits (`tuner.checks.symptoms.withholding`), and a host that has more to send, and neither sends nor
waits, is slow itself. A port that is full, with several sources behind it that want more, is a hotspot. Ports between switches
that wait and are not full are branches of a tree, whose root is one of these.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from tuner.checks.symptoms.withholding import FULL_SHARE, WAIT_SHARE
from tuner.diagnosis.evidence import Evidence, FlowSeen, PortSeen
from tuner.diagnosis.fault import Fault, Kind, VerdictName
from tuner.diagnosis.receivers import slow_receiver

UNMET_SHARE = 0.95
"""A flow that gets less than this share of what it wants is slow."""
_LEAST_SHORTAGE = 0.01
"""Of the link, below which what a flow lacks holds nobody: a few messages at random times differ by as much."""
_OTHER_SHARE = 0.1
"""Of the link: what a port carries beside the known flows, above which it is other traffic, and no headers."""
_THROTTLED_FULL_SHARE = 0.8
"""From this share on, a port is full whose flows are throttled by congestion control: it leaves some of the line."""
_USUAL_SHARE = 0.9
"""A host that takes this share of what it usually takes is not slow: its switch's port waits for it every day."""
_LEAST_BECNS = 0.001
"""For each packet, from which on congestion control holds a flow."""
_MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """`missing`: what could not be read, each a sentence."""

    faults: tuple[Fault, ...]
    slow_flows: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    knows_flows: bool = True
    """False: only ports to hosts were read, so that neither slow senders nor hotspots can be told."""
    unexplained: str = ""
    """Why the verdict is that it cannot tell; empty otherwise."""

    @property
    def verdict(self) -> VerdictName:
        if self.faults:
            return self.faults[0].kind if len(self.faults) == 1 else "several"
        return "cannot-tell" if self.unexplained else "none"

    @property
    def sentence(self) -> str:
        """One sentence: which, and where."""
        match self.verdict:
            case "none" if not self.knows_flows:
                return "No host withholds credits; slow senders and hotspots cannot be told, since flows are not known."
            case "none":
                return "Nothing holds traffic: no port towards a host waits, and no flow gets less than it wants."
            case "cannot-tell":
                return f"Cannot tell: {self.unexplained}."
            case _:
                said = "; and ".join(fault.sentence for fault in self.faults)
                return f"{said[0].upper()}{said[1:]}."

    def to_json(self) -> dict[str, Any]:
        """Returns the document of `ibcc fabric diagnose --output json`, which the service has too."""
        return {
            "verdict": self.verdict,
            "sentence": self.sentence,
            "faults": [{**asdict(fault), "evidence": list(fault.evidence), "cause": fault.cause} for fault in self.faults],
            "slow_flows": list(self.slow_flows),
            "missing": list(self.missing),
        }


def diagnose(evidence: Evidence) -> Diagnosis:
    """Returns all faults that the evidence shows, those of tables and links first, since these are facts and not inferred."""
    seen = _Seen(evidence)
    faults = (
        *seen.drifted(),
        *seen.degraded(),
        *seen.host_links(),
        *seen.slow_receivers(),
        *seen.slow_senders(),
        *seen.hotspots(),
    )
    missing = tuple(seen.missing())
    slow = tuple(flow.name for flow in evidence.flows or () if seen.is_slow(flow))
    unexplained = "" if faults else seen.unexplained(slow, missing)
    knows_flows = evidence.flows is not None
    return Diagnosis(faults=faults, slow_flows=slow, missing=missing, knows_flows=knows_flows, unexplained=unexplained)


class _Seen:
    """The evidence, with the flows of each port."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._ports = {port.name: port for port in evidence.ports}
        self._flows: dict[str, list[FlowSeen]] = {}
        for flow in evidence.flows or ():
            for name in flow.ports:
                self._flows.setdefault(name, []).append(flow)

    def drifted(self) -> Iterator[Fault]:
        for device, how in (self._evidence.drifted or {}).items():
            yield Fault(
                kind="drifted-table",
                place=device,
                sentence=f"{device} does not hold the values that it should",
                evidence=(how,),
                next_step="ibcc profile verify",
            )

    def degraded(self) -> Iterator[Fault]:
        told = set[frozenset[str]]()
        for port in self._evidence.ports:
            link = frozenset((port.name, port.peer))
            if port.is_degraded and link not in told:
                told.add(link)
                yield Fault(
                    kind="degraded-link",
                    place=f"{port.name} – {port.peer}",
                    sentence=f"the link {port.name} – {port.peer} is slower than {port.by}",
                    evidence=(f"it carries {port.line_gbps:.1f} Gb/s instead of {port.can_gbps:.1f}",),
                    next_step="iblinkinfo --line; plug the cable again, or replace it",
                )

    def host_links(self) -> Iterator[Fault]:
        """What the switch sees of such a host stands beside: its slow link explains it."""
        for link in self._evidence.host_links:
            ports = [port for port in self._evidence.ports if port.to_host and port.host == link.host and self._is_withheld(port)]
            tested = f"{link.slow_paths} of its paths are slow in loop-back tests"
            yield Fault(
                kind=cast(Kind, link.kind),
                place=f"{link.host}: {link.where}",
                sentence=f"inside host {link.host}, {link.where} is slow",
                evidence=(tested, *(sentence for port in ports for sentence in self._receiver(port).evidence)),
                next_step=link.advice,
            )

    def slow_receivers(self) -> Iterator[Fault]:
        explained = {link.host for link in self._evidence.host_links}
        for port in self._evidence.ports:
            if port.to_host and self._is_withheld(port) and port.host not in explained:
                yield self._receiver(port)

    def _receiver(self, port: PortSeen) -> Fault:
        return slow_receiver(port, self._evidence.inside.get(port.host))

    def slow_senders(self) -> Iterator[Fault]:
        for port in self._evidence.ports:
            flows = self._flows.get(port.name, ())
            if port.from_host and not port.is_degraded and not any(map(_is_throttled, flows)):
                yield from self._slow_sender(port, flows)

    def _slow_sender(self, port: PortSeen, flows: Sequence[FlowSeen]) -> Iterator[Fault]:
        """What a host sends, and what it could send while it waits, is less than it has to send."""
        slow = [flow for flow in flows if self.is_slow(flow)]
        if not slow or port.sent_gbps is None or port.wait_share is None or port.line_gbps is None:
            return
        most = port.line_gbps if port.usual_gbps is None else min(port.line_gbps, port.usual_gbps)
        wanted = min(most, sum((most if flow.wanted_gbps is None else flow.wanted_gbps) * flow.active_share for flow in flows))
        possible = port.sent_gbps + port.wait_share * port.line_gbps
        if possible >= UNMET_SHARE * wanted or wanted - possible < _LEAST_SHORTAGE * port.line_gbps:
            return
        waits = f"its port waits for credits {port.wait_share:.1%} of the time"
        yield Fault(
            kind="slow-sender",
            place=port.host,
            sentence=f"host {port.host} is slow to send",
            evidence=(f"it sends {port.sent_gbps:.1f} of the {wanted:.1f} Gb/s that it has to send, and {waits}",),
            next_step="ibcc hosts check, then ibcc hosts ping, on this host",
        )

    def hotspots(self) -> Iterator[Fault]:
        """Each place once: further ports on the way carry what the first one leaves them, from one port."""
        told = set[str]()
        for port in self._evidence.ports:
            flows = self._flows.get(port.name, ())
            feeding = {flow.ports[flow.ports.index(port.name) - 1] for flow in flows}
            filled = _filled(port, flows)
            is_full = filled >= self._full_share(flows)
            shares = len(feeding) + _has_other_traffic(port, flows) > 1
            if port.from_host or port.is_degraded or not is_full or not shares or not any(map(self.is_slow, flows)):
                continue
            sources = sorted({flow.src for flow in flows})
            want = "wants" if len(sources) == 1 else "want"
            seen = (f"{port.name} sends {filled:.0%} of what fits, and {_some(sources)} {want} more",)
            receivers = sorted({flow.dst for flow in flows})
            fault = _hotspot_at_host(receivers[0], seen) if len(receivers) == 1 else _hotspot_inside(port, seen)
            if fault.place not in told:
                told.add(fault.place)
                yield fault

    def missing(self) -> Iterator[str]:
        for port in self._evidence.ports:
            if port.to_host and (port.wait_share is None or port.filled is None):
                what = "PortXmitWait" if port.wait_share is None else "PortXmitData"
                yield f"{what} of {port.name}, the switch's port to {port.host}"
        if not any(port.to_host for port in self._evidence.ports):
            yield "counters of the switches' ports to hosts"

    def is_slow(self, flow: FlowSeen) -> bool:
        """One that takes all that it can get wants what the slowest link of its way carries."""
        wanted = flow.wanted_gbps
        if wanted is None:
            lines = [port.line_gbps for name in flow.ports if (port := self._ports.get(name)) is not None and port.line_gbps]
            usual = [port.usual_gbps for name in flow.ports if (port := self._ports.get(name)) is not None and port.usual_gbps]
            shares = [sum(other.src == flow.src for other in self._flows[name]) for name in flow.ports[:1]]
            wanted = min([*lines, *usual], default=0.0) / max([*shares, 1]) * _PAYLOAD
        line = next((port.line_gbps for name in flow.ports[:1] if (port := self._ports.get(name)) is not None), None) or 0.0
        return flow.gbps < UNMET_SHARE * wanted and wanted - flow.gbps >= _LEAST_SHORTAGE * line

    def unexplained(self, slow: tuple[str, ...], missing: tuple[str, ...]) -> str:
        if missing:
            return f"these counters are missing: {_some(missing)}"
        if not slow:
            return ""
        held = [flow.name for flow in self._evidence.flows or () if flow.name in slow and _is_throttled(flow)]
        if held:
            return (
                f"congestion control holds {held[0]} while no port on its way is full; compare the tables by ibcc profile verify"
            )
        return f"{slow[0]} gets less than it wants, and neither a host nor a port explains it"

    def _is_withheld(self, port: PortSeen) -> bool:
        if port.wait_share is None or port.filled is None:
            return False
        return port.wait_share >= WAIT_SHARE and port.filled < (FULL_SHARE if port.usual_gbps is None else _USUAL_SHARE)

    def _full_share(self, flows: Sequence[FlowSeen]) -> float:
        return _THROTTLED_FULL_SHARE if any(_is_throttled(flow) for flow in flows) else FULL_SHARE


_PAYLOAD = 0.97
"""Share of the line that is payload with packets of 2 KB."""


def _hotspot_at_host(host: str, seen: tuple[str, ...]) -> Fault:
    return Fault(
        kind="hotspot",
        place=host,
        sentence=f"more is sent to host {host} than fits: a hotspot, and no fault of the host",
        evidence=seen,
        next_step="ibcc profile suggest, so that congestion control throttles the senders",
    )


def _hotspot_inside(port: PortSeen, seen: tuple[str, ...]) -> Fault:
    return Fault(
        kind="hotspot",
        place=port.name,
        sentence=f"more is sent through port {port.name} than fits: a hotspot",
        evidence=seen,
        next_step="ibcc fabric routing, then ibcc profile suggest",
    )


def _filled(port: PortSeen, flows: Sequence[FlowSeen]) -> float:
    """Part of what fits that the port sends; by its flows if these say more, as they do where they start one after another."""
    if port.filled is None or port.line_gbps is None:
        return 0.0
    fits = _PAYLOAD * min(port.line_gbps, port.usual_gbps or port.line_gbps)
    return max(port.filled, min(1.0, sum(flow.gbps for flow in flows) / fits))


def _has_other_traffic(port: PortSeen, flows: Sequence[FlowSeen]) -> bool:
    """True if the port carries more than headers beside the known flows."""
    own = sum(flow.gbps for flow in flows)
    return port.sent_gbps is not None and port.line_gbps is not None and port.sent_gbps - own >= _OTHER_SHARE * port.line_gbps


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _is_throttled(flow: FlowSeen) -> bool:
    return flow.becns is not None and flow.becns >= _LEAST_BECNS
