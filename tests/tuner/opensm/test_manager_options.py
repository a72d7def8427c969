# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Options of OpenSM's own manager and of Mellanox's as profiles."""

import re
from pathlib import Path

import pytest

from tests.tuner.cli.conftest import Command, command
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.opensm.congestion_options import congestion_options
from tuner.opensm.manager_options import Imported, import_options

__all__ = ["command"]

OPENSM = """\
# OpenSM 3.3.23
routing_engine ftree
congestion_control TRUE
cc_key 0x0000000000000777
cc_max_outstanding_mads 500
cc_sw_cong_setting_control_map 0x1f
cc_sw_cong_setting_victim_mask 0x0000000000000000000000000000000000000000000000000000000000000ffe
cc_sw_cong_setting_threshold 0xf
cc_sw_cong_setting_packet_size 1
cc_sw_cong_setting_credit_starvation_return_delay 1:7
cc_sw_cong_setting_marking_rate 0x0002
cc_ca_cong_setting_port_control 0x0001
cc_ca_cong_setting_control_map 0x0007
cc_ca_cong_setting_ccti_timer 0 128
cc_ca_cong_setting_ccti_timer 1 128
cc_ca_cong_setting_ccti_timer 2 010
cc_ca_cong_setting_ccti_increase 0 1
cc_ca_cong_setting_ccti_increase 1 1
cc_cct 0:0,3:1,3:2,
"""


def test_opensm_conf_is_read() -> None:
    made = import_options(OPENSM, "site")
    values = made.profile.to_dict()
    assert (made.form, made.odd) == ("opensm", [])
    assert values["switch"]["victim_mask"] == list(range(1, 12))
    assert {key: values["switch"][key] for key in ("threshold", "packet_size", "marking_rate", "cs_return_delay")} == {
        "threshold": 15,
        "packet_size": 1,
        "marking_rate": 2,
        "cs_return_delay": {"shift": 1, "multiplier": 7},
    }
    assert {key: values["ca"][key] for key in ("level", "sls", "ccti_timer", "ccti_increase")} == {
        "level": "sl",
        "sls": [0, 1, 2],
        "ccti_timer": 128,
        "ccti_increase": 1,
    }
    assert values["cct"]["entries"] == [{"shift": shift, "multiplier": by} for shift, by in ((0, 0), (3, 1), (3, 2))]
    told = "; ".join(made.remarks)
    assert "cc_key is a secret" in told
    assert "777" not in told
    assert "cc_max_outstanding_mads 500 is the plugin's option --max-outstanding" in told
    assert "SL 2 has other values than the others" in told


@pytest.mark.parametrize("name", ["gran-2010", "gran-2012", "off"])
def test_what_ibcc_writes_is_read_back(name: str) -> None:
    built = build(load_fabric("two-switch"))
    profile = load_profile(name).with_settings({} if name == "off" else {"switch.victim_mask": "all"})
    tables = profile.resolve(built.fabric)
    made = import_options(congestion_options(tables, built.fabric), "back")
    again = made.profile.resolve(built.fabric)
    assert (again.switches, again.cas) == (tables.switches, tables.cas)
    assert made.odd == []


def test_an_empty_section_is_what_opensm_would_write() -> None:
    made = import_options("congestion_control FALSE\n", "none")
    values = made.profile.to_dict()
    assert values["switch"]["threshold"] == 0
    assert values["cct"]["entries"] == [{"shift": 0, "multiplier": 0}]
    told = "; ".join(made.remarks)
    for part in ("is not TRUE", "control_map is 0x0", "no SL is under", "cc_cct is not given"):
        assert part in told


ODD = [
    ("cc_sw_cong_setting_threshold 16", "16 must be 0 to 0xf"),
    ("cc_sw_cong_setting_threshold many", "'many' is no number"),
    ("cc_sw_cong_setting_threshold", "the value is missing"),
    ("cc_sw_cong_setting_colour 3", "OpenSM has no such option"),
    ("cc_ca_cong_setting_ccti_timer 17 5", "17 must be 0 to 0xf"),
    ("cc_ca_cong_setting_ccti_timer 5", "an SL and a value are right"),
    ("cc_cct 4:1,x,", "entry 0 is '4:1' must be shift:multiplier"),
    ("cc_cct " + "0:0," * 200, "the table has 200 entries, of which 128 are read"),
    ("cc_key secret-words", "cc_key is no number"),
    ("congestion_control perhaps", "it must be TRUE or FALSE"),
    ("congestion_control true", "OpenSM takes all but TRUE for FALSE"),
    ("congestion_control FALSE", "it was TRUE in an earlier line"),
    ("cc_sw_cong_setting_threshold 1 2", "'1 2' is no number"),
    ("cc_ca_cong_setting_ccti_timer 0 150 7", "an SL and a value are right"),
    ("cc_ca_cong_setting_ccti_timer 0 1\ncc_ca_cong_setting_ccti_timer 0 2", "of SL 0 it was 1 in an earlier line"),
    ("cc_cct 0:0,3:1\ncc_cct 0:0,3:2", "another table is in an earlier line"),
    ("cc_cct 0:0 3:1", "entry 0 is '0:0 3:1' must be shift:multiplier"),
    ("cc_sw_cong_setting_threshold 3\ncc_sw_cong_setting_threshold 4", "it was 0x3 in an earlier line"),
    ("cc_cct " + ",".join(["3:16383"] * 128), "of which OpenSM reads 1023"),
]


