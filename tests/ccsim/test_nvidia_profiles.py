# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The section `nvidia` of profiles: documents round-trip, overrides win in order, and what nothing sets yet is refused."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ccsim import Fabric, Simulation
from ccsim.policy import Profile, ProfileError, profile_keys
from tests.ccsim import nvidia_documents as documents
from tests.ccsim.nvidia_layouts import LAYOUTS
from tuner.documents.nvidia_attributes import nvidia_attributes
from tuner.documents.profile_reach import reach
from tuner.documents.profile_warnings import profile_warnings

DCQCN = {"ibcc_profile": 2, "name": "p", "nvidia": {"adapter": {"type": "dcqcn"}}}


def read(document: dict[str, Any]) -> Profile:
    try:
        return Profile.from_dict(document)
    except ProfileError as error:
        assert "an entry can hold at most 16383" in error.sentence, error  # noqa: PT017 - a curve of annex A10's part
        assume(False)
        raise


@pytest.mark.long
@given(documents.profiles())
def test_documents_round_trip(document: dict[str, Any]) -> None:
    profile = read(document)
    assert Profile.from_text(profile.to_yaml()) == profile
    assert Profile.from_dict(profile.to_dict()) == profile
    assert profile.to_dict()["ibcc_profile"] == 2
    assert profile_warnings(profile) is not None
    assert (reach(profile) is None) == ("cct" not in document)


@pytest.mark.long
@given(documents.profiles())
def test_the_attributes_have_the_documents_values_in_the_bytes_of_the_second_encoder(document: dict[str, Any]) -> None:
    profile = read(document)
    section = profile.to_dict()["nvidia"]
    made = nvidia_attributes(profile)
    for one in made:
        layout = LAYOUTS[one.name]
        values: dict[str, Any] = {
            "cap_total_buffer_size": 0,
            "cap_cc_profile_step_size": 0,
            "algo_status": 0,
            "trace_en": 0,
            "counters_en": 0,
        }
        values |= {"encap_len": 0, "encap_type": 0, "encapsulation": bytes(176)}
        assert one.payload == layout(values | dict(one.values))
    by_name = {one.name: one.values for one in made}
    if "adapter" in section and section["adapter"]["type"] == "dcqcn":
        assert by_name["CongestionHCARPParameters"] == section["adapter"]["rp"]
        assert by_name["CongestionHCANPParameters"] == section["adapter"]["np"]
    if "switch" in section:
        assert by_name["CongestionSwitchGeneralSettings"]["aqs_time"] == section["switch"]["aqs_time"]
        ports = [one.values for one in made if one.name == "CongestionPortProfileSettings"]
        assert len(ports) == len(section["switch"]["thresholds"])
        for held, element in zip(ports, section["switch"]["thresholds"], strict=True):
            assert held["vl_mask"] == (0xFFFF if element["vls"] == "all" else sum(1 << vl for vl in element["vls"]))
            assert (held["mode"], held["granularity"]) == {"bytes": (0, 0), "kilobytes": (0, 1), "percent": (1, 0)}[
                element["unit"]
            ]
            assert {key: held[key] for key in element if key.startswith("profile")} == {
                key: value for key, value in element.items() if key.startswith("profile")
            }


def _leaf() -> Fabric:
    fabric = Fabric()
    leaf = fabric.add_node("leaf", "switch", guid=1, num_ports=3)
    for port in (1, 2):
        fabric.connect(leaf, port, fabric.add_node(f"host{port}", "host", guid=1 + port, num_ports=1), 1, rate="4xNDR")
    fabric.connect(leaf, 3, fabric.add_node("spine", "switch", guid=9, num_ports=1), 1, rate="4xNDR")
    return fabric


changes = st.fixed_dictionaries(
    {},
    optional={
        "sl_profile": st.integers(1, 3),
        "thresholds": st.integers(0, 1000).map(lambda most: [{"unit": "bytes", "profile1_max": most}]),
    },
).filter(bool)
ports = st.none() | st.lists(st.integers(1, 3), min_size=1, unique=True) | st.sampled_from(["ca_ports", "switch_ports"])


