# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""As much of a subnet manager as tests of the emulator need: LIDs, forwarding tables and active links, by MADs over its sockets.

Its routes are those of a given ccsim.Fabric, so that what it brings up can be compared with a simulation of that fabric.
"""

import itertools
import os
import socket
import struct
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import ccsim

PORT_INFO = 0x0015
SWITCH_INFO = 0x0012
FORWARDING = 0x0019
GET, SET = 1, 2
CONNECT = 1
ARMED, ACTIVE = 3, 4
PATIENCE_S = 30

_numbers = itertools.count(1)


def _abstract(name: str) -> bytes:
    """libumad2sim.so's addresses end with a zero byte."""
    return b"\0" + name.encode() + b"\0"


class SubnetManager:
    """Attached to a node; sends SMPs by directed route, one at a time."""

    def __init__(self, name: str, *, at: str) -> None:
        """`name`: of the emulator's sockets. `at`: the node's name."""
        self._id = os.getpid() * 1000 + next(_numbers)
        self._control = self._bind(f"{name}:ctl{self._id}")
        self._packets = self._bind(f"{name}:in{self._id}")  # the emulator looks for it when it is asked to connect
        self._control.connect(_abstract(f"{name}:ctl"))
        info = struct.pack("=III32s", self._id, 0, 0, at.encode())
        self._control.send(struct.pack("=IIII64s", 0xDEADBEEF, 0, CONNECT, len(info), info))
        answer = struct.unpack("=IIII64s", self._control.recv(80))
        assert answer[2] == CONNECT, "the emulator turned the client away"
        client = struct.unpack_from("=I", answer[4])[0]
        self._packets.connect(_abstract(f"{name}:out{client}"))

    @staticmethod
    def _bind(name: str) -> socket.socket:
        bound = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        bound.settimeout(PATIENCE_S)
        bound.bind(_abstract(name))
        return bound

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._control.close()
        self._packets.close()

    def smp(self, method: int, attribute: int, modifier: int, path: list[int], data: bytes = bytes(64)) -> bytes:
        """The data of the answer to an SMP that leaves by the ports of `path` in turn."""
        transaction = next(_numbers)
        mad = struct.pack(
            ">BBBBHBBQHHIQHH28s64s64s64s",
            *(1, 0x81, 1, method, 0, 0, len(path), transaction, attribute, 0, modifier, 0, 0xFFFF, 0xFFFF),
            *(b"", data, bytes([0, *path]), b""),
        )
        self._packets.send(struct.pack(">HxxHxxIIIIQ", 0xFFFF, 0xFFFF, 0, 0, 0, 0, len(mad)) + mad)
        while True:
            received = self._packets.recv(288)
            assert struct.unpack_from(">I", received, 16)[0] == 0, "an SMP has timed out"
            answer = received[32:]
            if struct.unpack_from(">Q", answer, 8)[0] == transaction:
                break
        status = struct.unpack_from(">H", answer, 4)[0] & 0x7FFF
        assert status == 0, f"attribute {attribute:#06x} is answered with status {status:#06x}"
        return answer[64:128]

    def bring_up(self, fabric: ccsim.Fabric, *, at: int) -> None:
        """LIDs from 1 by endport, then by switch; the fabric's routes; every link active. `at`: node index of where this runs."""
        paths = _paths(fabric, at)
        lids = {place: lid for lid, place in enumerate(fabric.endports, start=1)}
        switches = [node for node in range(fabric.num_nodes) if fabric.node_kind(node) == "switch"]
        for node in switches:
            self._set_lid(paths[node], 0, len(lids) + switches.index(node) + 1)
            self._set_forwarding(fabric, node, paths[node], len(lids) + len(switches))
        for (node, port), lid in lids.items():
            self._set_lid(paths[node], port, lid)
        cabled = [
            (node, port)
            for node in range(fabric.num_nodes)
            for port in range(1, fabric.node_num_ports(node) + 1)
            if fabric.peer(node, port)
        ]
        self.activate([(paths[node], port) for node, port in cabled])

    def activate(self, ports: Sequence[tuple[list[int], int]]) -> None:
        """Brings ports from Init to Active, each by the path to its node and its number. Both ends of a link belong to it."""
        for state in (ARMED, ACTIVE):
            for path, port in ports:
                self._set_port(path, port, state=state)

    def _set_port(self, path: list[int], port: int, *, lid: int | None = None, state: int = 0) -> None:
        data = bytearray(self.smp(GET, PORT_INFO, port, path))
        if lid is not None:
            struct.pack_into(">HH", data, 16, lid, 1)  # and the LID of the manager
        data[32] = data[32] & 0xF0 | state
        data[33] = 0  # no change of the physical state
        self.smp(SET, PORT_INFO, port, path, bytes(data))

    def _set_lid(self, path: list[int], port: int, lid: int) -> None:
        self._set_port(path, port, lid=lid)

    def _set_forwarding(self, fabric: ccsim.Fabric, node: int, path: list[int], top: int) -> None:
        info = bytearray(self.smp(GET, SWITCH_INFO, 0, path))
        struct.pack_into(">H", info, 6, top)
        self.smp(SET, SWITCH_INFO, 0, path, bytes(info))
        table = bytearray(b"\xff" * 64)
        assert top < len(table)
        for lid in range(1, len(fabric.endports) + 1):
            table[lid] = _port_towards(fabric, node, lid - 1)
        self.smp(SET, FORWARDING, 0, path, bytes(table))


def _paths(fabric: ccsim.Fabric, at: int) -> dict[int, list[int]]:
    """Ports to leave by from one node to each, by breadth first."""
    paths: dict[int, list[int]] = {at: []}
    queue = [at]
    for node in queue:
        for port in range(1, fabric.node_num_ports(node) + 1):
            peer = fabric.peer(node, port)
            if peer is None or peer[0] in paths or (paths[node] and fabric.node_kind(node) != "switch"):
                continue
            paths[peer[0]] = [*paths[node], port]
            queue.append(peer[0])
    return paths


def _port_towards(fabric: ccsim.Fabric, switch: int, endport: int) -> int:
    """The port that the fabric's routes have at a switch; 255 if none comes by."""
    for source in range(len(fabric.endports)):
        if source != endport:
            for node, port in fabric.route(source, endport):
                if node == switch:
                    return port
    return 255
