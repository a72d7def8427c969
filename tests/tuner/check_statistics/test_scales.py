# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.check_statistics.scales import SCALES

FLOORS = {"plain": 0.0, "log": 1e-3, "share": 1e-3}


@given(st.sampled_from(sorted(SCALES)), st.floats(0.002, 0.998))
def test_a_scale_has_its_inverse(name: str, value: float) -> None:
    scale = SCALES[name]
    assert scale.backward(scale.forward(np.array([value]), FLOORS[name])) == pytest.approx([value])


@pytest.mark.parametrize(("name", "value", "counts_as"), [("log", 0.0, 1e-3), ("share", 0.0, 1e-3), ("share", 1.0, 0.999)])
def test_values_beyond_the_floor_count_as_the_floor(name: str, value: float, counts_as: float) -> None:
    scale = SCALES[name]
    assert scale.backward(scale.forward(np.array([value]), FLOORS[name])) == pytest.approx([counts_as])


def test_no_value_on_a_scale_is_too_large_to_come_back() -> None:
    for scale in SCALES.values():
        assert np.isfinite(scale.backward(np.array([-1e6, 1e6]))).all()
