# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The part of a measurement's counters of modelled hosts that reports keep and draw."""

from collections.abc import Mapping
from typing import Any

MOST_HOSTS = 6
"""Number of hosts whose series are shown: of more, those whose receive buffers were the fullest."""


def shown_series(series: Mapping[str, Any]) -> dict[str, Any]:
    """`series`: as `host_series` of a measurement's counters. Returns those of the hosts that are shown, in their order."""
    fullest = sorted(series, key=lambda host: -max(series[host]["buffer_bytes"], default=0.0))[:MOST_HOSTS]
    return {host: values for host, values in series.items() if host in fullest}


def kept(counters: Mapping[str, Any]) -> dict[str, Any]:
    """Returns `modelled_hosts` and `host_series` of the hosts that are shown; empty without such hosts."""
    series = shown_series(counters.get("host_series", {}))
    if not series:
        return {}
    rows = [row for row in counters["modelled_hosts"] if row["name"] in series]
    return {"modelled_hosts": rows, "host_series": series}
