# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import numpy as np
import pytest

from tests.tuner.documents.patterns import bed
from tuner.errors import BadInputError

DOCUMENT = {"kind": "ring-allreduce", "name": "r", "hosts": ["H[1-4]"], "message_bytes": 8192}


def test_each_host_passes_on_to_the_next() -> None:
    flows = bed.expanded(DOCUMENT)
    assert [(flow.src, flow.dst, flow.loop.grants) for flow in flows if flow.loop] == [
        ("H1", "H2", ("r-2",)),
        ("H2", "H3", ("r-3",)),
        ("H3", "H4", ("r-4",)),
        ("H4", "H1", ("r-1",)),
    ]


@pytest.mark.parametrize("window", [1, 2])
def test_a_chunk_is_sent_for_each_that_has_come(window: int) -> None:
    run = bed.run(bed.workload(DOCUMENT | {"window": window}), trace_packets=100_000)
    sent, delivered = run.packets(0), run.packets(1)
    for i in range(4):
        begun = sent["time_ns"][sent["flow"] == i][::4]
        come = delivered["time_ns"][delivered["flow"] == (i - 1) % 4][3::4]
        assert len(begun) > 50
        assert (begun[window:] >= come[: len(begun) - window]).all()
    assert np.ptp([received // 8192 for received in run.received_bytes]) <= window  # nobody runs ahead


def test_a_ring_needs_two() -> None:
    with pytest.raises(BadInputError, match="pattern 'r' finds 1 host on this fabric; a ring needs two"):
        bed.expanded(DOCUMENT | {"hosts": ["H1"]})
