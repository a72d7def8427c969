# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hosts that withhold credits, by the counters of the switches' ports to them: the share of time that such a port waits, and what
the host receives beside. It is what the kind `fairness` reads in its own traffic, here of all traffic since the last reading."""

from collections.abc import Mapping, Sequence

import ccsim
from tuner.checks.links.ports import PortKey
from tuner.checks.links.waits import Wait
from tuner.checks.symptoms.withholding import FULL_SHARE

_WORD_BYTES = 4


def withheld(waiting: Sequence[Wait], sent_words: Mapping[PortKey, int], elapsed_s: float) -> dict[str, float]:
    """Returns by host the share of time that the port of the switch to it waited, 0 to 1; 0 if the host received what its
    link carries. Of several ports, that which waited longest. `sent_words`: PortXmitData since the last reading, in words of 4
    bytes. Ports without it, and links of unknown speed, are left out."""
    shares: dict[str, float] = {}
    for wait in waiting:
        host = wait.link.a if wait.port.key == wait.link.b.key else wait.link.b
        active, words = wait.port.active, sent_words.get(wait.port.key)
        if host.is_switch or words is None or active.width is None or active.speed is None:
            continue
        received_gbps = words * _WORD_BYTES * 8e-9 / elapsed_s
        is_full = received_gbps >= FULL_SHARE * ccsim.link_data_gbps(f"{active.width}x{active.speed}")
        share = 0.0 if is_full else round(min(wait.share, 1.0), 6)
        shares[host.description] = max(share, shares.get(host.description, 0.0))
    return shares
