# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Load of each link under uniform traffic and under shift permutations, counted along the routes of a routed fabric.

Uniform traffic: each host sends equally to each other. A link that carries P of the N (N - 1) pairs then needs P / (N - 1) times
the rate of a host, so that the most loaded link bounds what all hosts can send at once, whatever congestion control does. In a
shift permutation by k, the host at place i sends to the one at place i + k; all-to-all exchanges consist of such steps.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

import ccsim
from tuner.documents.fabric import FabricDocument
from tuner.fabric.levels import levels_of_switches
from tuner.fabric.shapes.switch_graph import is_host

_SHIFTS = 32
"""Shift permutations that are tried; fabrics of fewer hosts have fewer, and then all are tried."""
_PORTS = 255

Counts: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class PortLoad:
    """A direction of a link between switches. `pairs`: of hosts, whose routes it carries."""

    switch: int
    port: int
    to: int
    pairs: int


@dataclass(frozen=True, kw_only=True)
class Loads:
    """Answers for one routing. Directions are those of links between switches; upward ones lead to a switch that is farther from
    the hosts."""

    unreachable_pairs: int
    """Pairs of hosts, in each direction, that have no route."""
    directions: int
    used: int
    """Directions that carry anything."""
    upward: int
    upward_used: int
    busiest: PortLoad | None
    """Direction with the most pairs for its data rate; None without links between switches."""
    mean_pairs: float
    """Pairs that a direction carries on average."""
    uniform_gbps: float
    """Greatest rate, in Gb/s, at which all hosts can send at once under uniform traffic; 0 with fewer than two hosts."""
    uniform_share: float
    """`uniform_gbps` as a share of what the links of hosts alone would allow."""
    shift_mean: float | None
    """Rate of the slowest flow of a shift permutation as a share of a host's link, on average over the permutations; None with
    fewer than two hosts or with pairs that have no route."""
    shift_worst: float | None
    sorted_shares: tuple[float, ...]
    """Load of each direction as a share of its data rate, when hosts send at the rate that their links alone would allow; most
    loaded first, may exceed 1."""


class LoadCounter:
    """Counts on a ccsim.Fabric, after each routing of it anew. `order`: switches with hosts, as permutations number them."""

    def __init__(self, document: FabricDocument, fabric: ccsim.Fabric, order: Sequence[int]) -> None:
        self.fabric = fabric
        self._n_switches = n = len(document.switches)
        self._capacity: Floats = np.full((n, _PORTS), np.inf)
        self._peer = np.full((n, _PORTS), -1, dtype=np.int32)
        self._to_host = np.zeros((n, _PORTS), dtype=bool)
        level = np.array([level or 0 for level in levels_of_switches(document)], dtype=np.int32)
        self._upward = np.zeros((n, _PORTS), dtype=bool)
        at_switch: dict[int, list[int]] = {}
        for link, *ends in document.ends():
            for own, other in (ends, ends[::-1]):
                if own.node >= n:
                    continue
                self._capacity[own.node, own.port] = ccsim.link_data_gbps(link.rate)
                if other.node < n:
                    self._peer[own.node, own.port] = other.node
                    self._upward[own.node, own.port] = level[other.node] > level[own.node]
                elif is_host(document, other.node):
                    self._to_host[own.node, own.port] = True
                    at_switch.setdefault(own.node, []).append(fabric.endport(other.node, other.port))
        self._hosts = [endport for s in order for endport in sorted(at_switch.get(s, []))]
        self._between = self._peer >= 0

    @property
    def hosts(self) -> int:
        """Host ports with a link to a switch."""
        return len(self._hosts)

    def uniform_share(self) -> float | None:
        """Returns the share of what the links of hosts allow that the present routes carry under uniform traffic; None with fewer
        than two hosts, and where some do not reach each other."""
        n = self.hosts
        pairs: Counts = self.fabric.pair_loads().astype(np.int64)
        if n < 2 or int(pairs[self._to_host].sum()) < n * (n - 1):
            return None
        return (n - 1) / float((pairs / self._capacity).max()) / self.host_gbps

    def volume(self) -> tuple[float, int]:
        """Returns the rates of all directions between switches together, in Gb/s, and over how many of them the routes of all
        pairs of hosts lead together."""
        return float(self._capacity[self._between].sum()), int(self.fabric.pair_loads()[self._between].sum())

    def use_of_links(self) -> dict[tuple[int, int], float]:
        """Returns, by pair of switches that are linked, the lower first, the pairs of hosts that the present routes lead over the
        busiest direction of their links, for each Gb/s of its data rate."""
        relative = self.fabric.pair_loads() / self._capacity
        use: dict[tuple[int, int], float] = {}
        for switch, port in np.argwhere(self._between):
            peer = int(self._peer[switch, port])
            pair = (int(switch), peer) if switch < peer else (peer, int(switch))
            use[pair] = max(use.get(pair, 0.0), float(relative[switch, port]))
        return use

    def gbps_out_of(self, switches: Sequence[int]) -> float:
        """Returns the rates together, in Gb/s, of links that lead from some switches to others."""
        rows = np.asarray(switches)
        leads_out = self._between[rows] & ~np.isin(self._peer[rows], rows)
        return float(self._capacity[rows][leads_out].sum())

    def count(self) -> Loads:
        """Counts along the routes that the fabric has now."""
        n = self.hosts
        pairs: Counts = self.fabric.pair_loads().astype(np.int64)
        between = pairs[self._between]
        upward = pairs[self._upward]
        missing = n * (n - 1) - int(pairs[self._to_host].sum())
        relative = pairs / self._capacity
        all_gbps = 0.0 if n < 2 else (n - 1) / float(relative.max()) if relative.max() > 0 else 0.0
        shifts = self._shifts if n > 1 and not missing else []
        shares = np.sort(relative[self._between] * self.host_gbps / max(1, n - 1))[::-1]
        return Loads(
            unreachable_pairs=missing,
            directions=between.size,
            used=int((between > 0).sum()),
            upward=upward.size,
            upward_used=int((upward > 0).sum()),
            busiest=self._busiest(pairs, relative),
            mean_pairs=float(between.mean()) if between.size else 0.0,
            uniform_gbps=all_gbps,
            uniform_share=all_gbps / self.host_gbps if self.host_gbps else 0.0,
            shift_mean=sum(shifts) / len(shifts) if shifts else None,
            shift_worst=min(shifts) if shifts else None,
            sorted_shares=tuple(shares.tolist()),
        )

    @cached_property
    def host_gbps(self) -> float:
        """Data rate of the slowest link of a host."""
        rates = self._capacity[self._to_host]
        return float(rates.min()) if rates.size else 0.0

    def _busiest(self, pairs: Counts, relative: Floats) -> PortLoad | None:
        if not self._between.any():
            return None
        at = int(np.where(self._between, relative, -1.0).argmax())
        switch, port = divmod(at, _PORTS)
        return PortLoad(switch, port, int(self._peer[switch, port]), int(pairs[switch, port]))

    @property
    def _shifts(self) -> list[float]:
        """Rate of the slowest flow of each permutation, as a share of a host's link."""
        n = self.hosts
        steps = range(1, n) if n <= _SHIFTS else sorted(random.Random(n).sample(range(1, n), _SHIFTS))
        found = []
        for step in steps:
            loads = self.fabric.flow_loads(self._hosts, self._hosts[step:] + self._hosts[:step])
            found.append(min(1.0, 1.0 / float((loads / self._capacity).max()) / self.host_gbps))
        return found
