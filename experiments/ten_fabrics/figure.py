# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One figure: how each profile does on each fabric."""

from collections.abc import Sequence

import numpy as np

from experiments._common.heat_map import heat_map
from experiments.ten_fabrics.compare import ELSEWHERE, HOME, OFF, SUGGESTED, TOLD, Compared, Where
from experiments.ten_fabrics.ground import OTHER_DEVICES
from experiments.ten_fabrics.searches import PUBLISHED

COLUMN_IN = 0.85
BEST = "the best"


def figures(compared: Sequence[Compared]) -> dict[str, str]:
    """SVG by file stem."""
    away = (ELSEWHERE, *(Where(devices=kind) for kind in OTHER_DEVICES))
    columns = [(name, HOME) for name in (OFF, *PUBLISHED, SUGGESTED, TOLD, BEST)]
    columns += [(name, where) for name in (SUGGESTED, BEST) for where in away]
    rows = list(reversed(compared))

    def lesser(one: Compared, name: str, where: Where) -> float:
        judged = one.judged(one.best if name == BEST else name, where)
        return 100 * min(1.0, judged["victims"].value, judged["contributors"].value)

    drawn = heat_map(
        np.array([[lesser(one, name, where) for name, where in columns] for one in rows]),
        rows=[one.ground.name for one in rows],
        columns=[_head(name, where) for name, where in columns],
        row_label="fabric",
        column_label="profile",
        title="Victims, % of the campaign's best, or contributors, % of CC off: the lesser",
        key="ten-fabrics",
        digits=0,
        low=0,
        high=100,
        column_in=COLUMN_IN,
    )
    return {"ten-fabrics": drawn}


def _head(name: str, where: Where) -> str:
    return name.replace(", ", ",\n") if where == HOME else f"{name},\n{where}"
