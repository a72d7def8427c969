# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import gzip
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ccsim.policy import Profile
from tests.ccsim import nvidia_documents
from tests.tuner.nvidia.written_db_csv import text, written
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.nvidia.held import Place, groups, places_text, read_held
from tuner.nvidia.held_differences import Compared, compare

BUILT = build(load_fabric("two-switch"))
DCQCN = {
    "switch": {"aqs_time": 4, "aqs_weight": 3, "thresholds": [{"vls": [0, 1], "unit": "bytes", "profile1_max": 40}]},
    "adapter": {"type": "dcqcn"},
}
PUBLIC = """\
START_CC_ENHANCED_INFO
NodeGUID,ver0Supported,CC_Capability_Mask
0x0002c9000000001d,1,0x0000000000000002
END_CC_ENHANCED_INFO
"""
"""The example that the user manual of ibdiagnet prints."""


def profile(nvidia: dict[str, Any]) -> Profile:
    return Profile.from_dict({"ibcc_profile": 2, "name": "p", "nvidia": nvidia})


def sections(chosen: Profile) -> dict[str, list[dict[str, Any]]]:
    return written(chosen.resolve(BUILT.fabric), BUILT.fabric)


def compared(folder: Path, content: str, chosen: Profile) -> Compared:
    path = folder / "ibdiagnet2.db_csv"
    path.write_bytes(content.encode())
    return compare(read_held(path), chosen, BUILT.fabric, fabric_name="two-switch")


def differing(found: Compared) -> dict[str, list[str]]:
    return {device.name: device.sentences for device in found.devices if device.sentences}


