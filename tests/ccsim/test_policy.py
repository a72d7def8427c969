# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ccsim.policy as its users meet it; what documents mean is tested in tests/ccpolicy."""

import math
import pickle
from pathlib import Path

import numpy as np
import pytest

from ccsim import Fabric
from ccsim.policy import Profile, ProfileError

TEXT = """
ibcc_profile: 1
name: test
link: {rate_gbps: 16, mtu_bytes: 2048}
switch: {threshold: 15, marking_rate: 1, packet_size: 8, victim_mask: ca_ports}
ca: {ccti_timer: 150, ccti_increase: 1}
cct: {ccti_limit: 127, curve: {kind: power, full_scale_us: 7, at_index: 106, exponent: 2}}
overrides:
- match: {role: leaf, ports: [3]}
  switch: {threshold: 9}
"""


@pytest.fixture
def profile() -> Profile:
    return Profile.from_text(TEXT, source="test.yaml")


@pytest.fixture
def fabric() -> Fabric:
    """Hosts H1 and H2 on ports 1 and 2 of switch S1; port 3 leads to S2, which has no hosts."""
    fabric = Fabric()
    s1 = fabric.add_node("S1", "switch", guid=0x51, num_ports=4)
    s2 = fabric.add_node("S2", "switch", guid=0x52, num_ports=4)
    for port, name in enumerate(["H1", "H2"], 1):
        host = fabric.add_node(name, "host", guid=0x10 + port, num_ports=1)
        fabric.connect(s1, port, host, 1, rate="4xDDR")
    fabric.connect(s1, 3, s2, 1, rate="4xQDR")
    return fabric


def test_reads_files_and_names_them_in_errors(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(TEXT)
    profile = Profile.from_file(path)
    assert (profile.name, profile.enable, profile.source) == ("test", True, str(path))
    path.write_text(TEXT.replace("threshold: 15", "threshold: 16"))
    with pytest.raises(ProfileError) as caught:
        Profile.from_file(str(path))
    error = caught.value
    assert (error.source, error.line, error.column) == (str(path), 5, 21)
    assert error.sentence.startswith("switch.threshold is 16, and must be a whole number: 0 (never marks)")
    assert str(error) == f"{path}:5:21: {error.sentence}"
    assert isinstance(error, ValueError)


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Profile.from_file(tmp_path / "none.yaml")


def test_errors_of_text_without_a_name_still_have_a_place() -> None:
    with pytest.raises(ProfileError, match=r"^1:1: this is not a profile") as caught:
        Profile.from_text("name: x")
    assert caught.value.source is None


def test_errors_of_dicts_have_no_place(profile: Profile) -> None:
    with pytest.raises(ProfileError) as caught:
        Profile.from_dict(profile.to_dict() | {"name": 3})
    assert (caught.value.line, caught.value.column) == (None, None)
    assert str(caught.value).startswith("name is 3, and must be a string")


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (math.nan, "cannot be written as JSON"),
        ({1, 2}, r"cannot be written as JSON: \{1, 2\} is a set"),
        ("\ud800", "lone surrogate"),
        ("a\u2028b", r"name is 'a.b', and must be a string of 1 to 255 printable"),
        ("a\x85b", r"name is"),
        ("a\0b", r"name is 'a\\x00b'"),
    ],
)
def test_dicts_that_are_no_documents_are_refused(profile: Profile, value: object, sentence: str) -> None:
    with pytest.raises(ProfileError, match=sentence):
        Profile.from_dict(profile.to_dict() | {"name": value})


def test_to_dict_is_the_callers_own(profile: Profile) -> None:
    document = profile.to_dict()
    document["switch"]["threshold"] = 3
    assert profile.to_dict()["switch"]["threshold"] == 15


def test_to_dict_shows_defaults(profile: Profile) -> None:
    document = profile.to_dict()
    assert document["ca"] == {
        "level": "qp",
        "sls": "all",
        "ccti_timer": 150,
        "ccti_increase": 1,
        "ccti_min": 0,
        "trigger_threshold": 0,
    }
    assert document["cct"]["limit_mode"] == "final"


