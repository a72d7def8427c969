# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Real OpenSM with the real plugin, on an emulated fabric."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from api.database.models.fabric import Fabric
from api.fabric_drivers.base import FabricDriver, NothingToUndoError, silent
from api.fabric_drivers.registry import FABRIC_KINDS, FabricSpec, connect
from api.jobs.fabric_job import outcome_document
from api.services.congestion_documents import seen_congestion
from ccsim.policy import Profile
from tests.api.fabric_drivers.conformance import GRAN, OFF, FabricConformance
from tests.api.fabric_drivers.memory import PlainMemory
from tests.emulator.conftest import Emulate
from tests.emulator.congestion_mads import Ask, answers
from tests.emulator.test_diagnostics import lids
from tests.opensm_plugin.devices import wanted
from tests.opensm_plugin.plugin_process import Load, PluginBed, PluginProcess
from tests.opensm_plugin.test_faults import node
from tests.opensm_plugin.test_first_contact import SITE, set_by_opensm
from tests.opensm_plugin.test_nvidia import ROWS, WRITE, both_kinds
from tuner.documents.fabric import load_fabric
from tuner.errors import ApplyFailedError, BadInputError, UnreachableError
from tuner.mads.request import SET
from tuner.opensm.plugin_client import PluginClient
from tuner.rpc import protocol as rpc
from tuner.rpc.protocol import RpcError

HCA_GENERAL_SETTINGS, EN_NOTIFY, EN_REACT = 0xFF20, 0x80, 0x40


@pytest.fixture
def process(plugin_bed: PluginBed) -> Iterator[PluginProcess]:
    with plugin_bed.opensm(OFF) as process:
        process.await_done()
        yield process


def spec(socket: Path | str, **more: object) -> FabricSpec:
    return FabricSpec(name="site", kind="plugin", options={"socket": str(socket), **more})


class TestPlugin(FabricConformance):
    keeps_as_found = True

    @pytest.fixture
    def connected(self, process: PluginProcess, plugin_bed: PluginBed) -> Callable[[], FabricDriver]:
        self.bed = plugin_bed
        return lambda: connect(spec(process.setup.socket, fabric="two-switch"), PlainMemory())

    def holds(self, fabric: FabricDriver, profile: Profile) -> bool:
        """Also judges by the emulator's own tables."""
        return super().holds(fabric, profile) and self.bed.held() == wanted(self.bed.wanted(profile))


def test_a_standby_claims_nothing_of_what_devices_hold(process: PluginProcess, plugin_bed: PluginBed) -> None:
    """The fabric holds what the master was told, which the standby's own base is not, and the standby reads no logs."""
    with plugin_bed.opensm(GRAN, options="--log-interval-s 1", node="H7", state="standby", up=False) as standby:
        standby.await_line("standby: another subnet manager is MASTER")
        fabric = connect(spec(standby.setup.socket, fabric="two-switch"), PlainMemory())
        state = fabric.state()
        assert (state.sm_state, state.is_unasked, state.active) == ("standby", True, None)
        assert state.base is not None
        assert "another subnet manager is master" in state.warnings[0]
        seen = seen_congestion(fabric, Fabric(name="site", kind="plugin"))
        fabric.close()
        assert (seen.source.source, seen.source.profile) == ("none", None)
        assert "another subnet manager is master" in (seen.source.unread or "")


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


def test_a_profile_that_no_device_can_hold_is_no_good_outcome(plugin_bed: PluginBed) -> None:
    plugin_bed.bed.emulated.emulator.add_fault("unsupported", mgmt_class=0x21)
    with plugin_bed.opensm(OFF) as process:
        process.await_done()
        fabric = connect(spec(process.setup.socket), PlainMemory())
        assert fabric.verify(silent).good, "what is switched off is off there too"
        nowhere = "no device holds the profile: all 9 devices have none of the attributes that it writes"
        promoted = fabric.promote(GRAN, owner="me", on_progress=silent)
        assert (promoted.good, promoted.message) == (False, f"profile '{GRAN.name}' is in force; {nowhere}")
        read = fabric.verify(silent)
        assert (read.good, read.wrong, read.message) == (False, [], f"0 devices hold the wanted tables; {nowhere}")
        fabric.close()