@pytest.mark.parametrize(("lines", "sentence"), ODD)
def test_each_odd_line_has_a_sentence(lines: str, sentence: str) -> None:
    made = import_options(f"congestion_control TRUE\n{lines}\n", "odd")
    assert sentence in "; ".join(made.odd)
    assert "secret-words" not in "; ".join(made.odd)
    assert all(re.match(r"line [23]: ", one) for one in made.odd)


def test_lines_are_read_as_opensm_reads_them() -> None:
    """What `opensm -F FILE -c OUT` of OpenSM 3.3.23 writes of these lines."""
    made = import_options(
        '\tcongestion_control \t "TRUE" \t\r\n  cc_sw_cong_setting_threshold "0xe" # high\r\n'
        "cc_sw_cong_setting_victim_mask ffe\r\ncc_cct 0:0, 3:1\r\n",
        "site",
    )
    values = made.profile.to_dict()
    assert made.odd == []
    assert "is not TRUE" not in "; ".join(made.remarks)
    assert (values["switch"]["threshold"], values["switch"]["victim_mask"]) == (14, list(range(1, 12)))
    assert len(values["cct"]["entries"]) == 2


def test_a_line_that_opensm_does_not_know_does_not_count() -> None:
    made = import_options("\ufeffcongestion_control TRUE\nmlnx_congestion_control 2\n", "site")
    assert made.odd == [
        "line 1: congestion_control TRUE: a byte order mark is before it, so that OpenSM does not know the option"
    ]
    assert "is not TRUE" in made.remarks[0]
    assert "mlnx_congestion_control is 2: NVIDIA's OpenSM sets" in made.remarks[1]
    assert of_mellanox("\ufeffthreshold 3\nccti_timer 40\ncct 1:2\n").profile.to_dict()["switch"]["threshold"] == 3


def of_mellanox(text: str) -> Imported:
    return import_options(text, "ccmgr", like=load_profile("gran-2010"))


def test_the_options_of_mellanox_s_manager_are_read() -> None:
    made = of_mellanox("enable TRUE\nnum_hosts 0\nthreshold 0xe\nmarking_rate=5\npacket_size 500\nmax_errors 9\ncct 0\n")
    values = made.profile.to_dict()
    assert (made.form, made.odd) == ("ccmgr", [])
    assert (values["switch"]["threshold"], values["switch"]["marking_rate"], values["switch"]["packet_size"]) == (14, 5, 8)
    assert (values["ca"]["ccti_increase"], values["ca"]["trigger_threshold"], values["ca"]["ccti_timer"]) == (1, 2, 150)
    assert values["cct"]["ccti_limit"] == 127
    told = "; ".join(made.remarks)
    assert "cct and ccti_timer of 0 mean by the number of hosts (num_hosts 0, which is that of the subnet)" in told
    assert "max_errors 9 is no part of a profile; the plugin's option --max-errors" in told
    assert "500 bytes" in told


def test_a_table_of_mellanox_s_is_filled_with_its_last_entry() -> None:
    made = of_mellanox("threshold 3\nccti_timer 40\ncct 5,1:6,2:7\nnum_hosts 8\nenable FALSE\n")
    values = made.profile.to_dict()
    entries = [(one["shift"], one["multiplier"]) for one in values["cct"]["entries"]]
    assert entries == [(0, 0), (1, 6)] + [(2, 7)] * 126
    assert values["enable"] is False
    assert "the first entry of cct is 0:5" in "; ".join(made.remarks)
    assert "num_hosts 8 decides nothing" in "; ".join(made.remarks)


def test_odd_lines_of_mellanox_s_are_named() -> None:
    made = of_mellanox("threshold 99\ntrace 7\n!!\nenable 2\nmarking_rate 1\nmarking_rate 2\n")
    assert [one.split(": ")[0] for one in made.odd] == ["line 1", "line 2", "line 3", "line 4", "line 6"]
    assert "has no such option" in made.odd[1]


def test_what_has_no_options_is_refused() -> None:
    with pytest.raises(BadInputError, match="no line has an option of congestion control"):
        import_options("routing_engine ftree\n", "x")
    with pytest.raises(BadInputError, match="--like names a profile"):
        import_options("threshold 3\n", "x")


def test_the_file_of_a_site(shared: Path, command: Command, tmp_path: Path) -> None:
    made = command("profile", "import", shared / "cases/c07-opensm.conf", "-o", tmp_path / "site.yaml")
    assert made.code == 0
    assert "control_map" not in made.err
    values = load_profile(tmp_path / "site.yaml").to_dict()
    assert (values["name"], values["ca"]["ccti_timer"], values["ca"]["sls"]) == ("c07-opensm", 128, [0, 1])
    assert len(values["cct"]["entries"]) == 128
    assert command("profile", "diff", tmp_path / "site.yaml", "gran-2010").code == 0


def test_odd_lines_are_counted(command: Command, tmp_path: Path) -> None:
    (tmp_path / "odd.conf").write_text("congestion_control TRUE\n" + "cc_sw_cong_setting_colour 3\n" * 25)
    made = command("profile", "import", tmp_path / "odd.conf")
    assert made.code == 0
    assert made.err.count("OpenSM has no such option") == 20
    assert "25 odd lines, of which 20 are named" in made.err
    (tmp_path / "wide.conf").write_text("congestion_control TRUE\n", encoding="utf-16")
    wide = command("profile", "import", tmp_path / "wide.conf")
    assert (wide.code, "iconv -f UTF-16 -t UTF-8" in wide.err) == (2, True)
    missing = command("profile", "import", tmp_path / "none.conf")
    assert (missing.code, "there is no such file" in missing.err) == (2, True)
