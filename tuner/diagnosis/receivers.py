# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A host that withholds credits: whether something that runs there makes it slow, or the machine itself.

The counters of its switch are the same for both. The host's own tell them apart, those that real hosts have: time without PCIe
credits (`outbound_pci_stalled_wr` of mlx5), the PCIe link as it is negotiated, and memory bandwidth (`mbm_total_bytes` of
resctrl). A host whose adapter waits for credits while its memory has room to spare is not loaded, so it is misconfigured.
"""

from collections.abc import Iterator

from tuner.checks.symptoms.withholding import WAIT_SHARE
from tuner.diagnosis.evidence import InsideSeen, PortSeen
from tuner.diagnosis.fault import Fault

BUSY_SHARE = 0.9
"""Of what memory carries, from which on it makes the adapter wait (Hostping, section 4: an overloaded bus)."""
BUSY_LINES = 2
"""Times the rate of its port, from which on a load may saturate a memory of unknown size. On the machines of the papers, memory
carries at least 3.75 times what the port does (46.9 GB/s beside 100 Gb/s: docs/research/host-model.md). So it is not at
BUSY_SHARE of that before the load is 2.4 times what the port brings."""
_PING = "ibcc hosts ping INVENTORY --nodes {host} --triggered"


def slow_receiver(port: PortSeen, inside: InsideSeen | None) -> Fault:
    """`port`: of the switch to the host, which waits while the host receives less than its link carries. `inside`: None: it was
    not read."""
    waits = f"{port.name} waits {min(port.wait_share or 0.0, 1.0):.1%} of the time to send to it"
    seen: tuple[str, ...] = (f"{waits}, and it receives {port.sent_gbps or 0.0:.1f} of {port.line_gbps or 0.0:.1f} Gb/s",)
    if inside is None:
        unread = "its inside was not read, so that it may be loaded or misconfigured"
        return _loaded(port.host, (*seen, unread), _PING.format(host=port.host))
    wrong = tuple(_wrong(port, inside))
    seen += tuple(_told(inside))
    if wrong:
        return Fault(
            kind="host-misconfigured",
            place=port.host,
            sentence=f"host {port.host} is slow to receive, and not by what runs there: it is misconfigured",
            evidence=(*seen, *wrong),
            next_step="look at the IOMMU's mode, huge pages, the PCIe link and the adapter's NUMA node, by ibcc hosts ping",
        )
    match _is_memory_busy(port, inside):
        case True:
            return _loaded(port.host, seen, "call the owner of the load on this host")
        case False:
            return _loaded(port.host, seen, "call the owner of the program that receives on this host")
        case None:
            unread = "how busy its memory is was not read, so that it may be loaded or misconfigured"
            return _loaded(port.host, (*seen, unread), _PING.format(host=port.host))


def _loaded(host: str, evidence: tuple[str, ...], next_step: str) -> Fault:
    sentence = f"host {host} is slow to receive, and withholds credits"
    return Fault(kind="slow-receiver", place=host, sentence=sentence, evidence=evidence, next_step=next_step)


def _wrong(port: PortSeen, inside: InsideSeen) -> Iterator[str]:
    """Yields what is wrong whatever runs on the host."""
    yield from inside.faults
    if inside.pcie_gbps is not None and port.line_gbps is not None and inside.pcie_gbps < port.line_gbps:
        yield f"its PCIe link carries {inside.pcie_gbps:.1f} Gb/s, less than the {port.line_gbps:.1f} of its port"
    stalled = inside.without_credits_share
    if stalled is not None and stalled >= WAIT_SHARE and _is_memory_busy(port, inside) is False:
        yield "its adapter waits for PCIe credits while its memory has room to spare"


def _told(inside: InsideSeen) -> Iterator[str]:
    parts = []
    if inside.without_credits_share is not None:
        parts.append(f"its adapter is without PCIe credits {inside.without_credits_share:.0%} of the time")
    if inside.load_gbytes_per_s is not None:
        most = "" if inside.memory_gbytes_per_s is None else f" of {inside.memory_gbytes_per_s:.1f}"
        load = f", by {inside.load}" if inside.load else ""
        parts.append(f"its memory serves {inside.load_gbytes_per_s:.1f}{most} GB/s beside the traffic{load}")
    if parts:
        yield f"inside, {' and '.join(parts)}"


def _is_memory_busy(port: PortSeen, inside: InsideSeen) -> bool | None:
    """Whether memory makes the adapter wait; None: not known. Where it is not known what memory carries, a load of BUSY_LINES
    times the port's rate makes it busy."""
    if inside.load_gbytes_per_s is None:
        return None
    if inside.memory_gbytes_per_s is not None:
        return inside.load_gbytes_per_s + (port.sent_gbps or 0.0) / 8 >= BUSY_SHARE * inside.memory_gbytes_per_s
    return None if port.line_gbps is None else inside.load_gbytes_per_s >= BUSY_LINES * port.line_gbps / 8
