# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import base64

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tuner.report.trees import packing


@given(st.lists(st.lists(st.integers(0, 2**31), min_size=3, max_size=3), min_size=1, max_size=5))
def test_packed_values_come_back_within_half_a_unit(rows: list[list[int]]) -> None:
    values = np.array(rows)
    packed = packing.packed(values, unit=64)
    found = np.frombuffer(base64.b64decode(packed.text), dtype="<u2").reshape(3, -1).T.astype(np.int64) * packed.unit
    assert np.abs(found - values).max() <= packed.unit / 2
    assert packed.unit == 64 or values.max() > 64 * 0xFFFF


@given(st.integers(1, 5000), st.integers(1, 3_000_000))
def test_samples_are_evenly_spaced_with_the_last_and_keep_to_the_room(n_samples: int, each: int) -> None:
    chosen = packing.chosen_samples(n_samples, each)
    assert chosen[-1] == n_samples - 1
    assert chosen[0] >= 0
    assert len(chosen) <= packing.MOST_SAMPLES
    assert len(chosen) <= 2 or len(chosen) * each <= packing.MOST_CHARACTERS
    assert len(set(np.diff(chosen))) <= 1
    assert n_samples > packing.MOST_SAMPLES or n_samples * each > packing.MOST_CHARACTERS or len(chosen) == n_samples


def test_the_longest_are_kept_in_their_order() -> None:
    assert packing.longest(np.array([0, 3, 0, 1])).tolist() == [1, 3]
    many = np.arange(packing.MOST_PORTS + 10)
    assert packing.longest(many).tolist() == list(range(10, packing.MOST_PORTS + 10))


def test_characters_are_those_of_the_series() -> None:
    ports, hosts = np.zeros((30, 1), dtype=np.int64), np.zeros((12, 1), dtype=np.int64)
    lengths = [len(packing.packed(ports, unit=1).text), len(packing.packed_bytes(ports)), len(packing.packed(hosts, unit=1).text)]
    assert packing.characters(30, 12, badges=False) == sum(lengths) + len(packing.packed_bytes(hosts))
    badges = len(packing.packed_bytes(ports)) + len(packing.packed_bytes(hosts))
    assert packing.characters(30, 12, badges=True) == packing.characters(30, 12, badges=False) + badges
