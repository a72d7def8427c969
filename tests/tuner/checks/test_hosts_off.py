# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hosts that a workload names and that are off: the other flows are measured, and the warning is new once."""

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import TypeAlias

import pytest

from tuner.checks.kinds import fairness
from tuner.checks.run_check import run_check
from tuner.checks.store.history import History
from tuner.checks.store.night_run import NightRun
from tuner.documents.check import Check
from tuner.documents.check_kinds import Fairness

FIRST = date(2026, 1, 1)
RING = """ibcc_workload: 1
name: ring
fabric: two-switch
duration_s: 0.01
patterns:
- {kind: ring, name: ring, hosts: [H1, H2, H6], load: 0.5}
"""
NightWith: TypeAlias = Callable[..., NightRun]


def site(folder: Path, workload: str, monkeypatch: pytest.MonkeyPatch) -> tuple[NightWith, History]:
    """Returns what runs the next night with these hosts off, as the plugin of an emulated fabric would tell it."""
    check = Check(
        ibcc_check=1,
        name="site",
        fabric="two-switch",
        kinds=(Fairness(workload=workload, profile="gran-2010", time_scale=0.02),),
    )
    history, nights = History(folder / "history", "site"), iter(range(100))

    def night(*off: str) -> NightRun:
        monkeypatch.setattr(fairness, "hosts_off", lambda options, hosts: list(off))
        return run_check(check, history, FIRST + timedelta(days=next(nights))).run

    return night, history


def test_the_other_flows_are_measured_and_not_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    night, history = site(tmp_path, "scenario-1", monkeypatch)
    learnt = [night() for _ in range(5)]
    history.accept([run.date for run in learnt], by="ada", at="t")
    off = [night("H2") for _ in range(3)]
    assert [(run.state, run.is_known) for run in off] == [("warn", False), ("warn", True), ("warn", True)]
    assert off[0].headline == "H2 is off, and workload 'scenario-1' needs it"
    record = history.record(off[-1].number, "fairness")
    assert record is not None
    assert set(record["nights"][-1]["gbps"]) == {"F1", "F3", "F4", "F5"}
    assert off[0].entries[0].values["contributor_total"] is not None
    assert not any(one.changed for run in off for one in run.judged.values())
    assert [night().state for _ in range(2)] == ["pass"] * 2, "three contributors are not what is usual"


@pytest.mark.parametrize(("workload", "off"), [("scenario-1", ["H4", "H5"]), ("ring", ["H2"])])
def test_a_workload_of_which_nothing_is_left_is_known_not_to_run(
    workload: str, off: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ring.yaml").write_text(RING)
    night, _ = site(tmp_path, str(tmp_path / "ring.yaml") if workload == "ring" else workload, monkeypatch)
    first, second = night(*off), night(*off)
    assert [entry.values for entry in first.entries] == [{}]
    assert (first.state, first.is_known, second.is_known) == ("warn", False, True)
    assert f"without {', '.join(off)}, off tonight" in str(second.entries[0].not_judged)
    assert second.learning == "learning: 0 of 10 nights"
    assert "contributor_total" in night().entries[0].values or workload == "ring"
