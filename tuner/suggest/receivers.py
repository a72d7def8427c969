# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The receivers of a fabric: how fast they are, and how many of each kind there are."""

from collections import Counter
from collections.abc import Mapping

import ccsim
from ccsim.policy import PACKET_OVERHEAD_BYTES
from tuner.documents.fabric import End
from tuner.documents.hosts import Endport
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest.rule import Link


def receivers(built: BuiltFabric) -> Mapping[Endport, Link]:
    """Returns the way into each host that has a link. Raises BadInputError if there are fewer than three."""
    document = built.document
    rates = {end: link.rate for link, *ends in document.ends() for end in ends}
    found = {}
    for endport in built.hosts.endports:
        if endport.kind != "host":
            continue
        rate_gbps = ccsim.link_data_gbps(rates[End(endport.node, endport.port)])
        carries = rate_gbps * document.mtu_bytes / (document.mtu_bytes + PACKET_OVERHEAD_BYTES)
        limit = document.hosts[endport.node - len(document.switches)].receive_gbps
        found[endport] = Link(
            rate_gbps=rate_gbps, mtu_bytes=document.mtu_bytes, receive_gbps=carries if limit is None else min(limit, carries)
        )
    if len(found) < 3:
        raise BadInputError(
            f"fabric '{document.name}' has {len(found)} hosts with a link; congestion needs three, of which two send to the third"
        )
    return found


def kinds(links: Mapping[Endport, Link]) -> list[tuple[Link, int]]:
    """Returns each kind of receiver with how many there are, the most frequent first, of equals the faster."""
    counted = Counter(links.values())
    return sorted(counted.items(), key=lambda item: (-item[1], -item[0].receive_gbps))
