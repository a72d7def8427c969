# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How the values of a metric become about normal: rows of a table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from tuner.check_statistics.whitening import Array


@dataclass(frozen=True)
class Scale:
    """`forward` takes values and the metric's floor, and returns them on the scale; `backward` is its inverse. `floors` says
    between which limits, exclusive, a floor must be."""

    forward: Callable[[Array, float], Array]
    backward: Callable[[Array], Array]
    floors: tuple[float, float]


def _log(values: Array, floor: float) -> Array:
    return np.asarray(np.log(np.maximum(values, floor)))


def _logit(values: Array, floor: float) -> Array:
    inside = np.clip(values, floor, 1 - floor)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def _share(values: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -700, 700))))


SCALES: Mapping[str, Scale] = {
    "plain": Scale(lambda values, floor: values, lambda values: values, (-np.inf, np.inf)),
    "log": Scale(_log, lambda values: np.asarray(np.exp(np.minimum(values, 700))), (0.0, np.inf)),
    "share": Scale(_logit, _share, (0.0, 0.5)),
}
"""`plain`: as they are. `log`: positive quantities such as times; smaller values count as the floor. `share`: values from 0 to 1
such as Jain's index; the floor is how near to 0 and 1 they come."""
