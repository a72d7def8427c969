# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The inside of real hosts for the verdict, as their agents tell it (`topology`, `use`): time without PCIe credits, PCIe links,
and memory bandwidth. An agent may say anything."""

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tuner.diagnosis.evidence import InsideSeen
from tuner.documents.inventory import InventoryHost
from tuner.errors import BadInputError, IbccError, InterruptedRunError
from tuner.hostping.asking import ask, the
from tuner.hostping.reading import read_inside
from tuner.hosts.launchers.base import Event, Launcher

AT_ONCE = 16
STALLED_EVENTS, STALLED_SHARE = "outbound_pci_stalled_wr_events", 0.3
"""Seconds in which the adapter was without PCIe credits for more than this share, as mlx5 counts them."""
PAYLOAD_SHARE = 0.87
"""Of what a PCIe link carries with its encoding, at payloads of 512 bytes (the arithmetic of pcie-model)."""
_SPEED = re.compile(r"([0-9]{1,3}(?:\.[0-9])?) GT/s")
_FAST_ENCODING_GT_PER_S = 8.0
"""From this speed on, PCIe sends 128 bits of 130; below, 8 of 10."""


def insides(
    launcher: Launcher,
    hosts: Sequence[InventoryHost],
    seconds: float,
    *,
    patience_s: float = 30.0,
    should_stop: Callable[[], bool] = lambda: False,
) -> tuple[dict[str, InsideSeen], dict[str, str]]:
    """Returns what each host's agent has told, by name on the fabric, and of those that told nothing the reason. Raises
    InterruptedRunError soon after `should_stop()`."""

    def one(host: InventoryHost) -> InsideSeen | str:
        try:
            topology = the("topology", ask(launcher, host.node, {"op": "topology"}, patience_s, should_stop))
            used = ask(launcher, host.node, {"op": "use", "seconds": seconds}, seconds + patience_s, should_stop)
            return inside_of(topology, the("use", used))
        except InterruptedRunError:
            raise
        except IbccError as error:
            return str(error)

    with ThreadPoolExecutor(max(1, min(AT_ONCE, len(hosts))), thread_name_prefix="ibcc-inside") as pool:
        told = dict(zip([host.host for host in hosts], pool.map(one, hosts), strict=True))
    known = {name: found for name, found in told.items() if isinstance(found, InsideSeen)}
    return known, {name: found for name, found in told.items() if isinstance(found, str)}


def inside_of(topology: Event, use: Event) -> InsideSeen:
    """Raises BadInputError for what no agent sends."""
    degraded = tuple(read_inside(topology).degraded)
    try:
        return InsideSeen(
            without_credits_share=_stalled(use),
            pcie_gbps=_pcie(topology),
            load_gbytes_per_s=_load(use),
            faults=degraded,
        )
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise BadInputError(f"its agent sent what cannot be read: {type(error).__name__}: {str(error)[:100]}") from None


def pcie_gbps(speed: str, width: int) -> float | None:
    """Returns the payload in Gb/s that a PCIe link carries; None for a speed that cannot be read. `speed`: as Linux writes it,
    such as "8.0 GT/s PCIe". `width`: in lanes."""
    read = _SPEED.match(speed)
    if read is None or width <= 0:
        return None
    gt_per_s = float(read.group(1))
    encoding = 128 / 130 if gt_per_s >= _FAST_ENCODING_GT_PER_S else 0.8
    return gt_per_s * width * encoding * PAYLOAD_SHARE


def _stalled(use: Event) -> float | None:
    """At least that: the driver counts seconds in which it was more than STALLED_SHARE."""
    counted = [_number(card[STALLED_EVENTS]) for card in use["cards"].values() if STALLED_EVENTS in card]
    seconds = _number(use["seconds"])
    return None if not counted or seconds <= 0 else STALLED_SHARE * min(1.0, max(counted) / seconds)


def _load(use: Event) -> float | None:
    """GB/s of the memory that is used most."""
    memory = use["memory_gbps"]
    return None if not memory else max(_number(gbps) for gbps in memory.values()) / 8


def _pcie(topology: Event) -> float | None:
    """Of the slowest link on the way of the host's adapter; None if it has several, as it is not known which one is slow."""
    adapters = topology["adapters"]
    if len(adapters) != 1:
        return None
    found = [_link(topology["pci"][bridge]["link"]) for bridge in adapters[0]["bridges"]]
    return min((gbps for gbps in found if gbps is not None), default=None)


def _link(link: Any) -> float | None:
    speed, width = link["current_link_speed"], link["current_link_width"]
    return None if speed is None or width is None else pcie_gbps(str(speed), int(width))


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise ValueError(f"{value!r} is no count or rate")
    return float(value)
