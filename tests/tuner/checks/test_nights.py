# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""End to end: some nights, a baseline, and then a fault in what is measured."""

import io
import json
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib import resources
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.tuner.checks.nights import night
from tests.tuner.cli.conftest import Command, Finished
from tuner.cli.main import run

pytestmark = pytest.mark.long

SITE = """ibcc_check: 1
name: site
fabric: fabric.yaml
learn_nights: 10
kinds:
- {kind: fairness, workload: scenario-1, profile: profile.yaml, time_scale: 0.04}
"""
RunNight: TypeAlias = Callable[..., Finished]


def shipped(name: str) -> str:
    return (Path(str(resources.files("ibcc_configs"))) / name).read_text()


def on(command: Command, folder: Path, index: int, *options: object) -> Finished:
    return command("check", "run", folder / "site.yaml", "--history", folder / "h", "--date", night(index), *options)


@pytest.fixture(scope="module")
def accepted_site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with a check, a fabric, a profile, and twelve nights that are the baseline; and what acceptance printed."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "site.yaml").write_text(SITE)
    (folder / "fabric.yaml").write_text(shipped("fabrics/two-switch.yaml"))
    (folder / "profile.yaml").write_text(shipped("profiles/gran-2010.yaml"))

    def command(*arguments: object) -> Finished:
        with redirect_stdout(io.StringIO()) as out:
            code = run([str(argument) for argument in arguments])
        return Finished(code, out.getvalue(), "")

    for i in range(12):
        assert on(command, folder, i).code == 0
    finished = command("check", "accept", folder / "site.yaml", "--history", folder / "h", "--last", "12", "--by", "Ada")
    assert finished.code == 0
    return folder, finished.out


@pytest.fixture
def site(tmp_path: Path, accepted_site: tuple[Path, str]) -> Path:
    """A copy in another folder, whose files tests change."""
    return Path(shutil.copytree(accepted_site[0], tmp_path / "site"))


@pytest.fixture
def run_night(site: Path, command: Command) -> RunNight:
    return lambda index, *options: on(command, site, index, *options)


@pytest.mark.thorough
def test_nights_as_before_pass_and_a_degraded_fabric_is_found(site: Path, run_night: RunNight) -> None:
    for i in range(12, 15):
        finished = run_night(i)
        assert (finished.code, "no alarm; 7 metrics compared with the baseline" in finished.out) == (0, True), finished.out
    fabric = (site / "fabric.yaml").read_text()
    (site / "fabric.yaml").write_text(fabric.replace("a: S1/19, b: S2/19, rate: 4xQDR", "a: S1/19, b: S2/19, rate: 4xSDR"))
    finished = run_night(15)
    assert finished.code == 1
    assert "is worse" in finished.out
    assert finished.out.count("fail: fairness.victim_throughput is worse") == 1
    assert "fairness.victim_throughput: fairness" not in finished.out
    assert "since 2026-01-16" in finished.out
    assert run_night(16, "--nagios").code == 2


def test_a_changed_profile_is_found(site: Path, run_night: RunNight) -> None:
    profile = (site / "profile.yaml").read_text()
    (site / "profile.yaml").write_text(profile.replace("threshold: 15", "threshold: 0"))
    documents = [json.loads(run_night(i, "--output", "json").out) for i in (12, 13, 14)]
    assert documents[-1]["state"] == "fail"
    assert documents[-1]["changed"]["fairness.victim_throughput"]
    assert documents[-1]["causes"][0]["name"] == "changed-profile"


def test_acceptance_says_what_will_be_found(accepted_site: tuple[Path, str]) -> None:
    out = accepted_site[1]
    assert "the baseline has 12 nights, from 2026-01-01 to 2026-01-12, accepted by Ada" in out
    (line,) = (line for line in out.splitlines() if "victim_throughput" in line)
    _, middle, *found, unit = line.split()
    after_1, after_3, after_7 = map(float, found)
    assert after_1 < after_3 < after_7 < float(middle)
    assert unit == "Gb/s"


def test_a_night_that_is_repeated_gives_the_same_values(run_night: RunNight) -> None:
    first, second = (json.loads(run_night(30, "--output", "json").out) for _ in range(2))
    assert first["entries"] == second["entries"]
    assert (first["number"], second["number"]) == (13, 14)
