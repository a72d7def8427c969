# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Percentiles of round trips from their counts by length: a run makes too many to keep each."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt


def percentile_us(round_trips: Mapping[str, npt.NDArray[Any]], percent: float) -> float | None:
    """The time in µs that `percent` (above 0, at most 100) of the round trips of all flows together do not exceed.

    `round_trips`: as ccsim.Result has them: `edges_us`, the n + 1 ends of n bins, and `counts`, of shape (flows, n). Within its
    bin the percentile is where a straight line from end to end puts it, so it is off by at most a bin. None without any.
    """
    if not 0 < percent <= 100:
        raise ValueError(f"a percentile of {percent:g} does not exist; it must be above 0 and at most 100")
    edges_us: npt.NDArray[np.float64] = round_trips["edges_us"]
    counts = np.asarray(round_trips["counts"], dtype=np.int64).sum(axis=0)
    up_to = np.cumsum(counts)
    if not up_to.size or not up_to[-1]:
        return None
    rank = percent / 100 * up_to[-1]
    place = int(np.searchsorted(up_to, rank - 1e-9))
    part = (rank - (up_to[place] - counts[place])) / counts[place]
    return float(edges_us[place] + part * (edges_us[place + 1] - edges_us[place]))
