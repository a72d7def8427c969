# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import numpy as np
import pytest

from tests.tuner.documents.patterns import bed
from tuner.errors import BadInputError

DOCUMENT = {
    "kind": "request-response",
    "name": "io",
    "clients": ["H[1-4]"],
    "servers": ["H4", "H5"],
    "message_bytes": 256,
    "response_bytes": 8192,
    "window": 3,
}


def test_clients_are_dealt_out_to_servers() -> None:
    flows = bed.expanded(DOCUMENT)
    assert [(flow.src, flow.dst) for flow in flows[::2]] == [("H1", "H4"), ("H2", "H5"), ("H3", "H4")]
    assert [(flow.src, flow.dst) for flow in flows[1::2]] == [("H4", "H1"), ("H5", "H2"), ("H4", "H3")]
    assert [(flow.message_bytes, flow.loop.window) for flow in flows[:2] if flow.loop] == [(256, 3), (8192, 0)]


def test_so_many_requests_are_open_and_no_more() -> None:
    run = bed.run(bed.workload(DOCUMENT | {"clients": ["H1"], "servers": ["H5"]}), trace_packets=100_000)
    sent, delivered = run.packets(0), run.packets(1)
    requests = sent["time_ns"][sent["flow"] == 0]
    answers = delivered["time_ns"][delivered["flow"] == 1][3::4]  # of four packets each
    opened = np.arange(1, len(requests) + 1) - np.searchsorted(answers, requests, side="right")
    assert len(requests) > 100
    assert opened.max() == 3
    assert (opened[3:] == 3).all()  # a new one as soon as one is answered


def test_somebody_has_to_ask() -> None:
    with pytest.raises(BadInputError, match="pattern 'io' finds no client that is not a server too"):
        bed.expanded(DOCUMENT | {"clients": ["H5"]})
