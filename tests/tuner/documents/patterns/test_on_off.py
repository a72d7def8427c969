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
    times = sent_at_us()
    times = times[times < 4000]  # the run's last moment is the first of the next burst
    assert (times % 200).max() < 52  # a message begun at the end of a burst still goes
    pauses = np.diff(times)[np.diff(times) > 2 * 2048 * 8 / 13.5e3]
    assert len(pauses) == 19
    assert pauses == pytest.approx([150] * 19, abs=2)
    assert len(times) * 2048 * 8e-9 / 0.001 == pytest.approx(13.5, rel=0.02)


@pytest.mark.parametrize("rate_gbps", [0.05, 0.3, 4.0])
def test_a_rate_is_that_of_the_bursts(rate_gbps: float) -> None:
    """Also where a message takes longer than a burst to be due: 2,048 bytes at 0.05 Gb/s are 328 µs, and bursts 50 µs."""
    times = sent_at_us(rate_gbps=rate_gbps)
    due = 0.001 * rate_gbps / (2048 * 8e-9)  # in 20 bursts
    assert due <= len(times) <= due + 1
    assert (times % 200).max() < 52


@pytest.mark.long
def test_random_lengths_have_the_means() -> None:
    senders = {"hosts": ["H[1-6]"], "destinations": ["H?", "H1?"], "lengths": "exponential"}
    run = bed.run(bed.workload(BURSTS | senders | {"on_s": 80e-6, "off_s": 40e-6}, duration_s=0.1), trace_packets=4_000_000)
    sent = run.packets(0)
    gaps = np.concatenate([np.diff(sent["time_ns"][sent["flow"] == i]) for i in range(len(run.flows))]) / 1e3
    pauses = gaps[gaps > 5]
    assert len(pauses) == pytest.approx(6 * 0.1 / 120e-6, rel=0.2)
    assert np.mean(pauses) - 5 == pytest.approx(40, rel=0.1)  # exponential: as long again from any point on,
    assert np.std(pauses) == pytest.approx(40, rel=0.1)  # and as wide as long
    assert len(sent["flow"]) * 2048 * 8e-9 / 0.1 == pytest.approx(6 * 13.5 * 80 / 120, rel=0.05)
