# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Percentiles of round trips from their counts by length: a run makes too many to keep each."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

_NUMBER = re.compile(r"-[0-9]+(?=-|$)")


def stem(name: str) -> str:
    """Returns a flow's name without its numbers: `storm` of `storm-3`, `ring-right` of `ring-1-right-7`."""
    return _NUMBER.sub("", name)


def percentile_us(round_trips: Mapping[str, npt.NDArray[Any]], percent: float) -> float | None:
    """The time in µs that `percent` (above 0, at most 100) of the round trips of all flows together do not exceed.

    `round_trips`: as ccsim.Result has them: `edges_us`, the n + 1 ends of n bins, and `counts`, of shape (flows, n). Within its
    bin the percentile is where a straight line from end to end puts it, so it is off by at most a bin. None without any.
    """
    return _percentile_us(round_trips["edges_us"], np.asarray(round_trips["counts"], dtype=np.float64).sum(axis=0), percent)


def groups(round_trips: Mapping[str, npt.NDArray[Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """A row for all flows whose names differ in numbers alone: `name` without these, number of `flows`, `count` of their round
    trips, `mean_us` and `p99_us`. Each flow counts alike in these two, so that one that is slow, and so makes few, has its part.

    `round_trips`: as percentile_us, with `flow`, the flows' indices in `names`.
    """
    members: dict[str, list[int]] = {}
    for row, flow in enumerate(round_trips["flow"].tolist()):
        members.setdefault(stem(names[flow]), []).append(row)
    edges_us = round_trips["edges_us"]
    middles_us = (edges_us[:-1] + edges_us[1:]) / 2
    found = []
    for name, rows in members.items():
        counts = np.asarray(round_trips["counts"], dtype=np.float64)[rows]
        totals = counts.sum(axis=1)
        shares = (counts / totals[:, None]).mean(axis=0)
        found.append(
            {
                "name": name,
                "flows": len(rows),
                "count": int(totals.sum()),
                "mean_us": float(shares @ middles_us),
                "p99_us": _percentile_us(edges_us, shares, 99),
            }
        )
    return found


def _percentile_us(edges_us: npt.NDArray[np.float64], counts: npt.NDArray[np.float64], percent: float) -> float | None:
    if not 0 < percent <= 100:
        raise ValueError(f"a percentile of {percent:g} does not exist; it must be above 0 and at most 100")
    up_to = np.cumsum(counts)
    if not up_to.size or not up_to[-1]:
        return None
    rank = percent / 100 * up_to[-1]
    place = int(np.searchsorted(up_to, rank - 1e-9))
    part = (rank - (up_to[place] - counts[place])) / counts[place]
    return float(edges_us[place] + part * (edges_us[place + 1] - edges_us[place]))
