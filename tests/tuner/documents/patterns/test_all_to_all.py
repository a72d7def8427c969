# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections.abc import Iterator

from tests.tuner.documents.patterns import bed

DOCUMENT = {"kind": "all-to-all", "name": "a", "hosts": ["H[1-5]"], "message_bytes": 2048, "load": 0.5}


def visited(flow: int) -> Iterator[int]:
    delivered = bed.run(bed.workload(DOCUMENT), trace_packets=100_000).packets(1)
    yield from delivered["node"][delivered["flow"] == flow].tolist()


def test_hosts_share_one_cycle() -> None:
    flows = bed.expanded(DOCUMENT)
    assert {flow.dst for flow in flows} == {"cyclic(5 hosts)"}
    assert len({id(flow.destinations) for flow in flows}) == 1


def test_each_host_goes_round_from_its_own_place() -> None:
    assert list(visited(0))[:8] == [2, 3, 4, 5, 2, 3, 4, 5]
    assert list(visited(3))[:8] == [5, 1, 2, 3, 5, 1, 2, 3]
