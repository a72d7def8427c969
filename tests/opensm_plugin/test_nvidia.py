# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""NVIDIA's attributes on a mixed emulated fabric under stock OpenSM: who is set, who is left alone, and how it ends."""

import copy
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from ccsim.policy import Profile
from tests.ccsim import nvidia_layouts as layouts
from tests.emulator.conftest import Emulate
from tests.emulator.congestion_mads import Ask, answers
from tests.emulator.test_diagnostics import lids
from tests.opensm_plugin.devices import Device, wanted
from tests.opensm_plugin.plugin_process import NO_RETRIES, Load, PluginBed, PluginProcess
from tests.opensm_plugin.test_experiments import begin
from tests.opensm_plugin.test_faults import node
from tuner.backends.simulated import SimulatedBackend
from tuner.documents.congestion_control import Algorithm, CongestionControlRow
from tuner.documents.fabric import load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.mads.request import SET
from tuner.measuring.options import BackendOptions
from tuner.opensm.plugin_client import PluginClient

ROWS = (
    CongestionControlRow(dialect="nvidia-dcqcn"),
    CongestionControlRow(nodes=("S1",), dialect="nvidia-dcqcn", vl_reading="modifier"),
    CongestionControlRow(nodes=("S2", "H5"), dialect="both"),
    CongestionControlRow(nodes=("H4",), dialect="a10"),
    CongestionControlRow(
        nodes=("H6",), dialect="nvidia-ppcc", algorithms=(Algorithm(algo_id=1), Algorithm(algo_id=9, parameters=(5, 6)))
    ),
    CongestionControlRow(nodes=("H7",), dialect="none"),
)
DIALECTS = {"S1": "nvidia", "S2": "both", "H4": "a10", "H5": "both", "H7": "none"}
"""By name; others have NVIDIA's attributes alone."""
WRITE = f"--nvidia-write {NO_RETRIES}"
WITHIN_S = 300.0
DATA_VLS = 0x7FFF
RP = 0xFF21

NVIDIA = """
nvidia:
  switch:
    aqs_time: 4
    aqs_weight: 3
    thresholds: [{vls: all, unit: percent, profile1_min: 10, profile1_max: 40, profile1_percent: 20}]
  adapter: {type: dcqcn, rp: {rpg_ai_rate: 7}, np: {min_time_between_cnps: 9}}
overrides:
- match: {node: H6}
  nvidia: {adapter: {type: ppcc, ppcc: [{algo_id: 9, major: 1, minor: 0, sls: [0, 3], parameters: {1: 60}}]}}
"""


def both_kinds() -> Profile:
    """Values of annex A10's attributes, and of NVIDIA's."""
    text = load_profile("gran-2010").to_yaml().replace("ibcc_profile: 1", "ibcc_profile: 2")
    return Profile.from_text(text + NVIDIA)


@pytest.fixture
def mixed(load: Load, emulate: Emulate) -> PluginBed:
    return load(emulate(load_fabric("two-switch").model_copy(update={"congestion_control": ROWS})))


def expected(bed: PluginBed, profile: Profile) -> dict[Device, Any]:
    """What each device is to hold: both kinds where it has both, annex A10's cleared there while NVIDIA's are in force."""
    off, tables_of_all = wanted(bed.wanted("off")), bed.wanted(profile)
    held: dict[Device, Any] = {}
    for device, tables in wanted(tables_of_all).items():
        dialect = DIALECTS.get(bed.bed.fabric.nodes[device[0]].name, "nvidia")
        if dialect == "none":
            continue
        a10 = (
            off[device] if dialect == "both" and tables_of_all.has_nvidia else {k: v for k, v in tables.items() if k != "nvidia"}
        )
        held[device] = {**(a10 if dialect != "nvidia" else {}), **({"nvidia": tables["nvidia"]} if dialect != "a10" else {})}
    return held


