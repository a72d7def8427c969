# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every layout puts each switch and each host somewhere, apart from the others."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.tuner.report.plots.fabric_cases import generated, wiring
from tuner.fabric.topologies.base import TOPOLOGIES, topology
from tuner.report.plots.fabric_layout import place


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize(
    ("kind", "example"), [(kind, example) for kind in TOPOLOGIES.names() for example in TOPOLOGIES.get(kind).examples]
)
def test_nothing_covers_another_switch_and_no_host_is_lost(kind: str, example: Mapping[str, Any], directed: bool) -> None:
    wires = wiring(topology(kind, dict(example)).fabric())
    layout = place(wires, directed=directed)
    at = layout.switches if layout.senders is None else np.unique(np.concatenate([layout.switches, layout.senders]), axis=0)
    apart = np.hypot(*(at[:, None] - at[None]).T)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 0.05
    assert (layout.room > 0).all()
    drawn = sorted(ends for bar in layout.bars for ends in bar.hosts)
    hosts = sorted(ends for links in wires.hosts.values() for ends in links)
    assert drawn == (hosts if layout.senders is None else sorted(hosts * 2))


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "parameters", "widest_in"),
    [
        pytest.param("xgft", {"m": [18, 18, 36], "w": [1, 18, 18]}, 11, marks=pytest.mark.slow),
        ("torus", {"dims": [16, 16, 8]}, 11),
        ("hypercube", {"n": 10}, 11),
        ("dragonfly", {"a": 8, "p": 4, "h": 4}, 9),
    ],
)
def test_large_fabrics_fit_a_page(kind: str, parameters: dict[str, Any], widest_in: float) -> None:
    layout = place(wiring(generated(kind, **parameters)), directed=True)
    assert np.ptp(layout.switches, axis=0).max() < widest_in


def test_a_bar_reaches_from_its_place_to_its_tip() -> None:
    bar = place(wiring(generated("dumbbell", left=1, right=1)), directed=False).bars[0]
    assert bar.tip == pytest.approx(np.add(bar.at, bar.along))
    assert np.hypot(*(bar.beyond(0.2) - bar.tip)) == pytest.approx(0.2)
