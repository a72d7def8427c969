# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from typing import Any

import numpy as np
import pytest

from tests.tuner.documents.patterns import bed

BURSTS = {"kind": "on-off", "name": "b", "on_s": 50e-6, "off_s": 150e-6, "message_bytes": 2048}


def sent_at_us(**changes: Any) -> Any:
    document = BURSTS | {"hosts": ["H1"], "destinations": ["H2"]} | changes
    return bed.run(bed.workload(document, duration_s=0.004), trace_packets=100_000).packets(0)["time_ns"] / 1e3


def test_packets_leave_only_in_bursts_which_they_fill() -> None:
    phase = sent_at_us() % 200
    assert phase.max() < 52  # a message begun at the end of a burst still goes
    assert np.histogram(phase, bins=5, range=(0, 50))[0] == pytest.approx(len(phase) / 5, rel=0.03)


def test_a_rate_is_that_of_the_bursts() -> None:
    times = sent_at_us(rate_gbps=4.0)
    assert len(times) * 2048 * 8e-9 / 0.001 == pytest.approx(4.0, rel=0.02)  # 20 bursts of 50 us
    assert (times % 200).max() < 52


def test_random_lengths_have_the_means() -> None:
    document = BURSTS | {"on_s": 50e-6, "off_s": 50e-6, "lengths": "exponential", "destinations": ["H2", "H3"], "load": 0.05}
    run = bed.run(bed.workload(document, duration_s=0.05), trace_packets=1_000_000)
    sent = run.packets(0)
    pauses = np.concatenate([np.diff(sent["time_ns"][sent["flow"] == i]) for i in range(len(run.flows))]) / 1e3
    spacing = 2048 * 8 / (0.05 * 13.5e3)
    pauses = pauses[pauses > 1.5 * spacing]
    assert len(pauses) > 1000
    assert np.std(pauses) == pytest.approx(50, rel=0.15)  # as an exponential distribution's: equal to its mean


def test_without_a_rate_a_burst_is_as_fast_as_the_host() -> None:
    assert len(sent_at_us()) * 2048 * 8e-9 / 0.001 == pytest.approx(13.5, rel=0.05)
