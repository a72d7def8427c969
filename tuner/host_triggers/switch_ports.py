# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hosts that withhold credits, by the switch's port to each: it waits with data, and the host receives less than its link can
carry. That is seen without the host.

On InfiniBand the share of time that this port waits (PortXmitWait) is what the ratio of pause frames is in Hostping, section 4.2.
Reading is by MADs, as nightly checks read them.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import ccsim
from tuner.checks.links.ports import Link, Port, PortKey
from tuner.checks.links.waits import tick_ns
from tuner.checks.symptoms.withholding import FULL_SHARE, WAIT_SHARE
from tuner.mads.client import MadReader, Read
from tuner.mads.congestion import ask_port
from tuner.mads.performance import (
    COUNTERS,
    XMIT_WAIT,
    Ability,
    ability,
    ask_ability,
    ask_counters,
    ask_tick,
    bits,
    counters,
    tick_bytes,
)
from tuner.mads.request import Request

_DISCARDS = COUNTERS.index("PortXmitDiscards")
_WAITS = COUNTERS.index(XMIT_WAIT)
_WORD_BYTES = 4


@dataclass(frozen=True, kw_only=True)
class Window:
    """A second or so at the switch's port to a host. None: the switch does not count it, or the counter was cleared, or full."""

    wait_share: float | None
    received_gbps: float | None
    discards: int | None


@dataclass(frozen=True, kw_only=True)
class HostPort:
    """The link of a host, from the switch."""

    switch: Port
    host: Port
    windows: Sequence[Window]

    @property
    def line_gbps(self) -> float | None:
        """What the link carries; None if its speed is unknown."""
        active = self.switch.active
        return None if active.width is None or active.speed is None else ccsim.link_data_gbps(f"{active.width}x{active.speed}")

    @property
    def withholding(self) -> Window | None:
        """The worst window in which the host withholds credits."""
        return max(filter(self._withholds, self.windows), key=lambda window: window.wait_share or 0.0, default=None)

    @property
    def discards(self) -> int | None:
        known = [window.discards for window in self.windows if window.discards is not None]
        return sum(known) if known else None

    def _withholds(self, window: Window) -> bool:
        if window.wait_share is None or window.received_gbps is None or self.line_gbps is None:
            return False
        return window.wait_share >= WAIT_SHARE and window.received_gbps < FULL_SHARE * self.line_gbps


def ports_to_hosts(links: Sequence[Link], hosts: Mapping[str, int | None]) -> dict[str, tuple[Port, Port]]:
    """(switch's port, host's port) by host; those that the fabric has no link to are left out. `hosts`: by name on the fabric,
    with the node or port GUID of one that the inventory knows by it.

    Links have GUIDs of nodes. That of a port is the same, or the node's plus the port's number, which is tried second: there it
    can be another node's.
    """
    ends = [
        (end, peer) for link in links for end, peer in link.ends if end.is_switch and not peer.is_switch and end.lid is not None
    ]
    found = {}
    for name, guid in hosts.items():
        if guid is None:
            own = [(end, peer) for end, peer in ends if peer.description == name]
        else:
            own = [(end, peer) for end, peer in ends if int(peer.guid, 16) == guid]
            own = own or [(end, peer) for end, peer in ends if int(peer.guid, 16) + peer.number == guid]
        if own:
            found[name] = own[0]
    return found


@dataclass(frozen=True)
class _Sample:
    at_s: float
    xmit_bytes: int | None
    counts: tuple[int | None, ...] | None


class SwitchPorts:
    """Reads the ports to hosts, again and again."""

    def __init__(self, reader: MadReader, ends: Mapping[str, tuple[Port, Port]]) -> None:
        """`ends`: by host, as `ports_to_hosts` has them."""
        self._reader, self._ends = reader, ends
        switches = list({end.guid: end for end, _ in ends.values()}.values())
        asked = [ask_ability(end.lid or 0) for end in switches] + [ask_tick(end.lid or 0, end.number) for end in switches]
        replies = [one.reply for one in reader.read(asked)]
        self._able = {
            end.guid: ability(reply.data) if reply.is_good else Ability(extended=False, waits=False)
            for end, reply in zip(switches, replies, strict=False)
        }
        self._ticks = {
            end.guid: tick_bytes(reply.data) if reply.is_good else None
            for end, reply in zip(switches, replies[len(switches) :], strict=True)
        }

    def watch(
        self,
        windows: int,
        *,
        pause: Callable[[float], object] = time.sleep,
        on_progress: Callable[[float], None] = lambda share: None,
    ) -> dict[str, HostPort]:
        """By host, as many windows of a second, or of what reading takes if that is longer."""
        found: dict[PortKey, list[Window]] = {end.key: [] for end, _ in self._ends.values()}
        before = self._read()
        for number in range(windows):
            pause(1.0)
            now = self._read()
            for end, _ in self._ends.values():
                found[end.key].append(self._window(end, before[end.key], now[end.key]))
            before = now
            on_progress((number + 1) / windows)
        return {name: HostPort(switch=end, host=peer, windows=found[end.key]) for name, (end, peer) in self._ends.items()}

    def _requests(self, end: Port) -> list[Request]:
        able, lid = self._able[end.guid], end.lid or 0
        data, *_ = ask_port(lid, end.number)
        return [data] if able.extended else [data, ask_counters(lid, end.number, able)]

    def _read(self) -> dict[PortKey, _Sample]:
        asked = {end.key: self._requests(end) for end, _ in self._ends.values()}
        began_s = time.monotonic()
        replies = iter(self._reader.read([request for requests in asked.values() for request in requests]))
        return {end.key: self._sample(end, [next(replies) for _ in asked[end.key]], began_s) for end, _ in self._ends.values()}

    def _sample(self, end: Port, read: Sequence[Read], began_s: float) -> _Sample:
        data, last = read[0].reply, read[-1]
        return _Sample(
            began_s + last.after_s,
            bits(data.data, 64, 64) * _WORD_BYTES if data.is_good else None,
            counters(last.reply.data, self._able[end.guid]) if last.reply.is_good else None,
        )

    def _window(self, end: Port, before: _Sample, now: _Sample) -> Window:
        seconds = max(now.at_s - before.at_s, 1e-3)
        sent = _grown(before.xmit_bytes, now.xmit_bytes, 1 << 64)
        largest = self._able[end.guid].largest
        ticks, discards = (
            None if before.counts is None or now.counts is None else _grown(before.counts[at], now.counts[at], largest[at])
            for at in (_WAITS, _DISCARDS)
        )
        return Window(
            wait_share=None if ticks is None else ticks * tick_ns(self._ticks[end.guid], end) / (seconds * 1e9),
            received_gbps=None if sent is None else sent * 8e-9 / seconds,
            discards=discards,
        )


def _grown(before: int | None, now: int | None, largest: int) -> int | None:
    """None for what was cleared meanwhile, or stands at its largest value."""
    return None if before is None or now is None or now < before or now >= largest else now - before