def test_what_devices_were_found_with_takes_the_place_of_a_first_base(plugin_bed: PluginBed) -> None:
    set_by_opensm(plugin_bed, SITE)
    before = plugin_bed.held()
    with plugin_bed.opensm() as process:
        process.await_done("probe")
        fabric = connect(spec(process.setup.socket), PlainMemory())
        assert (fabric.plan(GRAN).current, fabric.state().base, fabric.state().former) == (None, None, None)
        found = fabric.state().as_found
        assert found is not None
        assert (found.devices, found.unread, found.in_force) == (9, 0, True)
        assert fabric.apply(GRAN, ttl_s=600, owner="me", on_progress=silent).good
        assert plugin_bed.held() == wanted(plugin_bed.wanted(GRAN))
        restored = fabric.restore(silent)
        assert (restored.good, restored.message) == (True, "what devices were found with (revision 0) is in force")
        assert plugin_bed.held() == before
        with pytest.raises(NothingToUndoError):
            fabric.rollback(silent)
        adopted = fabric.adopted("site")
        assert (adopted.profile.name, adopted.not_said, adopted.devices_not_said) == ("site", [], 0)
        assert wanted(plugin_bed.wanted(adopted.profile)) == wanted(plugin_bed.wanted(SITE))
        adapter = next(device for device in fabric.devices() if device.kind == "ca")
        values = {one.attribute: one.found for one in fabric.attributes(adapter.guid, adapter.port) if not one.block}
        assert values["CACongestionSetting"]["CCTI_Timer"] == [777] * 16  # type: ignore[index]
        outcome = fabric.promote(GRAN, owner="me", on_progress=silent)
        assert (outcome.good, outcome.message) == (True, "profile 'gran-2010' is in force")
        state = fabric.state()
        assert state.base is not None
        assert (state.base.name, state.former, state.experiment) == ("gran-2010", None, None)
        assert plugin_bed.held() == wanted(plugin_bed.wanted(GRAN))
        fabric.promote(GRAN, owner="me", on_progress=silent)  # as after a crash
        assert fabric.rollback(silent).message == "what devices were found with (revision 0) is in force again"
        assert plugin_bed.held() == before
        fabric.close()


