# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sweeps of a fabric whose adapters are of three generations, with storage on spines, hosts with two ports, and odd names."""

from itertools import chain
from pathlib import Path

import pytest

from tests.tuner.checks.mixed_fabric import printed
from tuner.checks.sweep.paths import Paths
from tuner.checks.sweep.turns import turns
from tuner.fabric.built_fabric import build
from tuner.fabric.importers.base import import_fabric


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    (tmp_path / "mixed.ibnetdiscover").write_text(printed())
    fabric = import_fabric(tmp_path / "mixed.ibnetdiscover").fabric
    return Paths(build(fabric.model_copy(update={"routing": "updown"})))


@pytest.mark.parametrize("nights", [1, 2, 7])
def test_each_host_sends_and_receives_all_that_its_link_carries(paths: Paths, nights: int) -> None:
    pairs = list(chain(*turns(paths, nights)))
    by_end = {"sends": {pair.src for pair in pairs}, "receives": {pair.dst for pair in pairs}}
    assert all(len(hosts) == len(paths.hosts) for hosts in by_end.values())
    asked: dict[tuple[str, str], float] = {}
    for pair in pairs:
        (rate,) = paths.rates_gbps([pair])
        for end, host in (("sends", pair.src), ("receives", pair.dst)):
            asked[end, host] = max(rate, asked.get((end, host), 0.0))
    least = {key: 0.89 * paths.carries_gbps(paths.find_two(key[1], key[1])[0]) for key in asked}
    assert {key for key, rate in asked.items() if rate < least[key]} == set()


def test_each_name_is_of_one_host(paths: Paths) -> None:
    references = [reference for pair in chain(*turns(paths, 2)) for reference in (pair.src, pair.dst)]
    shown = {paths.shown(reference) for reference in references}
    assert len(shown) == len(paths.hosts)
    assert all(name.strip() for name in shown)
