# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections.abc import Callable
from pathlib import Path

import pytest

from api.fabric_drivers.base import BusyError, FabricDriver, silent
from api.fabric_drivers.registry import FABRIC_KINDS, FabricSpec, connect
from api.fabric_drivers.simulated import SimulatedFabric
from ccsim.policy import Profile
from tests.api.fabric_drivers.conformance import GRAN, OFF, FabricConformance
from tests.api.fabric_drivers.memory import PlainMemory
from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build

SPEC = FabricSpec(name="lab", kind="simulated", options={"fabric": "two-switch"})


class TestSimulated(FabricConformance):
    @pytest.fixture
    def connected(self) -> Callable[[], FabricDriver]:
        memory = PlainMemory()
        return lambda: connect(SPEC, memory)


def test_an_experiment_ends_when_its_time_is_over_even_if_nobody_was_there() -> None:
    memory, clock = PlainMemory(), [1000.0]
    built = build(load_fabric("two-switch"))
    SimulatedFabric(built, memory, lambda: clock[0]).apply(GRAN, ttl_s=60, owner="me", on_progress=silent)
    clock[0] = 1059.0
    after_restart = SimulatedFabric(built, memory, lambda: clock[0])
    state = after_restart.state()
    assert state.experiment is not None
    assert state.experiment.ends_at_s == 1060.0
    clock[0] = 1060.0
    assert after_restart.state().experiment is None
    assert after_restart.state().active == after_restart.state().base
    after_restart.apply(OFF, ttl_s=5, owner="another", on_progress=silent)


def test_a_clock_that_is_set_back_does_not_prolong_an_experiment() -> None:
    memory, clock, boot, up_s = PlainMemory(), [10_000.0], ["this boot"], [500.0]

    def fabric() -> SimulatedFabric:
        return SimulatedFabric(built, memory, lambda: clock[0], lambda: (boot[0], up_s[0]))

    built = build(load_fabric("two-switch"))
    fabric().apply(GRAN, ttl_s=60, owner="me", on_progress=silent)
    clock[0], up_s[0] = 10_010.0 - 3600, 510.0
    state = fabric().state()
    assert state.experiment is not None
    assert state.experiment.ends_at_s == 10_060.0 - 3600, "in 50 s, by the clock as it is now"
    with pytest.raises(BusyError, match="for 50 s more"):
        fabric().apply(OFF, ttl_s=5, owner="another", on_progress=silent)
    up_s[0] = 560.0
    assert fabric().state().experiment is None

    # After a start of the machine only the time of day is left.
    fabric().apply(GRAN, ttl_s=60, owner="me", on_progress=silent)
    boot[0], up_s[0] = "another boot", 5.0
    clock[0] += 59
    assert fabric().state().experiment is not None
    clock[0] += 1
    assert fabric().state().experiment is None


def test_revisions_only_rise() -> None:
    fabric = connect(SPEC, PlainMemory())
    revisions = [
        fabric.apply(GRAN, ttl_s=60, owner="me", on_progress=silent).revision,
        fabric.restore(silent).revision,
        fabric.promote(GRAN, owner="me", on_progress=silent).revision,
        fabric.rollback(silent).revision,
    ]
    assert revisions == sorted(set(revisions))


def test_simulated_devices_are_not_asked() -> None:
    fabric = connect(SPEC, PlainMemory())
    assert fabric.state().dialects is None
    with pytest.raises(BadInputError, match="'two-switch' is simulated, so its document says"):
        fabric.ask_devices(silent)


def test_a_profile_with_nvidia_is_refused_and_nothing_changes() -> None:
    fabric = connect(SPEC, PlainMemory())
    before = fabric.state()
    profile = Profile.from_dict({"ibcc_profile": 2, "name": "q", "nvidia": {"adapter": {"type": "dcqcn"}}})
    for attempt in (
        lambda: fabric.plan(profile),
        lambda: fabric.apply(profile, ttl_s=60, owner="me", on_progress=silent),
        lambda: fabric.promote(profile, owner="me", on_progress=silent),
    ):
        with pytest.raises(BadInputError, match="profile 'q' on fabric 'two-switch': .* no device of the fabric has NVIDIA's"):
            attempt()
    assert fabric.state() == before


def test_a_profile_with_nvidia_is_applied_where_devices_have_it_unless_it_is_for_firmware() -> None:
    document = Path("configs/fabrics/two-switch.yaml").read_text() + "congestion_control: nvidia-dcqcn\n"
    fabric = connect(FabricSpec(name="q", kind="simulated", options={"document": document}), PlainMemory())
    for kind in ("dcqcn", "ppcc"):
        slots = {"ppcc": [{"algorithm": "x", "sls": "all"}]} if kind == "ppcc" else {}
        profile = Profile.from_dict({"ibcc_profile": 2, "name": kind, "nvidia": {"adapter": {"type": kind, **slots}}})
        if kind == "dcqcn":
            assert fabric.apply(profile, ttl_s=60, owner="me", on_progress=silent).revision
        else:
            with pytest.raises(BadInputError, match="algorithm of its firmware"):
                fabric.plan(profile)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "lacks options.fabric"),
        ({"fabric": "two-switch", "document": "x: 1"}, "both"),
        ({"fabric": "../../etc/passwd"}, "unknown fabric"),
        ({"fabric": "/etc/passwd"}, "unknown fabric"),
        ({"document": "ibcc_fabric: 1\nname: x\n"}, "mtu_bytes"),
        ({"document": "a: &x 1\nb: *x\n"}, "options.document"),
        ({"fabrik": "two-switch"}, "fabrik"),
        ({"fabric": 7}, "text is expected"),
    ],
)
def test_options_that_make_no_fabric_are_refused(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        FABRIC_KINDS.get("simulated").check(options)


def test_a_document_of_ones_own_is_a_fabric_too() -> None:
    from tuner.documents.catalogue import find

    spec = FabricSpec(name="own", kind="simulated", options={"document": find("fabric", "two-switch").read_text()})
    FABRIC_KINDS.get("simulated").check(spec.options)
    assert len(connect(spec, PlainMemory()).devices()) == 9


def test_devices_that_are_not_known_are_asked_for_before_a_profile() -> None:
    document = load_fabric("two-switch").model_copy(update={"congestion_control": (CongestionControlRow(dialect="unknown"),)})
    fabric = SimulatedFabric(build(document), PlainMemory())
    with pytest.raises(BadInputError, match="is not known; say it"):
        fabric.plan(GRAN)
    with pytest.raises(BadInputError, match="is not known; say it"):
        fabric.apply(GRAN, ttl_s=5, owner="me", on_progress=silent)
    assert fabric.plan(OFF).devices == 0
    assert dict(fabric.state().devices)["unsupported"] == 9


def test_devices_without_congestion_control_do_not_fail_an_apply() -> None:
    rows = (CongestionControlRow(dialect="nvidia-dcqcn"), CongestionControlRow(nodes=("H1",), dialect="none"))
    fabric = SimulatedFabric(build(load_fabric("two-switch").model_copy(update={"congestion_control": rows})), PlainMemory())
    dcqcn = load_profile("dcqcn-paper")
    assert fabric.plan(dcqcn).devices == 8
    outcome = fabric.apply(dcqcn, ttl_s=5, owner="me", on_progress=silent)
    assert (outcome.devices["applied"], outcome.devices["unsupported"], outcome.good) == (8, 1, True)
    (without,) = (one for one in fabric.devices() if one.name == "H1")
    assert (without.state, without.dialect) == ("unsupported", "none")
    assert fabric.attributes(without.guid, without.port) == []
