# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Drops and pauses that a host's own counters show, through its agent (`use`)."""

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tuner.documents.inventory import InventoryHost
from tuner.errors import BadInputError, IbccError, InterruptedRunError
from tuner.hostping.asking import ask, the
from tuner.hosts.launchers.base import Event, Launcher

PAUSE_SHARE = 0.03
"""Of the time, from which on pause frames that a host sends are a trigger (Hostping, section 5)."""
DROPS = re.compile(r"out_of_buffer|rx_discards_phy|rx_prio[0-7]_cong_discard|outbound_pci_buffer_overflow")
PAUSES_US = re.compile(r"tx_prio[0-7]_pause_duration")
AT_ONCE = 16


@dataclass(frozen=True, kw_only=True)
class OwnCounters:
    """Of one host."""

    drops: Mapping[str, int]
    """Counters of drops that grew, by name."""
    pause_share: float
    """Of the time, of the priority that paused its senders longest."""
    error: str | None = None
    """Why there are none; None: there are."""


def own_counters(
    launcher: Launcher,
    hosts: Sequence[InventoryHost],
    seconds: float,
    *,
    patience_s: float = 30.0,
    should_stop: Callable[[], bool] = lambda: False,
) -> dict[str, OwnCounters]:
    """By node. A host that fails costs its own alone. Raises InterruptedRunError soon after `should_stop()`."""

    def one(host: InventoryHost) -> OwnCounters:
        try:
            events = ask(launcher, host.node, {"op": "use", "seconds": seconds}, seconds + patience_s, should_stop)
            return read_own(the("use", events))
        except InterruptedRunError:
            raise
        except IbccError as error:
            return OwnCounters(drops={}, pause_share=0.0, error=str(error))

    with ThreadPoolExecutor(max(1, min(AT_ONCE, len(hosts))), thread_name_prefix="ibcc-use") as pool:
        return dict(zip([host.node for host in hosts], pool.map(one, hosts), strict=True))


def read_own(event: Event) -> OwnCounters:
    """Raises BadInputError for what no agent sends."""
    try:
        seconds = event["seconds"]
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < 3600:
            raise ValueError(f"{seconds!r} s")
        groups = [port["counters"] for port in event["ports"]] + list(event["cards"].values())
        grown = [(str(name), _count(value)) for group in groups for name, value in group.items()]
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise BadInputError(f"its agent sent a use that cannot be read: {type(error).__name__}: {str(error)[:100]}") from None
    drops: dict[str, int] = {}
    for name, value in grown:
        if DROPS.fullmatch(name) and value > 0:
            drops[name] = drops.get(name, 0) + value
    paused_us = max((value for name, value in grown if PAUSES_US.fullmatch(name)), default=0)
    return OwnCounters(drops=drops, pause_share=min(1.0, paused_us / (seconds * 1e6)))


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is no count")
    return value
