# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Series of ports that the tests of the page share: nothing is queued but what they say."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.tuner.report.plots.fabric_cases import node
from tuner.documents.fabric import End, FabricDocument
from tuner.measuring.port_series import PortSeries

BUFFER = 64 * 1024


def end_to(document: FabricDocument, source: str, to: str) -> End:
    """The port of a node that leads to another."""
    near, far = node(document, source), node(document, to)
    return next(one for _, a, b in document.ends() for one, other in ((a, b), (b, a)) if one.node == near and other.node == far)


def series_of(
    document: FabricDocument,
    queued: Mapping[tuple[str, str], Any],
    waited: Mapping[tuple[str, str], Any] | None = None,
    *,
    samples: int = 1,
    isolation: Mapping[tuple[str, str], Any] | None = None,
    received: Mapping[str, Any] | None = None,
) -> PortSeries:
    """By (node, next node): bytes queued, fractions waited and special queues, a value or one a sample; by host: Gb/s."""
    ports = tuple(sorted(end for _, a, b in document.ends() for end in (a, b)))
    hosts = tuple(end for end in ports if end.node >= len(document.switches))

    def table(values: Mapping[tuple[str, str], Any], dtype: Any) -> Any:
        rows = np.zeros((len(ports), samples), dtype=dtype)
        for (source, to), value in values.items():
            rows[ports.index(end_to(document, source, to))] = value
        return rows

    gbps = np.zeros((len(hosts), samples))
    for name, value in (received or {}).items():
        gbps[[end.node for end in hosts].index(node(document, name))] = value
    return PortSeries(
        interval_s=0.001,
        ports=ports,
        queued_bytes=table(queued, np.uint32),
        waited=table(waited or {}, np.float64),
        hosts=hosts,
        received_gbps=gbps,
        buffer_bytes=BUFFER,
        special_queues=None if isolation is None else table(isolation, np.int64),
    )
