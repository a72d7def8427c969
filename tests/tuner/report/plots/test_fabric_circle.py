# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import random

import numpy as np
import pytest

from tests.tuner.report.plots.fabric_cases import generated, parsed, wiring
from tuner.report.plots import fabric_circle


@pytest.mark.parametrize("shuffled", [False, True])
def test_the_groups_of_a_dragonfly_are_found(shuffled: bool) -> None:
    document = generated("dragonfly", a=4, p=1, h=2)
    if shuffled:
        switches = list(document.switches)
        random.Random(5).shuffle(switches)
        document = document.model_copy(update={"switches": tuple(switches)})
    groups = fabric_circle.groups_of(wiring(document).neighbours)
    names = [{document.switches[i].name.split("-")[0] for i in group} for group in groups]
    assert len(groups) == 9
    assert all(len(group) == 4 for group in groups)
    assert all(len(name) == 1 for name in names)


def test_groups_stand_together() -> None:
    document = generated("dragonfly", a=4, p=2, h=2)
    layout = fabric_circle.place(wiring(document))
    centres = layout.switches.reshape(9, 4, 2).mean(axis=1)
    within = np.hypot(*(layout.switches.reshape(9, 4, 2) - centres[:, None]).T).max()
    between = np.hypot(*(centres - np.roll(centres, 1, axis=0)).T).min()
    assert within < between / 2
    tips = np.array([bar.tip for bar in layout.bars]).reshape(9, 4, 2)
    assert np.hypot(*(tips - centres[:, None]).T).max() < between / 2


def test_without_groups_the_switches_stand_around_one_circle() -> None:
    links = "".join(f"- {{a: S{i}/1, b: S{(i + 1) % 7}/2, rate: 4xHDR}}\n" for i in range(7))
    hosts = "".join(f"- {{a: H{i}/1, b: S{i}/3, rate: 4xHDR}}\n" for i in range(7))
    document = parsed(
        f"name: ring\nswitches: [{', '.join(f'{{name: S{i}, ports: 3}}' for i in range(7))}]\n"
        f"hosts: [{', '.join(f'{{name: H{i}}}' for i in range(7))}]\nlinks:\n{links}{hosts}"
    )
    layout = fabric_circle.place(wiring(document))
    radius = np.hypot(*layout.switches.T)
    assert len(layout.bars) == 7
    assert radius == pytest.approx(np.full(7, radius[0]))
    steps = np.hypot(*(layout.switches - np.roll(layout.switches, 1, axis=0)).T)
    assert steps == pytest.approx(np.full(7, steps[0]))


def test_all_linked_to_all_is_one_circle() -> None:
    layout = fabric_circle.place(wiring(generated("dragonfly", a=6, p=1, h=1, groups=1)))
    radius = np.hypot(*layout.switches.T)
    assert radius == pytest.approx(np.full(6, radius[0]))
