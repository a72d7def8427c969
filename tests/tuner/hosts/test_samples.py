# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.documents.workload import Workload
from tuner.hosts.driver import HostLostError, Reading
from tuner.hosts.samples import samples_gbps

WORKLOAD = Workload.model_validate(
    {
        "ibcc_workload": 1,
        "name": "one",
        "fabric": "two-switch",
        "duration_s": 1.0,
        "sample_interval_s": 0.1,
        "flows": [{"name": "F1", "src": "H1", "dst": "H4", "role": "victim", "start_s": 0.2}],
    }
)
A_GIGABIT = 125_000_000


def samples(*readings: tuple[float, int]) -> list[float]:
    found: list[float] = samples_gbps(WORKLOAD, [Reading(0, t_s, count) for t_s, count in readings])[0].tolist()
    return found


def test_bytes_between_two_readings_arrive_evenly() -> None:
    # 8 Gb/s from the start at 0.2 s on, read at uneven times.
    counts = [(t_s, round((t_s - 0.2) * 8 * A_GIGABIT)) for t_s in (0.25, 0.41, 0.77, 1.03)]
    assert samples(*counts) == pytest.approx([0, 0, 8, 8, 8, 8, 8, 8, 8, 8])


def test_a_reading_on_each_samples_end_is_that_sample() -> None:
    counts = [(0.3, A_GIGABIT), (0.4, A_GIGABIT), (0.5, 3 * A_GIGABIT), (1.0, 3 * A_GIGABIT)]
    assert samples(*counts) == pytest.approx([0, 0, 10, 0, 20, 0, 0, 0, 0, 0])


def test_what_is_read_after_the_end_counts_up_to_the_end() -> None:
    assert sum(samples((1.6, 14 * A_GIGABIT))) / 10 == pytest.approx(8)


@given(st.lists(st.tuples(st.floats(0.001, 0.3), st.integers(0, A_GIGABIT)), min_size=1, max_size=40))
def test_no_byte_is_lost_or_made(steps: list[tuple[float, int]]) -> None:
    t_s, count, readings = 0.2, 0, []
    for step_s, more in steps:
        t_s, count = t_s + step_s, count + more
        readings.append((t_s, count))
    end_s = max(1.0, t_s)
    readings.append((end_s, count))
    found = np.array(samples(*readings))
    assert (found >= -1e-9).all()
    inside = np.interp(1.0, [0.2, *(t for t, _ in readings)], [0, *(n for _, n in readings)])
    assert found.sum() * 0.1 * A_GIGABIT == pytest.approx(inside, rel=1e-9, abs=1)


@pytest.mark.parametrize(
    ("readings", "sentence"),
    [
        ([], "host 'H4' was lost: flow 'F1' ran to 1 s, but its receiver was read never"),
        ([(0.5, 7)], r"read up to 0\.500 s"),
        ([(0.1, 7)], "read never"),
        ([(0.5, 7), (1.0, 6)], "its counter of flow 'F1' fell, as after a restart"),
    ],
)
def test_readings_of_which_nothing_can_be_said_are_a_lost_host(readings: list[tuple[float, int]], sentence: str) -> None:
    with pytest.raises(HostLostError, match=sentence):
        samples(*readings)
