# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The store of a campaign with variants that an earlier version ran, when these were not yet scenarios."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tuner.cli.main import run


def kept(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT number, state, datetime_complete FROM trials ORDER BY number").fetchall()


@pytest.mark.thorough
def test_it_goes_on_with_the_same_trials_and_says_what_they_serve(
    unpack: Callable[[str, Path], None], root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The former version found that its recommendation is nowhere worse than the expert, who loses victims there himself."""
    storage, document = tmp_path / "variants.sqlite3", root / "tests/data/upgrade/variants.yaml"
    unpack("variants.sqlite3", storage)
    before = kept(storage)
    assert len(before) == 3
    assert run(["tune", str(document), "--storage", str(storage), "--resume", "--output", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert kept(storage) == before, "no trial was measured again"
    assert [scenario["name"] for scenario in report["scenarios"]["scenarios"]] == ["own devices", "acks"]
    assert report["recommended"]["trial"] == 1
    assert "it holds in 1 of 2 scenarios; with 4 contributors, victims lose with adapters that send BECNs" in report["finding"]
    # More trials may follow.
    assert run(["tune", str(document), "--storage", str(storage), "--resume", "--trials", "4", "--output", "json"]) == 0
    capsys.readouterr()
    assert kept(storage)[:3] == before
    assert len(kept(storage)) == 4
