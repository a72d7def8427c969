# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What every kind of fabric must do. A kind's test inherits `FabricConformance` and says how to reach a fabric of it, which has
two switches, seven hosts, and the base profile `off`."""

from collections.abc import Callable, Iterator

import pytest

from api.fabric_drivers.base import BusyError, FabricDriver, NothingToUndoError, Step, silent
from ccsim.policy import Profile
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError

GRAN = load_profile("gran-2010")
OFF = load_profile("off")
OTHER = GRAN.with_settings({"ca.ccti_timer": 333, "name": "other"})


class FabricConformance:
    """Override `connected`; `holds` where there is another way to look than the driver's."""

    keeps_as_found = False
    """What devices held before the first base is kept: a rollback of that returns to it."""

    @pytest.fixture
    def connected(self) -> Callable[[], FabricDriver]:
        """Makes any number of connections to one fabric."""
        raise NotImplementedError

    def holds(self, fabric: FabricDriver, profile: Profile) -> bool:
        active = fabric.state().active
        return active is not None and Profile.from_text(active.document) == profile

    @pytest.fixture
    def fabric(self, connected: Callable[[], FabricDriver]) -> Iterator[FabricDriver]:
        fabric = connected()
        try:
            yield fabric
        finally:
            fabric.close()
            fabric.close()

    def test_a_new_fabric_has_its_base_and_no_experiment(self, fabric: FabricDriver) -> None:
        state = fabric.state()
        assert state.base is not None
        assert state.base.name == "off"
        assert state.active == state.base
        assert state.former is None
        assert state.experiment is None
        assert state.devices["total"] == 9
        assert state.devices["applied"] == 9
        assert self.holds(fabric, OFF)

    def test_devices_are_switches_and_ports_of_adapters(self, fabric: FabricDriver) -> None:
        devices = fabric.devices()
        assert sorted(device.kind for device in devices) == ["ca"] * 7 + ["switch"] * 2
        assert {device.state for device in devices} == {"applied"}
        assert all(device.port == 0 for device in devices if device.kind == "switch")
        assert all(len(device.guid) == 18 and device.guid.startswith("0x") for device in devices)
        assert all((device.firmware is None) == bool(device.firmware_reason) for device in devices)

    def test_another_profile_has_another_stamp(self, fabric: FabricDriver) -> None:
        before = fabric.stamp()
        fabric.apply(GRAN, ttl_s=60, owner="anna", on_progress=silent)
        assert before is None or fabric.stamp() != before
        fabric.restore(silent)

    def test_a_plan_names_devices_and_mads_and_sends_nothing(self, fabric: FabricDriver) -> None:
        plan = fabric.plan(GRAN)
        assert plan.devices == 9
        assert plan.mads == sum(change.mads for change in plan.changes) == 2 + 7 * 3
        assert {change.name for change in plan.changes} == {device.name for device in fabric.devices()}
        assert plan.current is not None
        assert plan.current.name == "off"
        assert self.holds(fabric, OFF)
        assert fabric.plan(GRAN).digest == plan.digest
        assert fabric.plan(OTHER).digest != plan.digest
        nothing = fabric.plan(OFF)
        assert (nothing.devices, nothing.mads, list(nothing.changes)) == (0, 0, [])
        assert nothing.now == Step(**{name: getattr(nothing, name) for name in vars(nothing.now)})

    def test_a_plan_begins_with_the_base_during_a_trial_run_and_says_what_is_sent_now(self, fabric: FabricDriver) -> None:
        before = fabric.plan(GRAN)
        fabric.apply(GRAN, ttl_s=60, owner="anna", on_progress=silent)
        during = fabric.plan(GRAN)
        assert during.digest == before.digest
        assert (during.current, during.changes, during.mads) == (before.current, before.changes, before.mads)
        assert during.now.current is not None
        assert during.now.current.name == GRAN.name
        assert (during.now.devices, during.now.mads, list(during.now.changes)) == (0, 0, [])
        back = fabric.plan(OFF)
        assert (back.devices, back.now.devices) == (0, 9)
        fabric.restore(silent)
        assert fabric.plan(GRAN).digest == before.digest

    def test_an_experiment_is_in_force_until_it_is_restored(self, fabric: FabricDriver) -> None:
        told: list[tuple[int, int]] = []
        outcome = fabric.apply(
            GRAN, ttl_s=600, owner="a person", on_progress=lambda done, total, text: told.append((done, total))
        )
        assert outcome.good
        state = fabric.state()
        assert state.experiment is not None
        assert state.experiment.owner == "a person"
        assert state.experiment.profile.name == "gran-2010"
        assert state.experiment.ends_at_s is not None
        assert state.base is not None
        assert state.base.name == "off"
        assert self.holds(fabric, GRAN)
        assert fabric.restore(silent).good
        assert fabric.state().experiment is None
        assert self.holds(fabric, OFF)
        assert fabric.restore(silent).good, "restoring what is restored does nothing"
        assert self.holds(fabric, OFF)

    def test_the_owner_may_try_another_and_nobody_else_may(self, connected: Callable[[], FabricDriver]) -> None:
        mine, theirs = connected(), connected()
        try:
            mine.apply(GRAN, ttl_s=600, owner="me", on_progress=silent)
            with pytest.raises(BusyError, match="me.*gran-2010"):
                theirs.apply(OTHER, ttl_s=600, owner="they", on_progress=silent)
            with pytest.raises(BusyError, match="me"):
                theirs.promote(OTHER, owner="they", on_progress=silent)
            with pytest.raises(BusyError, match="me"):
                theirs.rollback(silent)
            assert self.holds(mine, GRAN)
            mine.apply(OTHER, ttl_s=600, owner="me", on_progress=silent)
            assert self.holds(theirs, OTHER)
            theirs.restore(silent)
            assert self.holds(mine, OFF)
        finally:
            mine.close()
            theirs.close()

    def test_a_promoted_profile_is_the_base_and_rollback_undoes_it(self, fabric: FabricDriver) -> None:
        assert fabric.promote(GRAN, owner="me", on_progress=silent).good
        state = fabric.state()
        assert state.base is not None
        assert state.base.name == "gran-2010"
        assert state.former is not None
        assert state.former.name == "off"
        assert Profile.from_text(state.former.document) == OFF
        assert self.holds(fabric, GRAN)
        fabric.promote(GRAN, owner="me", on_progress=silent)  # as after a crash: there is still one former base
        assert fabric.rollback(silent).good
        assert self.holds(fabric, OFF)
        assert fabric.state().former is None
        if self.keeps_as_found:
            assert fabric.rollback(silent).good
            assert fabric.state().base is None
        with pytest.raises(NothingToUndoError):
            fabric.rollback(silent)
        assert self.keeps_as_found or self.holds(fabric, OFF)

    def test_promoting_ends_the_owners_own_experiment(self, fabric: FabricDriver) -> None:
        fabric.apply(GRAN, ttl_s=600, owner="me", on_progress=silent)
        fabric.promote(GRAN, owner="me", on_progress=silent)
        assert fabric.state().experiment is None
        assert self.holds(fabric, GRAN)
        fabric.apply(OFF, ttl_s=600, owner="me", on_progress=silent)
        fabric.promote(OTHER, owner="me", on_progress=silent)
        assert fabric.state().experiment is None
        assert self.holds(fabric, OTHER)

    def test_verify_reads_everything_and_finds_it_right(self, fabric: FabricDriver) -> None:
        fabric.promote(GRAN, owner="me", on_progress=silent)
        outcome = fabric.verify(silent)
        assert outcome.good
        assert outcome.devices["applied"] == 9

    def test_what_a_device_holds_is_shown_by_mad(self, fabric: FabricDriver) -> None:
        fabric.promote(GRAN, owner="me", on_progress=silent)
        adapter = next(device for device in fabric.devices() if device.kind == "ca")
        names = [one.attribute for one in fabric.attributes(adapter.guid, adapter.port)]
        assert names == ["CACongestionSetting", "CongestionControlTable", "CongestionControlTable"]
        switch = next(device for device in fabric.devices() if device.kind == "switch")
        assert fabric.attributes(switch.guid, 0)[0].attribute == "SwitchCongestionSetting"

    def test_a_profile_that_contradicts_itself_changes_nothing(self, fabric: FabricDriver) -> None:
        node = fabric.devices()[0].guid
        bad = GRAN.with_settings(
            {
                "overrides": [
                    {
                        "match": {"guid": next(d.guid for d in fabric.devices() if d.kind == "ca")},
                        "cct": {"ccti_limit": 1, "entries": [{"shift": 0, "multiplier": 0}] * 2},
                    },
                    {"match": {"role": "host"}, "ca": {"ccti_min": 100}},
                ]
            }
        )
        assert node
        for action in (
            lambda: fabric.plan(bad),
            lambda: fabric.apply(bad, ttl_s=60, owner="me", on_progress=silent),
            lambda: fabric.promote(bad, owner="me", on_progress=silent),
        ):
            with pytest.raises(BadInputError, match="gran-2010"):
                action()
        assert self.holds(fabric, OFF)
        assert fabric.state().experiment is None
