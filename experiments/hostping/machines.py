# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Machines to diagnose: the one of Hostping's Fig. 2, and random ones, with planted faults."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tuner.hostping.matrix import Matrix, Place
from tuner.hostping.planted import LINE_RATE_GBPS, Faults, planted_matrix
from tuner.hostping.topology import HostTopology, PcieDevice

SEVERITIES = (0.2, 0.3, 0.4)
"""What a slow link carries, as a share of line rate. All paths over it are abnormal then, also those across sockets."""


def figure_2() -> HostTopology:
    """Two sockets, four root ports with a switch each, below each an adapter N and two GPUs G."""
    return HostTopology(
        memories={"M0": 0, "M1": 1},
        adapters=[_below_switch(f"N{port}", port // 2, port) for port in range(4)],
        gpus=[_below_switch(f"G{gpu}", gpu // 4, gpu // 2) for gpu in range(8)],
    )


def random_machine(drawn: random.Random) -> HostTopology:
    """1 to 4 sockets with 1 or 2 memories each, 1 to 8 adapters and up to 8 GPUs, on switches or in slots of the processor."""
    sockets = drawn.randint(1, 4)
    memories = {f"M{socket}.{part}": socket for socket in range(sockets) for part in range(drawn.choice((1, 1, 2)))}
    ports = [(port, drawn.randrange(sockets)) for port in range(drawn.randint(1, 8))]
    has_switch = {port: drawn.random() < 0.75 for port, _ in ports}
    free = [port for port in ports for _ in range(3 if has_switch[port[0]] else 1)]
    drawn.shuffle(free)
    adapters = [free.pop() for _ in range(min(len(free), drawn.randint(1, 8)))]
    gpus = [free.pop() for _ in range(min(len(free), drawn.randint(0, 8)))]
    return HostTopology(
        memories=memories,
        adapters=[_device(f"N{place}", port, has_switch) for place, port in enumerate(adapters)],
        gpus=[_device(f"G{place}", port, has_switch) for place, port in enumerate(gpus)],
    )


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A machine with slow links."""

    topology: HostTopology
    faults: Faults

    @property
    def links(self) -> frozenset[str]:
        return frozenset(self.faults.links_gbps)


def random_planted(drawn: random.Random, faults: int, severities: tuple[float, ...] = SEVERITIES) -> Planted:
    """Only links on a measured path are slow: nothing shows any other."""
    topology = random_machine(drawn)
    used = sorted({link for adapter in topology.adapter_names for e in topology.endpoints for link in topology.path(adapter, e)})
    chosen = drawn.sample(used, min(faults, len(used)))
    return Planted(
        topology=topology,
        faults=Faults(links_gbps={link: LINE_RATE_GBPS * drawn.choice(severities) for link in chosen}),
    )


def single_rivals(planted: Planted) -> frozenset[str]:
    """Other links that, slow alone, give the same matrix as a single planted fault. Each is tried: no rule of the diagnosis is
    used."""
    ((link, gbps),) = planted.faults.links_gbps.items()
    measured = planted_matrix(planted.topology, replace(planted.faults, noise=0))
    return frozenset(
        other
        for other in planted.topology.kinds
        if other != link and planted_matrix(planted.topology, Faults(links_gbps={other: gbps})) == measured
    )


def rivals(planted: Planted) -> list[frozenset[str]]:
    """Other sets of as many slow links, or fewer, that give the same matrix. No rule of the diagnosis is used."""
    measured = planted_matrix(planted.topology, replace(planted.faults, noise=0))
    found = dict.fromkeys(frozenset(links) for links in _grow(planted.topology, measured, {}, len(planted.links)))
    return [links for links in found if links != planted.links]


def _grow(topology: HostTopology, measured: Matrix, chosen: Mapping[str, float], most: int) -> Iterator[Mapping[str, float]]:
    """Sets of slow links, with what they carry, that hold `chosen` and give the matrix. The first path that is still too fast has
    another slow link, which carries what was measured there; on no path of that link more was measured."""
    found = planted_matrix(topology, Faults(links_gbps=chosen))
    open_place = next((place for place, cell in measured.cells.items() if cell != found.cells[place]), None)
    if open_place is None:
        yield chosen
    elif len(chosen) < most:
        gbps = _gbps(measured, open_place)
        for link in sorted(topology.path(*open_place) - chosen.keys()):
            if all(_gbps(measured, place) <= gbps for place in measured.cells if link in topology.path(*place)):
                yield from _grow(topology, measured, {**chosen, link: gbps}, most)


def _gbps(matrix: Matrix, place: Place) -> float:
    gbps = matrix.cells[place].bandwidth_gbps
    assert gbps is not None
    return gbps


def _below_switch(name: str, socket: int, port: int) -> PcieDevice:
    return PcieDevice(name=name, socket=socket, root_port=f"rp{port}", switch_links=(f"rp{port}",))


def _device(name: str, port: tuple[int, int], has_switch: Mapping[int, bool]) -> PcieDevice:
    number, socket = port
    if has_switch[number]:
        return _below_switch(name, socket, number)
    return PcieDevice(name=name, socket=socket, root_port=f"rp{number}")