def test_with_settings_changes_and_checks(profile: Profile) -> None:
    changed = profile.with_settings(
        {"ca.ccti_timer": np.int64(200), "switch.marking_rate": 3, "cct.curve.full_scale_us": np.float64(9.5), "name": "other"}
    )
    assert profile.diff(changed) == [
        ("name", "test", "other"),
        ("switch.marking_rate", 1, 3),
        ("ca.ccti_timer", 150, 200),
        ("cct.curve.full_scale_us", 7, 9.5),
    ]
    assert profile.to_dict()["ca"]["ccti_timer"] == 150
    with pytest.raises(ProfileError, match=r"ca\.ccti_timer is 65536"):
        profile.with_settings({"ca.ccti_timer": 65536})
    with pytest.raises(ProfileError, match="'ccti_tmier' is not a key of ca"):
        profile.with_settings({"ca.ccti_tmier": 1})
    with pytest.raises(ProfileError, match=r"'name.x' leads into 'test'"):
        profile.with_settings({"name.x": 1})


def test_with_settings_reaches_into_lists(profile: Profile) -> None:
    assert profile.with_settings({"overrides.0.switch.threshold": 4}).to_dict()["overrides"][0]["switch"] == {"threshold": 4}
    for key in ("overrides.1.switch", "overrides.x.switch", "overrides.-1"):
        with pytest.raises(ProfileError, match="where a list needs the number of an element: 0 to 0"):
            profile.with_settings({key: {}})


def test_with_settings_of_none_takes_a_key_out(profile: Profile) -> None:
    assert "at_index" not in profile.with_settings({"cct.curve.at_index": None}).to_dict()["cct"]["curve"]
    assert profile.with_settings({"switch.victim_mask": None}).to_dict()["switch"]["victim_mask"] == "none"
    with pytest.raises(ProfileError, match="switch lacks the key threshold"):
        profile.with_settings({"switch.threshold": None})


def test_with_settings_replaces_what_excludes_the_key(profile: Profile) -> None:
    in_packets = profile.with_settings({"cct.curve.full_scale_packet_times": 6.75})
    assert in_packets.to_dict()["cct"]["curve"] == {
        "kind": "power",
        "full_scale_packet_times": 6.75,
        "at_index": 106,
        "exponent": 2,
    }
    listed = profile.with_settings({"cct.entries": [{"shift": 0, "multiplier": 0}], "cct.ccti_limit": 0})
    assert "curve" not in listed.to_dict()["cct"]


def test_with_settings_adds_sections() -> None:
    off = Profile.from_text("ibcc_profile: 1\nname: off\nenable: false\n")
    assert off.with_settings({"ca.ccti_timer": 9, "ca.ccti_increase": 1}).to_dict()["ca"]["ccti_timer"] == 9


def test_encode(profile: Profile) -> None:
    encoding = profile.encode()
    assert encoding.packet_time_ns == 1037.0
    assert [e.index for e in encoding.entries] == list(range(128))
    entry = encoding.entries[106]
    assert (entry.shift, entry.multiplier, entry.ird_packet_times, entry.ird_ns) == (2, 27, 6.75, 6.75 * 1037)
    assert entry.wanted_ns == pytest.approx(7000)
    assert entry.error_ns == pytest.approx(-0.25)
    worst = encoding.worst
    assert worst is not None
    assert (
        abs(worst.error_packet_times)
        == encoding.worst_error_packet_times
        == max(abs(e.error_packet_times) for e in encoding.entries)
    )
    assert encoding.worst_error_ns == pytest.approx(encoding.worst_error_packet_times * 1037)


def test_encode_without_a_link_knows_packet_times_only() -> None:
    document = Profile.from_text(TEXT).to_dict()
    del document["link"]
    document["cct"] = {"entries": [{"shift": 0, "multiplier": 0}, {"shift": 1, "multiplier": 3}]}
    encoding = Profile.from_dict(document).encode()
    assert encoding.entries[1].ird_packet_times == 1.5
    assert encoding.entries[1].ird_ns is None
    assert encoding.entries[1].error_ns is None
    assert (encoding.packet_time_ns, encoding.worst_error_ns, encoding.worst_error_packet_times) == (None, None, 0.0)


def test_encode_without_a_table_is_empty() -> None:
    encoding = Profile.from_text("ibcc_profile: 1\nname: off\nenable: false\n").encode()
    assert (encoding.entries, encoding.worst, encoding.worst_error_packet_times) == ((), None, 0.0)


def test_diff_names_what_one_side_lacks(profile: Profile) -> None:
    off = Profile.from_text("ibcc_profile: 1\nname: test\nenable: false\n")
    rows = profile.diff(off)
    assert ("enable", True, False) in rows
    assert ("switch.threshold", 15, None) in rows
    assert ("overrides.0.match.ports", [3], None) in rows
    assert sorted((key, before, after) for key, after, before in off.diff(profile)) == sorted(rows)
    assert profile.diff(Profile.from_text(TEXT)) == []


