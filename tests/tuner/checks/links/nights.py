# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nights of the kind `links` that follow each other, each compared with the ones before."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.tuner.checks.fake_plugin import FakePlugin
from tests.tuner.checks.links.fake_fabric import FakeFabric
from tests.tuner.checks.test_kinds import NIGHT
from tuner.checks.expected import Expected
from tuner.checks.kind import GoodRecord
from tuner.checks.observation import Finding, Observation
from tuner.checks.observe import observed
from tuner.documents.check_kinds import Links

START = datetime(2026, 1, 1, 2, tzinfo=UTC)


class Nights:
    """`night` observes one; it is the last good one from then on if it has no finding that fails."""

    def __init__(self, fabric: FakeFabric, folder: Path, monkeypatch: pytest.MonkeyPatch, **options: object) -> None:
        monkeypatch.setattr("tuner.checks.kinds.links.MadReader", fabric.reader)
        self.fabric, self._folder = fabric, folder
        self._options = {"socket": str(folder / "plugin.sock"), **options}
        self.now = START
        self._good: GoodRecord | None = None
        self._latest: GoodRecord | None = None
        self.expected = Expected()

    def accept(self) -> None:
        """A person accepts the last night."""
        assert self._latest is not None
        self._good = replace(self._latest, accepted=True)

    def night(self, *, after: timedelta = timedelta(days=1)) -> Observation:
        self.now += after
        plugin = FakePlugin([])
        plugin.links = self.fabric.rows
        at, told = self.now, replace(NIGHT, date=self.now.date(), good=self._good, latest=self._latest, expected=self.expected)
        with plugin.serving(self._folder / "plugin.sock"):
            seen = observed(Links.model_validate(self._options), replace(told, clock=lambda: at))
        if seen.record is not None:
            self._latest = GoodRecord(at.date(), json.loads(json.dumps(seen.record, allow_nan=False)))
            if all(finding.severity == "warn" for finding in seen.findings):
                self._good = self._latest
        return seen


def values(seen: Observation) -> dict[str, float | None]:
    return {metric.name: value for metric, value in seen.metrics}


def only(seen: Observation) -> Finding:
    (finding,) = seen.findings
    return finding
