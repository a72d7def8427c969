# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.cli.conftest import Command
from tests.tuner.nvidia.test_held import DCQCN, profile, sections
from tests.tuner.nvidia.written_db_csv import text


@pytest.fixture
def chosen(tmp_path: Path) -> Path:
    path = tmp_path / "chosen.yaml"
    path.write_text(profile(DCQCN).to_yaml())
    return path


def file(folder: Path, rows: dict[str, list[dict[str, Any]]]) -> Path:
    path = folder / "ibdiagnet2.db_csv"
    path.write_text(text(rows))
    return path


def test_devices_that_hold_the_same_are_one_row(command: Command, tmp_path: Path) -> None:
    path = file(tmp_path, sections(profile(DCQCN)))
    finished = command("fabric", "held", path)
    assert (finished.code, finished.err) == (0, "")
    assert "7 adapters: H1, odd, H2, odd, H3, odd, H4, odd and 3 more" in finished.out
    assert "ports 1-3 19, VLs 0-1" in finished.out
    document = json.loads(command("fabric", "held", path, "--output", "json").out)
    assert [len(group["devices"]) for group in document["groups"]] == [7, 1, 1]
    rows = list(csv.DictReader(command("fabric", "held", path, "--output", "csv").out.splitlines()))
    assert {row["value"] for row in rows if (row["name"], row["field"]) == ("H7, odd", "rpg_ai_rate")} == {"5"}


def test_the_exit_code_says_whether_devices_hold_the_profile(command: Command, tmp_path: Path, chosen: Path) -> None:
    rows = sections(profile(DCQCN))
    options = ("--profile", chosen, "--fabric", "two-switch")
    finished = command("fabric", "held", file(tmp_path, rows), *options)
    assert (finished.code, finished.err) == (0, "")
    assert "7 adapters hold what the profile gives" in finished.out
    rows["CC_SWITCH_GENERAL_SETTINGS"][0]["aqs_time"] = 5
    finished = command("fabric", "held", file(tmp_path, rows), *options)
    assert finished.code == 1
    assert "1 switch differs: S1\n  CC_SWITCH_GENERAL_SETTINGS: aqs_time is 5, not 4\n" in finished.out
    finished = command("fabric", "held", file(tmp_path, rows), *options, "--output", "json")
    assert finished.code == 1
    (device,) = (device for device in json.loads(finished.out)["devices"] if device["differences"])
    assert device["differences"] == [
        {"section": "CC_SWITCH_GENERAL_SETTINGS", "where": "", "field": "aqs_time", "held": 5, "wanted": 4}
    ]
    finished = command("fabric", "held", file(tmp_path, rows), *options, "--output", "csv")
    assert [row["name"] for row in csv.DictReader(finished.out.splitlines())] == ["S1"]


def test_one_of_profile_and_fabric_is_too_few(command: Command, tmp_path: Path, chosen: Path) -> None:
    finished = command("fabric", "held", file(tmp_path, sections(profile(DCQCN))), "--profile", chosen)
    assert (finished.code, finished.out) == (2, "")
    assert finished.err == "ibcc: IBCC0804: --profile is given alone; a comparison needs --profile and --fabric\n"