def comparable(bed: PluginBed, tables: dict[Device, Any]) -> dict[Device, Any]:
    """Tables without the parts that the devices of the test lack, with masks of the VLs that there are."""
    tables = copy.deepcopy(tables)
    for device, held in list(tables.items()):
        dialect = DIALECTS.get(bed.bed.fabric.nodes[device[0]].name, "nvidia")
        if dialect == "none":
            del tables[device]
        elif dialect == "nvidia":
            tables[device] = {"nvidia": held["nvidia"]}
        for port in held.get("nvidia", {}).get("ports", {}).values():
            for thresholds in port["profiles"]:
                thresholds["vl_mask"] &= DATA_VLS
        for slot in held.get("nvidia", {}).get("ppcc", []):
            slot["parameters"] = {1: slot["parameters"][1]}
    return tables


def holds(bed: PluginBed, profile: Profile) -> bool:
    return comparable(bed, bed.held()) == comparable(bed, expected(bed, profile))


def await_that(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)  # the emulator's state can be looked at only


def nvidia_of(bed: PluginBed, name: str) -> Any:
    index = node(bed, name)
    return next(tables["nvidia"] for device, tables in bed.held().items() if device[0] == index)


def is_off(bed: PluginBed) -> bool:
    """No device marks or reacts by NVIDIA's attributes, and no port has thresholds."""
    parts = [tables["nvidia"] for tables in bed.held().values() if "nvidia" in tables]
    marking = [part["general"].get("en") or part["general"].get("en_react") or part["general"].get("en_notify") for part in parts]
    thresholds = [port["profiles"] for part in parts for port in part.get("ports", {}).values()]
    slots = [slot for part in parts for slot in part.get("ppcc", [])]
    return not any(marking) and not any(thresholds) and not slots


def rows_of(process: PluginProcess) -> dict[str, Any]:
    with PluginClient(process.setup.socket) as client:
        return {row["description"]: row for row in client.devices()}


def tamper(bed: PluginBed, name: str) -> None:
    """Another manager writes its own RP parameters to a host."""
    values = {**nvidia_of(bed, name)["rp"], "rpg_ai_rate": 99}
    (answer,) = answers(bed.bed, [Ask(lids(bed.bed.clients)[name], RP, data=layouts.hca_rp(values), method=SET)])
    assert answer.status == 0
    assert nvidia_of(bed, name)["rp"]["rpg_ai_rate"] == 99


def test_a_mixed_fabric_is_brought_to_the_profile_and_kept_there(mixed: PluginBed) -> None:
    profile = both_kinds()
    with mixed.opensm(profile, options=f"{WRITE} --audit-interval-s 0") as process:
        process.await_done()
        assert holds(mixed, profile)
        rows = rows_of(process)
        assert {name: row["dialect"] for name, row in rows.items()} == {n: DIALECTS.get(n, "nvidia") for n in rows}
        assert {name: row["state"] for name, row in rows.items()} == {n: "unsupported" if n == "H7" else "applied" for n in rows}
        assert rows["S1"]["nvidia"]["vl_in"] == "modifier"
        assert rows["S2"]["nvidia"]["vl_in"] == "mask"
        count = mixed.count_mads()
        process.opensm.sweep()
        assert count() == 0, "nothing has changed"
        tamper(mixed, "H1")
        sets = mixed.count_mads("set")
        with PluginClient(process.setup.socket) as client:
            client.subscribe()
            assert client.wait(client.verify())["state"] == "done"
        assert holds(mixed, profile)
        assert sets() == 1
        # A host is switched off and on again, and has lost all that it held.
        mixed.bed.emulated.emulator.reboot(node(mixed, "H2"))
        process.opensm.sweep()
        await_that(lambda: holds(mixed, profile))
        assert process.errors == []


def test_an_update_may_bring_annex_a10s_attributes_in_place_of_nvidias(mixed: PluginBed) -> None:
    """OpenSM does not see that the host was away, and tells the plugin of no reset."""
    with mixed.opensm(both_kinds(), options=f"--nvidia-write --audit-interval-s 1 {NO_RETRIES}") as process:
        process.await_done()
        host = node(mixed, "H2")
        mixed.bed.emulated.built.fabric.set_dialect(host, "a10")
        mixed.bed.emulated.emulator.reboot(host)
        process.opensm.sweep()
        await_that(lambda: (rows_of(process)["H2"]["dialect"], rows_of(process)["H2"]["state"]) == ("a10", "applied"))


