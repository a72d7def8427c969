# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The table of device states is the plugin's, and a clamped device is what it says to an apply, a campaign and a check."""

from collections.abc import Iterator
from dataclasses import asdict

import pytest

from tests.opensm_plugin.plugin_process import NO_RETRIES, PluginBed, PluginProcess
from tests.opensm_plugin.test_faults import SWITCH_SETTING, fault
from tests.tuner.checks.test_kinds import NIGHT
from tests.tuner.cli.conftest import Command, command
from tuner.checks.observe import observed
from tuner.documents.check_kinds import Tables
from tuner.documents.profile import load_profile
from tuner.errors import ApplyFailedError
from tuner.opensm.device_states import STATES, counted_wrong, known_state, remarks_on
from tuner.opensm.held_fabric import HeldFabric
from tuner.opensm.plugin_client import PluginClient

__all__ = ["command"]


@pytest.fixture
def running(plugin_bed: PluginBed, monkeypatch: pytest.MonkeyPatch) -> Iterator[PluginProcess]:
    """A base profile that every device holds."""
    with plugin_bed.opensm("off", options=NO_RETRIES) as process:
        process.await_done()
        monkeypatch.setenv("IBCC_SOCKET", str(process.setup.socket))
        yield process


def test_the_plugin_tells_the_same_table(running: PluginProcess) -> None:
    with PluginClient(running.setup.socket) as client:
        told = client.server["device_states"]
    assert told == [{key: value for key, value in asdict(state).items() if key != "remark"} for state in STATES]


def test_a_state_of_a_later_plugin_is_wrong_for_all() -> None:
    assert counted_wrong({"applied": 7, "parked": 2, "clamped": 1}) == {"parked": 2, "clamped": 1}
    assert counted_wrong({"applied": 7, "parked": 2, "clamped": 1}, apply=True) == {"parked": 2}
    assert remarks_on({"parked": 2}) == "; 2 reported the state 'parked', which this ibcc does not know"
    assert not known_state("parked").campaign


def test_a_clamped_device_holds_a_profile_for_an_apply_alone(
    command: Command, plugin_bed: PluginBed, running: PluginProcess
) -> None:
    fault(plugin_bed, "clamp", "S1", attribute=SWITCH_SETTING, parameters={"field": "Threshold", "most": 8})
    campaign = HeldFabric(running.setup.socket, what="a campaign")
    campaign.take()
    with pytest.raises(ApplyFailedError, match=r"profile 'gran-2010' is not in force on 'S1' .*: clamped,"):
        campaign.put(load_profile("gran-2010"))
    campaign.release()
    told = command("profile", "apply", "gran-2010")
    assert (told.code, told.err) == (0, "")
    with PluginClient(running.setup.socket) as client:
        assert [row["description"] for row in client.devices(state="clamped")] == ["S1"]
    verified = command("profile", "verify")
    assert verified.code == 1
    assert "8 of 9 devices hold what they should; 1 took other values" in verified.err + verified.out
    found = observed(Tables(socket=str(running.setup.socket)), NIGHT).findings
    assert [(finding.severity, finding.code) for finding in found] == [("fail", "device-clamped")]
