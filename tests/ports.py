# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""TCP ports for tests whose programs must agree on some beforehand; port 0 is better for a program that tells which it has."""

import itertools
import os
import socket
import time
from collections import deque

COUNT = 1000
"""Ports of a block."""

_BLOCKS = range(10_000, 32_000, COUNT)
"""First ports, below those that the kernel gives to clients (net.ipv4.ip_local_port_range)."""

_PATIENCE_S = 600.0

_turns = itertools.count(os.getpid())
_recent: "deque[Block]" = deque(maxlen=2)
"""Not given back yet, as tests keep the file that names the ports rather than the block."""


class Block:
    """`COUNT` ports from `first` on, which no other test of this machine gets while this object is referenced, whichever user,
    process or checkout runs it. A name in the abstract namespace of sockets says so, and goes with the process."""

    def __init__(self, first: int) -> None:
        """Raises OSError where another has them."""
        self.first = first
        self._name = socket.socket(socket.AF_UNIX)
        self._name.bind(f"\0ibcc-tests-ports-{first}")

    def __del__(self) -> None:
        self._name.close()


def block() -> Block:
    """The next block that is free. One after the other, so that connections of the test before have time to end."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        for _ in _BLOCKS:
            try:
                _recent.append(Block(_BLOCKS[next(_turns) % len(_BLOCKS)]))
            except OSError:
                continue
            return _recent[-1]
        time.sleep(0.1)  # nobody tells when another process gives one back
    raise TimeoutError(f"all {len(_BLOCKS)} blocks of ports have been taken for {_PATIENCE_S:.0f} s")
