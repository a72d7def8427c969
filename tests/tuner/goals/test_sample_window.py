# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.goals.sample_window import window_samples


@pytest.mark.parametrize(
    ("window_s", "interval_s", "samples"),
    [
        ((4.2, 5.0), 0.01, slice(420, 500)),
        ((4.2 + 1e-9, 5.0), 0.01, slice(420, 500)),  # the noise of binary fractions
        ((4.201, 4.999), 0.01, slice(421, 499)),  # only whole samples
        ((0.0, 9.0), 0.01, slice(0, 500)),
    ],
)
def test_the_window_holds_whole_samples(window_s: tuple[float, float], interval_s: float, samples: slice) -> None:
    assert window_samples(window_s, interval_s, 500) == samples