def test_a_trial_run_ends_across_kinds_and_a_restart_sets_nothing(mixed: PluginBed) -> None:
    profile = both_kinds()
    with mixed.opensm("gran-2010", options=WRITE) as process:
        process.await_done()
        count = mixed.count_mads()
        begin(process, profile, ttl_s=2)
        assert holds(mixed, profile)
        assert count() > 0
        process.await_done("restore")
        await_that(lambda: is_off(mixed))
        assert (
            mixed.held()[(node(mixed, "H5"), 1)]["setting"]
            == wanted(mixed.wanted("gran-2010"))[(node(mixed, "H5"), 1)]["setting"]
        )
        assert rows_of(process)["H1"]["state"] == "unsupported"
        mixed.write_profile(profile)
        await_that(lambda: holds(mixed, profile))
    with mixed.opensm(options=WRITE) as process:
        sets = mixed.count_mads("set")
        process.await_done()
        assert sets() == 0
        assert holds(mixed, profile)


def test_without_the_option_and_with_firmware_that_misleads_nothing_is_written(mixed: PluginBed) -> None:
    profile = both_kinds()
    emulator = mixed.bed.emulated.emulator
    quirks: Mapping[str, Literal["first-port", "zeros", "noise"]] = {"S1": "first-port", "S2": "zeros", "H1": "noise"}
    for name, quirk in quirks.items():
        emulator.set_nvidia_firmware(node(mixed, name), quirk=quirk)
    with mixed.opensm(profile) as process:
        process.await_done()
        assert is_off(mixed)
        assert rows_of(process)["H2"]["withheld"] == "the plugin has no option --nvidia-write"
    with mixed.opensm(options=WRITE) as process:
        process.await_done()
        rows = rows_of(process)
        assert rows["S1"]["withheld"] == (
            "its answers cannot be trusted: CongestionSLMappingSettings: a Get of what it cannot have is answered"
        )
        assert rows["S2"]["withheld"] == (
            "its answers cannot be trusted: CongestionSwitchGeneralSettings: a value is out of range"
        )
        assert rows["H1"]["withheld"] == "its answers cannot be trusted: EnhancedCongestionInfo: reserved bits are not zero"
        assert rows["H2"]["state"] == "applied"
        for name in ("S1", "S2"):
            assert nvidia_of(mixed, name)["general"]["en"] == 0
        assert any("S1" in line and "is only read: CongestionSLMappingSettings" in line for line in process.errors)


def test_the_traffic_is_that_of_the_simulated_backend(load: Load, emulate: Emulate, tmp_path: Path) -> None:
    """To the byte, though the tables came by MADs: averaged marking and DCQCN beside a host and a switch of annex A10."""
    rows = CongestionControlRow(dialect="nvidia-dcqcn"), CongestionControlRow(nodes=("S2", "H4"), dialect="a10")
    fabric = load_fabric("two-switch").model_copy(update={"congestion_control": rows})
    file = tmp_path / "mixed.yaml"
    file.write_text(fabric_text(fabric))
    profile = Profile.from_text(both_kinds().to_yaml().partition("overrides:")[0])
    workload = load_workload("scenario-1").scaled(0.05).model_copy(update={"fabric": str(file)})
    backend = SimulatedBackend(BackendOptions())
    backend.apply(profile)
    bed = load(emulate(fabric))
    with bed.opensm(profile, options=WRITE) as process:
        process.await_done()
        measured = bed.bed.emulated.run(workload, seed=7)
    simulated = backend.measure(workload, seed=7).gbps
    np.testing.assert_array_equal(measured.gbps, simulated)
    backend.apply(load_profile("gran-2010"))
    assert not np.array_equal(simulated, backend.measure(workload, seed=7).gbps), "NVIDIA's tables change the traffic"