@given(st.lists(st.tuples(ports, changes), max_size=5))
def test_later_overrides_win_port_by_port(overrides: list[tuple[Any, dict[str, Any]]]) -> None:
    first: dict[str, Any] = {
        "aqs_time": 0,
        "aqs_weight": 0,
        "sl_profile": 1,
        "thresholds": [{"unit": "bytes", "profile1_max": 7}],
    }
    document = {
        "ibcc_profile": 2,
        "name": "p",
        "nvidia": {"switch": first},
        "overrides": [
            {"match": {"node": "leaf"} | ({} if which is None else {"ports": which}), "nvidia": {"switch": change}}
            for which, change in overrides
        ],
    }
    held = Profile.from_dict(document).resolve(_leaf()).switch(0)["nvidia"]["ports"]
    for port in (1, 2, 3):
        expected = dict(first)
        for which, change in overrides:
            fits = which is None or (port in which if isinstance(which, list) else (which == "ca_ports") == (port < 3))
            expected |= change if fits else {}
        assert held[port]["sl_profile"] == [expected["sl_profile"]] * 16
        assert held[port]["profiles"][0]["profile1_max"] == expected["thresholds"][0]["profile1_max"]


def test_a_rate_can_be_set_in_gbps_whatever_the_document_has() -> None:
    profile = Profile.from_dict(DCQCN)
    changed = profile.with_settings({"nvidia.adapter.rp.rpg_max_rate_gbps": 400})
    assert profile.diff(changed) == [("nvidia.adapter.rp.rpg_max_rate", 0, 400000)]
    assert changed.with_settings({"nvidia.adapter.rp.rpg_max_rate": 7}).to_dict()["nvidia"]["adapter"]["rp"]["rpg_max_rate"] == 7


@given(st.integers(1, 2**16 - 1))
def test_each_whole_number_of_mbps_has_a_number_of_gbps(mbps: int) -> None:
    changed = Profile.from_dict(DCQCN).with_settings({"nvidia.adapter.rp.rpg_ai_rate_gbps": mbps / 1000})
    assert changed.to_dict()["nvidia"]["adapter"]["rp"]["rpg_ai_rate"] == mbps


def test_numbers_are_taken_to_the_ends_of_their_ranges_and_not_beyond() -> None:
    profile = Profile.from_dict(DCQCN)
    for path, key in profile_keys().items():
        if not path.startswith(("nvidia.adapter.rp.", "nvidia.adapter.np.")) or key.type != "integer":
            continue
        assert key.maximum is not None
        # The largest rpg_min_rate needs a large rpg_max_rate, of which 0 is none.
        assert profile.with_settings({path: int(key.maximum)}) is not None
        with pytest.raises(ProfileError, match=f"{path} is {int(key.maximum) + 1}, and must be"):
            profile.with_settings({path: int(key.maximum) + 1})


def test_documents_without_the_section_stay_version_1() -> None:
    document = Profile.from_dict(DCQCN).to_dict()
    del document["nvidia"]
    annex = {
        "switch": {"threshold": 0},
        "ca": {"ccti_timer": 0, "ccti_increase": 0},
        "cct": {"entries": [{"shift": 0, "multiplier": 0}]},
    }
    assert Profile.from_dict(document | annex).to_dict()["ibcc_profile"] == 1


@pytest.mark.parametrize("enable", [True, False])
def test_a_run_on_devices_of_annex_a10_is_refused_unless_the_profile_is_off(enable: bool) -> None:
    fabric = _leaf()
    fabric.route_by("minhop")
    tables = Profile.from_dict(DCQCN | {"enable": enable}).resolve(fabric)
    assert tables.has_nvidia
    if not enable:
        Simulation(fabric, [], tables=tables, duration_s=0.01)
        return
    with pytest.raises(ValueError, match="the profile has the section nvidia, and no device of the fabric has NVIDIA's"):
        Simulation(fabric, [], tables=tables, duration_s=0.01)
    with pytest.raises(ValueError, match="the profile has the section nvidia"):
        Simulation(fabric, [], reprogram=[(0.005, tables)], duration_s=0.01)
