# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Devices of the tree of 648 hosts, read back by ibccquery, at LIDs that ibnetdiscover tells: the resolved tables."""

import random
from collections.abc import Iterable

import pytest

from tests.emulator.conftest import Emulate
from tests.emulator.topology import discovered
from tests.opensm_plugin import queried
from tests.opensm_plugin.devices import Device, wanted
from tests.opensm_plugin.plugin_process import Load, PluginBed
from tests.opensm_plugin.test_fat_tree import per_port
from tuner.fabric.topologies.base import generate


@pytest.fixture
def tree(load: Load, emulate: Emulate) -> PluginBed:
    return load(emulate(generate("three-stage", radix=36, host_rate="4xQDR", mtu_bytes=2048)))


def compare(tree: PluginBed, choose: "Choose") -> int:
    """Compares those that are chosen of all switches, and of all adapters, and counts them. With overrides of every kind."""
    clients = tree.bed.clients
    with tree.opensm(per_port()) as process:
        process.await_done()
        target = wanted(tree.wanted(per_port()))
        assert tree.held() == target, "as the emulator itself sees it"
        for tables in target.values():
            if "ports" in tables:
                tables["ports"] = {port: element for port, element in tables["ports"].items() if port <= queried.LAST_PORT}
        lids = {node.name: node.lid for node in discovered(clients.output("ibnetdiscover")).nodes if node.lid is not None}
        names = [node.name for node in tree.bed.fabric.nodes]
        chosen = [*choose([d for d in target if d[1] == 0]), *choose([d for d in target if d[1] != 0])]
        for node, port in chosen:
            read = queried.adapter if port else queried.switch
            assert read(clients, lids[names[node]]) == target[node, port], names[node]
        assert process.errors == []
    return len(chosen)


class Choose:
    """Chooses `count` devices of a list by chance; without `count`, all."""

    def __init__(self, count: int | None = None, seed: int = 648) -> None:
        self._count, self._random = count, random.Random(seed)

    def __call__(self, devices: list[Device]) -> Iterable[Device]:
        return devices if self._count is None else self._random.sample(devices, self._count)


def test_a_sample_of_them_holds_what_it_should(tree: PluginBed) -> None:
    assert compare(tree, Choose(6)) == 12


@pytest.mark.slow
def test_each_of_them_holds_what_it_should(tree: PluginBed) -> None:
    """1,404 runs of ibccquery: a minute or two of one core."""
    assert compare(tree, Choose()) == 54 + 648
