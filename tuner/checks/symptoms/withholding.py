# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hosts that withhold credits more than before: the switch's port to such a host has data and waits, while the host receives
less than its link can carry. And hosts whose adapters are without PCIe credits, where they count that."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import ccsim
from tuner.checks.symptoms.symptom import Symptom
from tuner.fabric.built_fabric import BuiltFabric
from tuner.measuring.measurement import Measurement

Record: TypeAlias = Mapping[str, Any]
WAIT_SHARE = 0.03
"""Of the time, from which on a port's waiting tells that its host withholds credits (Hostping, section 5: PFC_high)."""
FULL_SHARE = 0.95
"""A host that receives at least this share of what its link carries is not what the port waits for."""
_MORE = 0.1
"""Share of the run by which a host that always withholds some credits must withhold more."""


def withheld(measurement: Measurement, built: BuiltFabric) -> dict[str, float]:
    """Returns, by host, the share of the run that the switch's port to it waited; 0 if the host received what its link carries.
    Hosts whose switches do not count are left out."""
    counted = {(row["node"], row["port"]): row for row in measurement.counters.get("ports", ())}
    document, seconds = built.document, measurement.duration_s
    shares: dict[str, float] = {}
    for link, *ends in document.ends():
        for here, there in (ends, ends[::-1]):
            row = counted.get((document.nodes[here.node].name, here.port))
            if there.node < len(document.switches) or row is None or "xmit_wait_ns" not in row:
                continue
            is_full = row["xmit_bytes"] * 8e-9 / seconds >= FULL_SHARE * ccsim.link_data_gbps(link.rate)
            share = 0.0 if is_full else row["xmit_wait_ns"] * 1e-9 / seconds
            host = document.nodes[there.node].name
            shares[host] = round(max(share, shares.get(host, 0.0)), 6)
    return shares


def stalled(measurement: Measurement) -> dict[str, float]:
    """Returns, by host, the share of the run that its adapter was without PCIe credits; hosts that do not count it are left
    out."""
    rows = measurement.counters.get("modelled_hosts", ())
    return {row["name"]: round(float(row["without_credits_share"]), 6) for row in rows}


def changed_hosts(now: Record, before: Sequence[Record]) -> Iterator[Symptom]:
    """`now`, `before`: nights of a flow record, with `withheld` and `stalled`."""
    for host, share, usual in _grown("withheld", now, before):
        sentence = f"the switch waits {share:.1%} of the time to send to {host}, usually {usual:.1%}"
        yield Symptom(name="host-withholds", sentence=sentence, place=host, nodes=(host,))
    for host, share, usual in _grown("stalled", now, before):
        sentence = f"the adapter of {host} is without PCIe credits {share:.1%} of the time, usually {usual:.1%}"
        yield Symptom(name="host-stalled", sentence=sentence, place=host, nodes=(host,))


def _grown(key: str, now: Record, before: Sequence[Record]) -> Iterator[tuple[str, float, float]]:
    """Yields host, tonight's share and the usual one."""
    for host, share in now.get(key, {}).items():
        known = [night[key][host] for night in before if host in night.get(key, {})]
        if not known:
            continue
        usual = statistics.median(known)
        if share >= WAIT_SHARE and share >= usual + (_MORE if usual >= WAIT_SHARE else 0.0):
            yield host, share, usual
