# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""PortXmitWait of switches' ports: the share of time in which a port had data and did not send, and ports where it is out of
proportion.

A port of an adapter waits where the network is busy, which its switch shows too; so those of switches are compared, each with its
siblings: the ports of the same switch to adapters, or those to other switches.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import ccsim
from tuner.checks.links.ports import SPEEDS, Link, Port, PortKey
from tuner.checks.links.record import Past
from tuner.checks.links.since import Since
from tuner.checks.observation import Finding
from tuner.documents.check_kinds import Links
from tuner.mads.performance import XMIT_WAIT

_TICK_NS = 4.0
"""Tick that is taken for devices that do not tell theirs: IBA's time for a byte on one lane of SDR."""
_WHOLE_PORT = SPEEDS.index("HDR")
"""From this speed on, switches count bytes of the whole port, and not of one lane."""
_LEAST_SIBLINGS = 2


@dataclass(frozen=True, kw_only=True)
class Wait:
    """`share`: of the time since the last reading; above 1 only where a tick is not what it was taken for. `usual`: that of the
    siblings, or that of the last good night, whichever is more; None if neither is known."""

    link: Link
    port: Port
    share: float
    siblings: float | None
    good: float | None

    @property
    def usual(self) -> float | None:
        return max((one for one in (self.siblings, self.good) if one is not None), default=None)

    def is_out_of_proportion(self, options: Links) -> bool:
        usual = self.usual
        return usual is not None and self.share >= options.wait_share and self.share >= options.wait_factor * usual


def tick_ns(tick_bytes: int | None, port: Port) -> float:
    """Returns the time for which PortXmitWait counts one. NVIDIA's switches, by their vendor: those up to EDR count 32 bytes of a
    lane, those from HDR on 8 bytes of the whole port, and PortSamplesControl has the number of bytes."""
    if tick_bytes is None or port.active.speed not in SPEEDS:
        return _TICK_NS
    lanes = port.active.width or 1 if SPEEDS.index(port.active.speed) >= _WHOLE_PORT else 1
    return tick_bytes * 8.0 / ccsim.link_data_gbps(f"{lanes}x{port.active.speed}")


def waits(links: Sequence[Link], seen: Since, tick_bytes: Mapping[str, int], good: Past | None) -> list[Wait]:
    """Returns the waits of all ports of switches that have a value."""
    shares: dict[PortKey, tuple[Link, Port, float]] = {}
    groups: dict[tuple[str, bool], list[PortKey]] = {}
    for link in links:
        for end, peer in link.ends:
            grown = seen.grown.get(end.key, {}).get(XMIT_WAIT)
            if end.is_switch and grown is not None:
                ticks_ns = grown.count * tick_ns(tick_bytes.get(end.guid), end)
                shares[end.key] = link, end, ticks_ns / (seen.elapsed_s * 1e9)
                groups.setdefault((end.guid, peer.is_switch), []).append(end.key)
    found = []
    for keys in groups.values():
        for key in keys:
            link, port, share = shares[key]
            others = [shares[other][2] for other in keys if other != key]
            siblings = median(others) if len(others) >= _LEAST_SIBLINGS else None
            before = None if good is None else good.waits.get(key)
            found.append(Wait(link=link, port=port, share=share, siblings=siblings, good=before))
    return found


def out_of_proportion(found: Sequence[Wait], options: Links, seen: Since) -> Iterator[Finding]:
    """The worst first."""
    for wait in sorted(found, key=lambda one: -one.share):
        if wait.is_out_of_proportion(options):
            siblings = "unknown" if wait.siblings is None else f"{_percent(wait.siblings)} at the middle one of its siblings"
            good = "" if wait.good is None else f", {_percent(wait.good)} in the last good night"
            yield Finding(
                code="xmit-wait",
                sentence=f"{wait.port.name} waits out of proportion before it sends on link {wait.link.place}",
                place=wait.link.place,
                evidence=f"{_percent(wait.share)} of the time within {seen.time}; {siblings}{good}",
                next_step=f"perfquery {wait.port.lid} {wait.port.number}",
                severity="warn",
            )


def compared_with(found: Sequence[Wait], options: Links) -> dict[PortKey, float]:
    """Returns the share by port that later nights are compared with: tonight's, or, where it is out of proportion, the usual one,
    so that such a port does not become normal by itself."""
    return {
        wait.port.key: wait.usual if wait.usual is not None and wait.is_out_of_proportion(options) else wait.share
        for wait in found
    }


def _percent(share: float) -> str:
    return f"{min(share, 1.0):.2%}"
