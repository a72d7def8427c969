# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Real OpenSM with the real plugin, on an emulated fabric."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from api.fabric_drivers.base import FabricDriver, silent
from api.fabric_drivers.registry import FABRIC_KINDS, FabricSpec, connect
from ccsim.policy import Profile
from tests.api.fabric_drivers.conformance import GRAN, OFF, FabricConformance
from tests.api.fabric_drivers.memory import PlainMemory
from tests.opensm_plugin.devices import wanted
from tests.opensm_plugin.plugin_process import PluginBed, PluginProcess
from tuner.errors import ApplyFailedError, BadInputError, UnreachableError


@pytest.fixture
def process(plugin_bed: PluginBed) -> Iterator[PluginProcess]:
    with plugin_bed.opensm(OFF) as process:
        process.await_done()
        yield process


def spec(socket: Path | str, **more: object) -> FabricSpec:
    return FabricSpec(name="site", kind="plugin", options={"socket": str(socket), **more})


class TestPlugin(FabricConformance):
    @pytest.fixture
    def connected(self, process: PluginProcess, plugin_bed: PluginBed) -> Callable[[], FabricDriver]:
        self.bed = plugin_bed
        return lambda: connect(spec(process.setup.socket, fabric="two-switch"), PlainMemory())

    def holds(self, fabric: FabricDriver, profile: Profile) -> bool:
        """Also judges by the emulator's own tables."""
        return super().holds(fabric, profile) and self.bed.held() == wanted(self.bed.wanted(profile))


def test_a_device_that_does_not_take_a_profile_brings_the_base_back(process: PluginProcess, plugin_bed: PluginBed) -> None:
    fabric = connect(spec(process.setup.socket), PlainMemory())
    emulator = plugin_bed.bed.emulated.emulator
    emulator.add_fault("status", node=0, mgmt_class=0x21, attribute=0x14, method="set", parameters={"status": 0x1C})
    with pytest.raises(ApplyFailedError, match="base profile is in force again"):
        fabric.apply(GRAN, ttl_s=600, owner="me", on_progress=silent)
    assert fabric.state().experiment is None
    emulator.clear_faults()
    assert fabric.verify(silent).devices["applied"] == 9
    assert plugin_bed.held() == wanted(plugin_bed.wanted(OFF))
    fabric.close()


def test_without_wiring_a_plan_still_counts(process: PluginProcess) -> None:
    fabric = connect(spec(process.setup.socket), PlainMemory())
    plan = fabric.plan(GRAN)
    assert (plan.devices, plan.mads, list(plan.changes)) == (9, 23, [])
    assert fabric.document() is None
    fabric.close()


def test_a_fabric_that_is_not_there_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="nowhere.sock"):
        connect(spec(tmp_path / "nowhere.sock"), PlainMemory())
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreachableError, match="is not a socket"):
        connect(spec(tmp_path / "file"), PlainMemory())


@pytest.mark.parametrize("socket", ["opensm.sock", "/run/../etc/x.sock", ""])
def test_a_socket_is_an_absolute_path(socket: str) -> None:
    with pytest.raises(BadInputError, match="absolute path"):
        FABRIC_KINDS.get("plugin").check({"socket": socket})
