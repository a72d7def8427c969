# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric that counts what a test says, as the plugin shows its links and as its devices answer."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from tuner.checks.links.plugin_topology import port_of
from tuner.checks.links.ports import Link, links_of
from tuner.mads.client import Read, Totals
from tuner.mads.performance import COUNTERS, EXTENDED, PLAIN
from tuner.mads.request import SET, UNANSWERED, Reply, Request

_CLASS_PORT_INFO, _PORT_SAMPLES_CONTROL, _PORT_COUNTERS, _PORT_COUNTERS_EXTENDED = 1, 0x10, 0x12, 0x1D
_XMIT_WAIT_SUPPORTED, _ERRORS_ARE_EXTENDED = 0x1000, 0b10


class FakeFabric:
    """Two switches with LIDs 1 and 2, linked twice, and hosts at each. `counters`: by LID and port, by name. `silent` and
    `refusing`: LIDs. `tick`: of PortSamplesControl; None: it is refused. `words`: PortXmitData by LID and
    port; None: devices refuse PortCountersExtended. `extended`: all counters have 64 bits. `sent`: all requests."""

    def __init__(self, *, hosts: int = 3, speed: str = "EDR", extended: bool = False) -> None:
        self._fields = EXTENDED if extended else PLAIN
        self.rows: list[dict[str, Any]] = []
        self.counters: dict[tuple[int, int], dict[str, int]] = {}
        self.silent: set[int] = set()
        self.refusing: set[int] = set()
        self.tick: int | None = None
        self.words: dict[tuple[int, int], int] | None = None
        self.sent: list[Request] = []
        for switch in (1, 2):
            for i in range(hosts):
                self._link((switch, 1 + i), (10 * switch + i, 1), speed)
        for port in (35, 36):
            self._link((1, port), (2, port), speed)

    def row(self, lid: int, port: int) -> dict[str, Any]:
        return next(row for row in self.rows if (row["lid"], row["port"]) == (lid, port))

    def links(self) -> list[Link]:
        return links_of(port_of(row, row["description"]) for row in self.rows)

    def count(self, lid: int, port: int, **counts: int) -> None:
        """Adds to counters, which stay at their largest value."""
        held = self.counters.setdefault((lid, port), {})
        for name, count in counts.items():
            held[name] = min(held.get(name, 0) + count, (1 << self._fields[name].width) - 1)

    def pull(self, lid: int, port: int) -> None:
        row = self.row(lid, port)
        peer = next(one for one in self.rows if (one["guid"], one["port"]) == (row["peer_guid"], row["peer_port"]))
        for end in (row, peer):
            end.update(state="down", physical="polling", peer_guid=None, peer_port=None, width=None, speed=None)

    def _link(self, a: tuple[int, int], b: tuple[int, int], speed: str) -> None:
        for (lid, port), (peer, peer_port) in ((a, b), (b, a)):
            is_switch = lid < 10
            self.rows.append(
                {
                    "guid": _guid(lid),
                    "port": port,
                    "kind": "switch" if is_switch else "ca",
                    "description": f"leaf {lid}" if is_switch else f"node{lid} mlx5_0",
                    "lid": lid,
                    "peer_guid": _guid(peer),
                    "peer_port": peer_port,
                    "state": "active",
                    "physical": "link-up",
                }
                | {f"width{which}": "4x" for which in ("", "_enabled", "_supported")}
                | {f"speed{which}": speed for which in ("", "_enabled", "_supported")}
            )

    def answer(self, request: Request) -> Reply:
        self.sent.append(request)
        if request.lid in self.silent:
            return UNANSWERED
        data = bytearray(192)
        if request.lid in self.refusing:
            return Reply(0x000C, bytes(data))
        if request.attribute == _CLASS_PORT_INFO:
            data[2:4] = _XMIT_WAIT_SUPPORTED.to_bytes(2, "big")
            data[7] = _ERRORS_ARE_EXTENDED << 5 if self._fields is EXTENDED else 0
        elif request.attribute == _PORT_SAMPLES_CONTROL:
            if self.tick is None:
                return Reply(0x000C, bytes(data))
            data[2] = self.tick
        elif request.attribute == _PORT_COUNTERS_EXTENDED and self._fields is PLAIN:
            if self.words is None:
                return Reply(0x000C, bytes(data))
            data[8:16] = self._sent(request)
        else:
            assert request.attribute == (_PORT_COUNTERS_EXTENDED if self._fields is EXTENDED else _PORT_COUNTERS)
            held = self.counters.setdefault((request.lid, request.data[1]), {})
            if request.method == SET:
                self._clear(request, held)
            fields = self._fields
            value = sum(held.get(name, 0) << (1536 - fields[name].at - fields[name].width) for name in COUNTERS)
            data[:] = value.to_bytes(192, "big")
            if fields is EXTENDED:
                data[8:16] = self._sent(request)
        return Reply(0, bytes(data))

    def _sent(self, request: Request) -> bytes:
        return (self.words or {}).get((request.lid, request.data[1]), 0).to_bytes(8, "big")

    def _clear(self, request: Request, held: dict[str, int]) -> None:
        selected = int.from_bytes(request.data[2:4], "big") | request.data[18] << 16
        for name in COUNTERS:
            if selected >> PLAIN[name].select & 1:
                held[name] = 0

    def reader(self, *, classes: Collection[int], mads_per_s: int, **options: object) -> "FakeReader":
        return FakeReader(self)


class FakeReader:
    def __init__(self, fabric: FakeFabric) -> None:
        self._fabric, self._before = fabric, len(fabric.sent)

    def __enter__(self) -> "FakeReader":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    @property
    def totals(self) -> Totals:
        return Totals(sent=len(self._fabric.sent) - self._before, timed_out=0, greatest_in_a_second=1)

    def read(self, requests: Sequence[Request], *, on_progress: Callable[[float], None] = lambda fraction: None) -> list[Read]:
        on_progress(1.0)
        return [Read(self._fabric.answer(request), 0.0) for request in requests]


def _guid(lid: int) -> str:
    return f"0x{0xABC000 + lid:016x}"
