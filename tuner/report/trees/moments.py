# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds the deepest congestion tree at each sample of a run: its root, and the ports upstream that wait for it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tuner.documents.fabric import End, FabricDocument
from tuner.measuring.port_series import PortSeries
from tuner.report.plots.fabric_roots import QUEUED_PACKETS, WAITED

Flags = npt.NDArray[np.bool_]
"""One flag for each port of a PortSeries, in its order."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Moment:
    """Congestion at the end of one sample."""

    above_half: int
    """Number of ports of switches that queue more than half of an input buffer."""
    root: int | None
    """Position of the tree's root in `PortSeries.ports`; None where no port is one."""
    members: Flags
    """Ports of switches that belong to the tree, its root included, and ports of adapters that wait for it."""
    switch_ports: int
    """Number of ports of switches that belong to the tree, its root included."""
    adapters: int
    """Number of ports of adapters that wait for the tree."""


class TreeFinder:
    """Finds trees in the series of one run.

    A root is a port of a switch with at least QUEUED_PACKETS packets, and with credits: it leads to an adapter, or waited for
    credits in less than WAITED of the interval. Of several, the one with the longest queue counts. A port upstream belongs to
    its tree if it sends to a switch of the tree and is full: it queues more than half of an input buffer, or waited for
    credits in at least WAITED of the interval. (Thesis, Papers V and VI: a tree grows upstream from its root over full
    buffers.)
    """

    def __init__(self, document: FabricDocument, series: PortSeries) -> None:
        """Raises ValueError if a port of the series has no link in the document."""
        self._series = series
        peer = {one: other for _, a, b in document.ends() for one, other in ((a, b), (b, a))}
        if unknown := [end for end in series.ports if end not in peer]:
            raise ValueError(f"port {unknown[0].port} of node {unknown[0].node} has no link in fabric '{document.name}'")
        self.peers: tuple[End, ...] = tuple(peer[end] for end in series.ports)
        """The other end of each port's link."""
        self._node = np.array([end.node for end in series.ports], dtype=np.int64)
        self._next_node = np.array([end.node for end in self.peers], dtype=np.int64)
        self._n_nodes = len(document.nodes)
        self._of_switch: Flags = self._node < len(document.switches)
        self._to_adapter: Flags = self._next_node >= len(document.switches)
        self._root_bytes = QUEUED_PACKETS * document.mtu_bytes

    @cached_property
    def half_bytes(self) -> float:
        """Half of an input buffer."""
        return self._series.buffer_bytes / 2

    def at(self, sample: int) -> Moment:
        """Returns the moment at the end of a sample, counted from 0."""
        queued, waited = self._series.queued_bytes[:, sample], self._series.waited[:, sample] >= WAITED
        above = self._of_switch & (queued > self.half_bytes)
        roots = self._of_switch & (queued >= self._root_bytes) & (self._to_adapter | ~waited)
        members: Flags = np.zeros(len(queued), dtype=np.bool_)
        root = int(np.argmax(np.where(roots, queued, 0))) if roots.any() else None
        if root is not None:
            members = self._upstream(int(self._node[root]), np.asarray(above | waited))
            members[root] = True
        return Moment(
            above_half=int(above.sum()),
            root=root,
            members=members,
            switch_ports=int((members & self._of_switch).sum()),
            adapters=int((members & ~self._of_switch).sum()),
        )

    def _upstream(self, node: int, full: Flags) -> Flags:
        """Full ports on the ways to a node, step by step over nodes whose full ports lead there."""
        reached = np.zeros(self._n_nodes, dtype=np.bool_)
        reached[node] = True
        found = np.zeros(len(full), dtype=np.bool_)
        while True:
            # A switch's port to an adapter leads to no node of the tree, so adapters never let others in.
            new = full & reached[self._next_node] & ~found
            if not new.any():
                return found
            found |= new
            reached[self._node[new & self._of_switch]] = True
