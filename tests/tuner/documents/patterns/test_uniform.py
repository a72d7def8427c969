# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import numpy as np
import pytest

from tests.tuner.documents.patterns import bed
from tuner.errors import BadInputError


def test_all_hosts_share_one_set_of_destinations() -> None:
    flows = bed.expanded({"kind": "uniform", "name": "u"})
    assert [flow.src for flow in flows] == [f"H{i}" for i in range(1, 17)]
    assert {flow.dst for flow in flows} == {"uniform(16 hosts)"}
    assert len({id(flow.destinations) for flow in flows}) == 1
    assert {flow.rate_gbps for flow in flows} == {None}


def test_load_is_a_part_of_what_the_bus_or_the_link_lets_through() -> None:
    assert bed.expanded({"kind": "uniform", "name": "u", "load": 0.5})[0].rate_gbps == pytest.approx(0.5 * 13.5)
    tiny = bed.expanded({"kind": "uniform", "name": "u", "load": 0.5, "message_bytes": 64})[0]
    assert tiny.rate_gbps == pytest.approx(0.5 * 16 * 64 / 90)  # headers leave less of the link than the bus lets through


def test_messages_go_to_all_others_equally_often() -> None:
    document = {"kind": "uniform", "name": "u", "hosts": ["H[1-4]"], "message_bytes": 2048, "load": 0.3}
    delivered = bed.run(bed.workload(document, duration_s=0.02), trace_packets=2_000_000).packets(1)
    counts = np.bincount(delivered["flow"] * 5 + delivered["node"], minlength=25).reshape(-1, 5)[:4, 1:]
    assert np.array_equal(np.diag(counts), np.zeros(4))
    others = counts[~np.eye(4, dtype=bool)]
    assert others.sum() > 15_000
    assert others == pytest.approx(others.mean(), rel=0.1)  # about 1600 each: 4 standard deviations


def test_one_destination_is_a_plain_one_and_it_does_not_send_to_itself() -> None:
    flows = bed.expanded({"kind": "uniform", "name": "u", "hosts": ["H[1-3]"], "destinations": ["H2"]})
    assert [(flow.src, flow.dst, flow.destinations) for flow in flows] == [("H1", "H2", None), ("H3", "H2", None)]


def test_a_host_alone_has_nobody_to_send_to() -> None:
    with pytest.raises(BadInputError, match="pattern 'u' finds 0 flows on this fabric; it must find 1"):
        bed.expanded({"kind": "uniform", "name": "u", "hosts": ["H1"]})
