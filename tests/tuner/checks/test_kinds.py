# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What holds of every kind of check; a new kind needs a row in RUNS and one in CANNOT_RUN."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from tests.tuner.checks.fake_plugin import FakePlugin, device
from tests.tuner.checks.impact.gpcnet_text import output
from tests.tuner.checks.links.fake_fabric import FakeFabric
from tests.tuner.checks.routes.subnet_rows import dumped_files
from tests.tuner.hosts.local_cluster import LocalCluster
from tuner.checks.kind import KINDS, Night
from tuner.checks.observe import observed
from tuner.documents.check_kinds import CongestionImpact, Fairness, Hosts, KindOptions, Links, Routes, Sweep, Tables

NIGHT = Night(fabric="two-switch", date=date(2026, 1, 31), clock=lambda: datetime(2026, 1, 31, 2, 17, tzinfo=UTC))


def gpcnet(folder: Path) -> str:
    """Writes a file of what GPCNeT prints."""
    (folder / "gpcnet.txt").write_text(output())
    return str(folder / "gpcnet.txt")


def inventory(folder: Path) -> str:
    """One host, by a real agent of this machine."""
    if not (folder / "sysfs").exists():
        LocalCluster(folder, hosts=("H1",))
    return str(folder / "inventory.yaml")


RUNS: dict[str, Callable[[Path], KindOptions]] = {
    "congestion_impact": lambda folder: CongestionImpact(backend="gpcnet", output=gpcnet(folder)),
    "fairness": lambda folder: Fairness(profile="gran-2010", time_scale=0.02),
    "hosts": lambda folder: Hosts(inventory=inventory(folder)),
    "links": lambda folder: Links(socket=str(folder / "plugin.sock")),
    "routes": lambda folder: Routes(source="files", **dumped_files(folder)),
    "sweep": lambda folder: Sweep(profile="gran-2010", seconds=0.0005),
    "tables": lambda folder: Tables(socket=str(folder / "plugin.sock")),
}
CANNOT_RUN: dict[str, Callable[[Path], KindOptions]] = {
    "congestion_impact": lambda folder: CongestionImpact(backend="gpcnet", output=str(folder / "absent.sock")),
    "fairness": lambda folder: Fairness(backend="emulated", socket=str(folder / "absent.sock")),
    "hosts": lambda folder: Hosts(inventory=str(folder / "absent.sock")),
    "links": lambda folder: Links(socket=str(folder / "absent.sock")),
    "routes": lambda folder: Routes(socket=str(folder / "absent.sock")),
    "sweep": lambda folder: Sweep(backend="emulated", socket=str(folder / "absent.sock")),
    "tables": lambda folder: Tables(socket=str(folder / "absent.sock")),
}
each_kind = pytest.mark.parametrize("kind", KINDS.names())


@pytest.fixture(autouse=True)
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakePlugin]:
    fake = FakePlugin([device("0x1"), device("0x2")])
    fabric = FakeFabric()
    fake.links = fabric.rows
    monkeypatch.setattr("tuner.checks.kinds.links.MadReader", fabric.reader)
    with fake.serving(tmp_path / "plugin.sock"):
        yield fake


@each_kind
def test_a_kind_says_what_it_would_do_and_does_not_do_it(kind: str, tmp_path: Path, plugin: FakePlugin) -> None:
    sentence = KINDS.get(kind).plan(RUNS[kind](tmp_path), NIGHT)
    assert sentence
    assert not sentence.endswith(".")
    assert plugin.heard == []


@pytest.mark.long
@each_kind
def test_a_kind_observes_metrics_with_names_of_their_own(kind: str, tmp_path: Path) -> None:
    observation = observed(RUNS[kind](tmp_path), NIGHT)
    assert observation.not_run is None
    names = [metric.name for metric, _ in observation.metrics]
    assert names
    assert len(set(names)) == len(names)
    assert all(metric.least_effect > 0 and metric.unit for metric, _ in observation.metrics)
    json.dumps(asdict(replace(observation, measured=None)), allow_nan=False)  # places are of tonight alone, and not stored


@pytest.mark.long
@each_kind
def test_a_night_can_be_repeated(kind: str, tmp_path: Path) -> None:
    assert observed(RUNS[kind](tmp_path), NIGHT) == observed(RUNS[kind](tmp_path), NIGHT)


@each_kind
def test_a_kind_that_cannot_be_run_names_what_is_missing(kind: str, tmp_path: Path) -> None:
    observation = observed(CANNOT_RUN[kind](tmp_path), NIGHT)
    assert observation.not_run is not None
    assert "absent.sock" in observation.not_run
    assert not observation.metrics
    assert not observation.findings


@pytest.mark.long
@each_kind
def test_a_kind_sends_no_profile_to_the_plugin(kind: str, tmp_path: Path, plugin: FakePlugin) -> None:
    observed(RUNS[kind](tmp_path), NIGHT)
    assert not {method for method in plugin.heard if method.startswith("profile.")}


@each_kind
def test_a_kind_takes_the_options_that_documents_have(kind: str, tmp_path: Path) -> None:
    assert type(RUNS[kind](tmp_path)) is KINDS.get(kind).options