def test_a_plugin_that_does_not_keep_that_needs_a_base_first(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm(OFF) as process:
        process.await_done()
    (process.setup.state / "as_found.json").unlink()
    (process.setup.state / "state.json").write_text(
        '{"ibcc_opensm_state": 1, "next_revision": 2, "file": null, "base": null, "experiment": null, "ttl_s": 0, "history": []}'
    )
    plugin_bed.profile.unlink()
    with plugin_bed.opensm() as process:
        process.await_line("master: ")
        fabric = connect(spec(process.setup.socket), PlainMemory())
        assert fabric.state().as_found is None
        with pytest.raises(BadInputError, match="'gran-2010' cannot be tried: the fabric has no base profile"):
            fabric.apply(GRAN, ttl_s=600, owner="me", on_progress=silent)
        nothing = fabric.restore(silent)
        assert (nothing.good, nothing.message) == (True, "there is no base profile yet")
        with pytest.raises(BadInputError, match="is not kept: the state folder has no as_found.json"):
            fabric.adopted("site")
        fabric.close()


FRAGILE = "--timeout-ms 2000 --max-timeout-ms 2000 --retries 0 --max-errors 0 --error-window-s 60"
"""One request without an answer is too many."""


def test_a_first_base_that_cannot_be_sent_gives_way_to_what_was_found(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm(options=FRAGILE) as process:
        process.await_done("probe")
        emulator = plugin_bed.bed.emulated.emulator
        emulator.add_fault("drop", mgmt_class=0x21, method="set")
        fabric = connect(spec(process.setup.socket), PlainMemory())
        with pytest.raises(ApplyFailedError, match=r"what devices were found with \(revision 0\) is in force again"):
            fabric.promote(GRAN, owner="me", on_progress=silent)
        assert fabric.state().base is None
        fabric.close()


def test_a_device_that_failed_before_is_no_reason_to_go_back_and_every_outcome_names_it(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm(OFF, options="--timeout-ms 300 --max-timeout-ms 300 --retries 1") as process:
        process.await_done()
        plugin_bed.bed.emulated.emulator.add_fault("drop", node=node(plugin_bed, "H3"), mgmt_class=0x21)
        fabric = connect(spec(process.setup.socket), PlainMemory())
        outcomes = [
            fabric.verify(silent),
            fabric.apply(GRAN, ttl_s=600, owner="me", on_progress=silent),
            fabric.restore(silent),
            fabric.promote(GRAN, owner="me", on_progress=silent),
            fabric.rollback(silent),
        ]
        assert [outcome.message for outcome in outcomes] == [
            "8 devices hold the wanted tables; 1 did not answer",
            "profile 'gran-2010' is in force; 1 did not answer",
            "the base profile 'off' is in force; 1 did not answer",
            "profile 'gran-2010' is in force; 1 did not answer",
            "the base profile is 'off' again; 1 did not answer",
        ]
        for outcome in outcomes:
            assert not outcome.good
            assert [(device.name, device.state) for device in outcome.wrong] == [("H3", "timing_out")]
        fabric.close()


def test_every_outcome_names_devices_that_are_away(process: PluginProcess, plugin_bed: PluginBed) -> None:
    plugin_bed.bed.emulated.emulator.set_present(node(plugin_bed, "H3"), False)
    process.opensm.sweep()
    fabric = connect(spec(process.setup.socket), PlainMemory())
    while all(device.present for device in fabric.devices()):
        time.sleep(0.02)  # the plugin learns of it after the sweep
    outcomes = [
        fabric.apply(GRAN, ttl_s=600, owner="me", on_progress=silent),
        fabric.restore(silent),
        fabric.promote(GRAN, owner="me", on_progress=silent),
        fabric.rollback(silent),
        fabric.verify(silent),
    ]
    for outcome in outcomes:
        assert (outcome.good, list(outcome.away)) == (True, ["H3"])
        assert outcome.message.endswith("; 1 is away: H3")
    assert outcome_document(outcomes[0])["away"] == {"count": 1, "names": ["H3"]}
    fabric.close()


def test_a_plan_names_devices_without_the_wiring(process: PluginProcess) -> None:
    fabric = connect(spec(process.setup.socket), PlainMemory())
    plan = fabric.plan(GRAN)
    assert (plan.devices, plan.mads) == (9, 23)
    assert {change.name for change in plan.changes} == {device.name for device in fabric.devices()}
    assert fabric.document() is None
    fabric.close()


def test_an_older_plugin_plans_from_what_devices_hold_and_the_plan_says_so(
    process: PluginProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    present = PluginClient.plan

    def older(self: PluginClient, profile: str, *, origin: str | None = None) -> dict[str, Any]:
        if origin is not None:
            raise RpcError(rpc.INVALID_PARAMS, "profile.plan: there is no parameter 'from'; it takes profile")
        return present(self, profile)

    fabric = connect(spec(process.setup.socket), PlainMemory())
    newer = fabric.plan(GRAN)
    monkeypatch.setattr(PluginClient, "plan", older)
    assert (fabric.plan(GRAN).digest, fabric.plan(GRAN).warnings) == (newer.digest, ())
    fabric.apply(GRAN, ttl_s=60, owner="anna", on_progress=silent)
    during = fabric.plan(GRAN)
    assert (during.mads, during.now.mads) == (0, 0)
    (warning,) = during.warnings
    assert "the plan begins with the trial run" in warning
    fabric.close()


@pytest.mark.parametrize(
    ("profile", "names"),
    [(GRAN, {"S2", "H4", "H5"}), (both_kinds(), {"S1", "S2", "H1", "H2", "H3", "H4", "H5", "H6"})],
    ids=["of annex A10 alone", "of both kinds"],
)
def test_a_plan_has_what_is_sent_and_not_what_devices_cannot_take(
    load: Load, emulate: Emulate, profile: Profile, names: set[str]
) -> None:
    bed = load(emulate(load_fabric("two-switch").model_copy(update={"congestion_control": ROWS})))
    with bed.opensm(both_kinds().with_settings({"enable": False}), options=WRITE) as process:  # so it asks for NVIDIA's
        process.await_done()
        fabric = connect(spec(process.setup.socket, fabric="two-switch"), PlainMemory())
        plan = fabric.plan(profile)
        assert {change.name for change in plan.changes} == names
        assert (plan.devices, plan.mads) == (len(names), sum(change.mads for change in plan.changes))
        sets = bed.count_mads("set")
        fabric.promote(profile, owner="me", on_progress=silent)
        assert sets() == plan.mads
        fabric.close()


def test_a_plan_warns_of_devices_that_were_not_asked_for_nvidias_attributes(load: Load, emulate: Emulate) -> None:
    """A start after that at which the first profile met them all."""
    bed = load(emulate(load_fabric("two-switch").model_copy(update={"congestion_control": ROWS})))
    with bed.opensm(GRAN, options=WRITE) as process:
        process.await_done()
    with bed.opensm(GRAN, options=WRITE) as process:
        process.await_done()
        fabric = connect(spec(process.setup.socket), PlainMemory())
        (warning,) = fabric.plan(both_kinds()).warnings
        assert warning.startswith("9 devices were not asked yet whether they have NVIDIA's attributes")
        assert fabric.plan(GRAN).warnings == ()
        fabric.ask_devices(silent)
        plan = fabric.plan(both_kinds())
        assert plan.warnings == ()
        assert {change.name for change in plan.changes} == {"S1", "S2", "H1", "H2", "H3", "H5", "H6"}, "H4 holds it already"
        fabric.close()


def test_devices_are_asked_which_attributes_they_have(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm(GRAN) as process:
        process.await_done()
        fabric = connect(spec(process.setup.socket), PlainMemory())
        assert fabric.state().dialects == {"a10": 9, "nvidia": 0, "both": 0, "none": 0, "unknown": 0}, (
            "the first profile met them"
        )
        fabric.close()
    with plugin_bed.opensm(GRAN) as process:
        process.await_done()
        fabric = connect(spec(process.setup.socket), PlainMemory())
        assert fabric.state().dialects == {"a10": 0, "nvidia": 0, "both": 0, "none": 0, "unknown": 9}
        assert {device.dialect for device in fabric.devices()} == {None}
        outcome = fabric.ask_devices(silent)
        assert (outcome.good, outcome.message) == (True, "of the devices, 9 have annex A10's attributes")
        assert {device.dialect for device in fabric.devices()} == {"a10"}
        fabric.close()


def test_devices_that_somebody_else_has_switched_on_are_cleared_on_request(load: Load, emulate: Emulate) -> None:
    bed = load(emulate(load_fabric("two-switch").model_copy(update={"congestion_control": ROWS})))
    with bed.opensm(GRAN, options=WRITE) as process:
        process.await_done()
        on = bytes([EN_NOTIFY | EN_REACT]) + bytes(191)
        (answer,) = answers(bed.bed, [Ask(lids(bed.bed.clients)["H1"], HCA_GENERAL_SETTINGS, data=on, method=SET)])
        assert answer.status == 0
        fabric = connect(spec(process.setup.socket), PlainMemory())
        fabric.promote(OFF, owner="somebody", on_progress=silent)  # which always asks
        assert fabric.state().devices["foreign"] == 1
        found = fabric.verify(silent)
        assert (found.good, [device.name.split()[0] for device in found.wrong]) == (False, ["H1"])
        cleared = fabric.clear_foreign(silent)
        assert (cleared.good, cleared.devices["foreign"]) == (True, 0)
        assert fabric.clear_foreign(silent).message == "no device is foreign"
        fabric.close()


def test_a_mixed_fabric_says_which_devices_are_not_sent_what_the_profile_says(load: Load, emulate: Emulate) -> None:
    bed = load(emulate(load_fabric("two-switch").model_copy(update={"congestion_control": ROWS})))
    with bed.opensm(both_kinds()) as process:  # without --nvidia-write
        process.await_done()
        fabric = connect(spec(process.setup.socket), PlainMemory())
        assert fabric.state().dialects == {"a10": 1, "nvidia": 5, "both": 2, "none": 1, "unknown": 0}
        withheld = {device.name: device.withheld for device in fabric.devices() if device.withheld}
        assert set(withheld.values()) == {"the plugin has no option --nvidia-write"}
        assert {name.split()[0] for name in withheld} == {"S1", "S2", "H1", "H2", "H3", "H5", "H6"}
        assert fabric.ask_devices(silent).message == (
            "of the devices, 1 has annex A10's attributes, 5 have NVIDIA's attributes, 2 have both kinds, 1 has neither kind"
        )
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