def test_equality_and_pickling(profile: Profile) -> None:
    same = Profile.from_text(TEXT)
    assert profile == same
    assert hash(profile) == hash(same)
    assert profile != profile.with_settings({"name": "other"})
    assert profile != TEXT
    copied = pickle.loads(pickle.dumps(profile))
    assert copied == profile
    assert copied.source == "test.yaml"
    assert repr(profile) == "<Profile 'test'>"


def test_resolve(profile: Profile, fabric: Fabric) -> None:
    tables = profile.resolve(fabric)
    assert tables.enable
    assert tables.warnings == []
    assert (tables.num_switches, tables.num_cas) == (2, 2)
    s1 = tables.switch(0)
    assert s1["guid"] == 0x51
    assert s1["setting"]["victim_mask"] == [1, 2]
    assert s1["ports"] == {3: {"control_type": 0, "threshold": 9, "packet_size": 8, "marking_rate": 1}}
    assert tables.switch(1)["ports"] == {}
    assert tables.switches == [tables.switch(0), tables.switch(1)]
    h1 = tables.ca(2)
    assert (h1["guid"], h1["port"]) == (0x11, 1)
    assert h1["setting"]["sls"][15] == {"ccti_timer": 150, "ccti_increase": 1, "trigger_threshold": 0, "ccti_min": 0}
    assert h1["cct"]["entries"] == tuple((e.shift, e.multiplier) for e in profile.encode().entries)
    assert tables.cas == [tables.ca(2), tables.ca(3)]
    with pytest.raises(ValueError, match="node 2 is not a switch"):
        tables.switch(2)
    with pytest.raises(ValueError, match="port 2 of node 2 is not a connected port"):
        tables.ca(2, 2)


def test_tables_outlive_what_they_came_from(fabric: Fabric) -> None:
    tables = Profile.from_text(TEXT).resolve(fabric)
    del fabric
    assert tables.switch(0)["setting"]["threshold"] == 15


def test_resolve_warns_and_refuses(profile: Profile, fabric: Fabric) -> None:
    warned = profile.with_settings({"overrides.0.match": {"node": "X*"}}).resolve(fabric)
    assert warned.warnings == ["overrides[0] (node 'X*') matches no switch, so its switch settings have no effect"]
    bad = profile.to_dict() | {"overrides": [{"match": {"role": "host"}, "ca": {"ccti_min": 200}}]}
    with pytest.raises(ProfileError, match="port 1 of 'H1' ends up with ccti_min 200 and ccti_limit 127"):
        Profile.from_dict(bad).resolve(fabric)


@pytest.mark.parametrize("name", ["off", "gran-2010", "gran-2012"])
def test_packaged_profiles(root: Path, fabric: Fabric, name: str) -> None:
    profile = Profile.from_file(root / "configs" / "profiles" / f"{name}.yaml")
    assert profile.name == name
    assert profile.resolve(fabric).warnings == []
    assert profile.enable is (name != "off")


def test_gran_2010_is_the_published_set(root: Path, fabric: Fabric) -> None:
    profile = Profile.from_file(root / "configs" / "profiles" / "gran-2010.yaml")
    tables = profile.resolve(fabric)
    setting = tables.switch(0)["setting"]
    assert (setting["threshold"], setting["marking_rate"], setting["packet_size"]) == (15, 1, 8)
    assert setting["victim_mask"] == [1, 2]
    sl = tables.ca(2)["setting"]["sls"][0]
    assert (sl["ccti_timer"], sl["ccti_increase"], sl["ccti_min"]) == (150, 1, 0)
    assert tables.ca(2)["cct"]["ccti_limit"] == 127
    encoding = profile.encode()
    for entry in encoding.entries:
        assert entry.wanted_ns == pytest.approx(7000 * entry.index**2 / 106**2)
        assert entry.ird_ns == pytest.approx(entry.wanted_ns, abs=1037 / 16)


def test_gran_2012_meets_all_647_other_hosts_where_gran_2010_meets_4(root: Path) -> None:
    irds = {
        name: [e.ird_packet_times for e in Profile.from_file(root / "configs" / "profiles" / f"{name}.yaml").encode().entries]
        for name in ("gran-2010", "gran-2012")
    }
    host_gbps = 16 * 2048 / 2074
    for name, contributors, receive_gbps in (("gran-2010", 4, 13.3), ("gran-2012", 647, 13.6)):
        wanted = host_gbps * contributors / receive_gbps - 1
        assert irds[name][78] < wanted < irds[name][80]
