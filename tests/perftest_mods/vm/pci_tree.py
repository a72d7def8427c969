# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A made-up PCIe tree for the virtual machine: a root complex beside each NUMA node, root ports and switches below these, and
network cards that carry soft-RoCE devices."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class RoceCard:
    """A network card with a soft-RoCE device, `rxeN`, on it."""

    number: int
    """N of the device's name, 0 to 99."""
    numa_node: int
    """Node of its root complex."""
    switch: str | None = None
    """Cards with the same name are below one switch, which has a root port; None: the card is in a root port itself."""

    @property
    def device(self) -> str:
        return f"rxe{self.number}"

    @property
    def mac(self) -> str:
        return f"52:54:00:77:00:{self.number:02x}"

    @property
    def address(self) -> str:
        """A network for each card, so that each has a way of its own."""
        return f"10.77.{self.number}.1"


CARDS = (
    RoceCard(number=0, numa_node=0, switch="switch"),
    RoceCard(number=1, numa_node=0, switch="switch"),
    RoceCard(number=2, numa_node=1),
)
"""Two cards below a switch of node 0, and one in a root port of node 1."""


def qemu_options(cards: Sequence[RoceCard]) -> list[str]:
    """For the machine q35. A root complex has 64 bus numbers, its own and those below it."""
    devices: list[str] = []
    for node in sorted({card.numa_node for card in cards}):
        devices.append(f"pxb-pcie,id=complex{node},bus=pcie.0,bus_nr={64 * (node + 1)},numa_node={node}")
    networks: list[str] = []
    ports: dict[str, str] = {}
    for card in cards:
        place = card.switch or card.device
        if place not in ports:
            ports[place] = port = f"port-{place}"
            devices.append(f"pcie-root-port,id={port},bus=complex{card.numa_node},chassis={len(ports)},slot=0")
            if card.switch is not None:
                devices.append(f"x3130-upstream,id=up-{place},bus={port}")
        bus = ports[place]
        if card.switch is not None:
            bus = f"down-{card.device}"
            devices.append(f"xio3130-downstream,id={bus},bus=up-{place},chassis={100 + card.number},slot=0")
        networks.append(f"user,id=net-{card.device},restrict=on")
        devices.append(f"virtio-net-pci,netdev=net-{card.device},mac={card.mac},bus={bus},romfile=")
    return [word for network in networks for word in ("-netdev", network)] + [
        word for device in devices for word in ("-device", device)
    ]


def kernel_words(cards: Sequence[RoceCard]) -> list[str]:
    """Device, MAC and IPv4 address of each card, for init.sh."""
    return [f"roce={card.device},{card.mac},{card.address}" for card in cards]