def test_the_public_example(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(PUBLIC)
    found = read_held(path)
    (device,) = found.devices.values()
    assert (device.guid, device.label, found.notes) == (0x2C9_0000_0000_1D, "0x0002c9000000001d", ())
    assert device.held["CC_ENHANCED_INFO"][Place(None)] == (("ver0Supported", 1), ("CC_Capability_Mask", 2))


@pytest.mark.long
@settings(max_examples=30)
@given(nvidia=nvidia_documents.sections(), windows=st.booleans(), seed=st.randoms(use_true_random=False))
def test_devices_that_hold_the_profile_do_not_differ(
    tmp_path_factory: Any, nvidia: dict[str, Any], windows: bool, seed: Any
) -> None:
    chosen = profile(nvidia)
    mixed = {}
    for section, rows in sections(chosen).items():
        columns = seed.sample(list(rows[0]), len(rows[0]))
        mixed[section] = [{column: row[column] for column in columns} | {"unheard_of": "x"} for row in rows]
    folder = tmp_path_factory.mktemp("held")
    found = compared(folder, text(mixed, end="\r\n" if windows else "\n"), chosen)
    assert differing(found) == {}
    assert len(found.devices) == 2 * ("switch" in nvidia) + 7 * ("adapter" in nvidia)


def test_a_difference_is_said_with_its_ports_and_vls(tmp_path: Path) -> None:
    rows = sections(profile(DCQCN))
    for row in rows["CC_PORT_PROFILE_SETTINGS"]:
        if row["portNum"] in (1, 2) and row["vl"] < 2 and row["NodeGUID"].endswith("100"):
            row["profile1_max"] = 41
    rows["CC_HCA_RP_PARAMETERS"][0]["rpg_ai_rate"] = 6
    (adapter,) = [node["NodeDesc"] for node in rows["NODES"] if node["NodeGUID"] == rows["CC_HCA_RP_PARAMETERS"][0]["NodeGUID"]]
    assert differing(compared(tmp_path, text(rows), profile(DCQCN))) == {
        "S1": ["CC_PORT_PROFILE_SETTINGS, ports 1-2, VLs 0-1: profile1_max is 41, not 40"],
        adapter.split(",")[0].strip('"'): ["CC_HCA_RP_PARAMETERS, port 1: rpg_ai_rate is 6, not 5"],
    }


def test_a_value_that_no_cell_has_is_not_taken_for_right(tmp_path: Path) -> None:
    rows = sections(profile(DCQCN))
    for row in rows["CC_HCA_RP_PARAMETERS"]:
        row["rpg_ai_rate"] = "N/A"
    rows["CC_HCA_NP_PARAMETERS"] = [{key: row[key] for key in ("NodeGUID", "portNum")} for row in rows["CC_HCA_NP_PARAMETERS"]]
    found = compared(tmp_path, text(rows), profile(DCQCN))
    assert "CC_HCA_RP_PARAMETERS lacks rpg_ai_rate, not compared" in found.uncompared
    assert differing(found) == {f"H{n}": ["CC_HCA_NP_PARAMETERS, port 1: not in the file"] for n in range(1, 8)}


def test_devices_that_only_one_side_has(tmp_path: Path) -> None:
    rows = sections(profile(DCQCN))
    for section in rows:
        rows[section] = [row for row in rows[section] if not row["NodeGUID"].endswith("200")]
    rows["CC_SWITCH_GENERAL_SETTINGS"].append(rows["CC_SWITCH_GENERAL_SETTINGS"][0] | {"NodeGUID": "0xabc"})
    found = compared(tmp_path, text(rows), profile(DCQCN))
    assert differing(found) == {"S2": ["the file has nothing of this device"]}
    assert found.not_in_fabric == ("0x0000000000000abc",)


def test_algorithms_are_shown_as_they_stand_and_not_compared(tmp_path: Path) -> None:
    ppcc = {"adapter": {"type": "ppcc", "ppcc": [{"algorithm": "a"}]}}
    rows = sections(profile(ppcc))
    del rows["CC_HCA_RP_PARAMETERS"]
    guid = rows["CC_HCA_NP_PARAMETERS"][0]["NodeGUID"]
    rows["CC_HCA_ALGO_CONFIG"] = [{"NodeGUID": guid, "portNum": 1, "algo_slot": slot, "encap": "ZTR v1"} for slot in (0, 1)]
    found = compared(tmp_path, text(rows), profile(ppcc))
    assert differing(found) == {}
    assert any("not compared" in sentence for sentence in found.uncompared)
    held = read_held(tmp_path / "ibdiagnet2.db_csv").devices[int(guid, 16)].held["CC_HCA_ALGO_CONFIG"]
    assert [dict(values) for values in held.values()] == [{"algo_slot": str(slot), "encap": "ZTR v1"} for slot in (0, 1)]


def test_equal_devices_are_one_group(tmp_path: Path) -> None:
    rows = sections(profile(DCQCN))
    rows["CC_HCA_NP_PARAMETERS"][3]["min_time_between_cnps"] = 5
    path = tmp_path / "x"
    path.write_bytes(gzip.compress(text(rows).encode()))
    grouped = groups(read_held(path).devices.values())
    assert [(group.kind, len(group.devices)) for group in grouped] == [
        ("adapter", 6),
        ("switch", 1),
        ("switch", 1),
        ("adapter", 1),
    ]
    assert grouped[0].devices[0].label.endswith(", odd")


def test_places_in_words() -> None:
    places = [Place(port, vl) for port in (1, 2, 3, 7) for vl in (0, 1)] + [Place(9, 3)]
    assert places_text(places) == "ports 1-3 7, VLs 0-1; port 9, VL 3"
    assert places_text([Place(None)]) == ""


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("", "has no values of congestion control; `ibdiagnet --congestion_control` writes them"),
        ("START_CC_HCA_NP_PARAMETERS\nportNum\n1\n", "2: section CC_HCA_NP_PARAMETERS has no column NodeGUID"),
        ("START_CC_HCA_NP_PARAMETERS\nNodeGUID,a,A\n", "2: section CC_HCA_NP_PARAMETERS has the column 'a' twice"),
        ("START_CC_HCA_NP_PARAMETERS\nNodeGUID\nH1\n", "3: section CC_HCA_NP_PARAMETERS has the NodeGUID 'H1'"),
        ("START_CC_HCA_NP_PARAMETERS\nNodeGUID\n1,2\n", "3: has 2 cells, but section CC_HCA_NP_PARAMETERS has 1 columns"),
        ("x" * 70000, "1: has more than 65536 bytes in a line"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, content: str, part: str) -> None:
    path = tmp_path / "x"
    path.write_text(content)
    with pytest.raises(BadInputError) as raised:
        read_held(path)
    assert part in str(raised.value)


def test_packed_files_that_are_cut_or_damaged(tmp_path: Path) -> None:
    packed = gzip.compress(PUBLIC.encode())
    for number, damaged in enumerate((packed[:-12], packed[:14] + b"zzzz" + packed[18:])):
        path = tmp_path / str(number)
        path.write_bytes(damaged)
        with pytest.raises(BadInputError, match="cannot be read: "):
            read_held(path)


def test_odd_parts_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(
        "START_CC_HCA_NP_PARAMETERS\nNodeGUID,portNum,min_time_between_cnps,cnp_sl\n0x1,1,many,1\n0x1,1,5,1\n"
        "START_CC_SWITCH_GENERAL_SETTINGS\nNodeGUID,en,new\n0x2,1,3\n"
    )
    found = read_held(path)
    assert found.devices[1].held["CC_HCA_NP_PARAMETERS"] == {Place(1): (("min_time_between_cnps", 5), ("cnp_sl", 1))}
    assert found.notes == (
        "line 5: section CC_HCA_NP_PARAMETERS has no end before START_CC_SWITCH_GENERAL_SETTINGS",
        "section CC_SWITCH_GENERAL_SETTINGS has no end: the file is cut short",
        "section CC_SWITCH_GENERAL_SETTINGS has columns that are not known and were left out: new",
        "1 cells of CC_HCA_NP_PARAMETERS, column min_time_between_cnps, are no numbers and were left out",
        "1 rows stand in the file twice with other values; the last one was read",
    )


def test_a_profile_of_annex_a10_has_nothing_to_compare(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="gran-2010 has no section nvidia"):
        compared(tmp_path, PUBLIC, load_profile("gran-2010"))


@pytest.mark.long
def test_a_file_takes_memory_for_its_values_and_not_for_its_other_sections(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with path.open("w") as file:
        file.write("START_PM_INFO\nNodeGUID,counter\n")
        for _ in range(100):
            file.write("0x1,123456789\n" * 1000)
        file.write("END_PM_INFO\n" + PUBLIC)
    tracemalloc.start()
    try:
        assert len(read_held(path).devices) == 1
        assert tracemalloc.get_traced_memory()[1] < path.stat().st_size / 5
    finally:
        tracemalloc.stop()
