# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The tree of 648 hosts: every device holds what it should, each kind by itself, and ports of leaves and spines of their own."""

import re

import pytest

from ccsim.policy import Profile
from tests.emulator.conftest import Emulate
from tests.opensm_plugin.devices import wanted
from tests.opensm_plugin.plugin_process import Load, PluginBed
from tuner.documents.profile import load_profile
from tuner.fabric.topologies.base import generate

OVERRIDES = [
    {"match": {"role": "leaf", "ports": "ca_ports"}, "switch": {"threshold": 9, "marking_rate": 7}},
    {"match": {"role": "spine", "ports": [1, 33]}, "switch": {"threshold": 3}},
    {"match": {"role": "host", "node": "H1*"}, "ca": {"ccti_timer": 321}},
]


@pytest.fixture
def tree(load: Load, emulate: Emulate) -> PluginBed:
    return load(emulate(generate("three-stage", radix=36, host_rate="4xQDR", mtu_bytes=2048)))


def per_port() -> Profile:
    return Profile.from_dict(load_profile("gran-2010").to_dict() | {"overrides": OVERRIDES})


def lid_of(bed: PluginBed, name: str) -> str:
    (device,) = (device for device in bed.bed.emulated.emulator.tables() if device["name"] == name)
    return str(device["ports"][0 if device["kind"] == "switch" else 1]["lid"])


def test_every_device_holds_exactly_the_resolved_tables(tree: PluginBed) -> None:
    with tree.opensm("gran-2010") as process:
        process.await_done()
        assert tree.held() == wanted(tree.wanted("gran-2010"))
        assert process.errors == []
        assert process.opensm.errors == []
        # Another's tool on one device of each kind.
        for name, marks in (("S1-1", True), ("S2-1", False)):  # a leaf, whose ports to hosts mark, and a spine
            setting = tree.bed.clients.output("ibccquery", "SwitchCongestionSetting", lid_of(tree, name))
            (mask,) = re.findall(r"Victim_Mask:\.+(?:0x)?([0-9a-f]+)\n", setting)
            assert (int(mask, 16) != 0) == marks
            assert re.search(r"Threshold:\.+0x0f\n", setting)
        adapter = tree.bed.clients.output("ibccquery", "CACongestionSetting", lid_of(tree, "H648"))
        assert re.findall(r"CCTI_Timer:\.+(\d+)\n", adapter) == ["150"] * 16


def test_ports_of_leaves_and_spines_are_set_by_themselves(tree: PluginBed) -> None:
    profile = per_port()
    with tree.opensm(profile) as process:
        process.await_done()
        target = wanted(tree.wanted(profile))
        assert any(tables["ports"] for device, tables in target.items() if device[1] == 0)
        assert tree.held() == target
        # What overrides took is given back when they go.
        before = len(process.opensm.lines)
        tree.write_profile("gran-2010")
        process.await_done(after=before)
        assert tree.held() == wanted(tree.wanted("gran-2010"))
