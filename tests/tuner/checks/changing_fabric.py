# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A check of tables, links and routes of a fabric that changes between nights, as the plugin and its devices would tell it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.checks.fake_plugin import FakePlugin, device
from tests.tuner.checks.links.fake_fabric import FakeFabric
from tests.tuner.checks.routes.subnet_rows import dumped, links_of, routes_of
from tuner.checks.run_check import run_check
from tuner.checks.store.history import History
from tuner.checks.store.night_run import NightRun
from tuner.document_base.model import build_model
from tuner.documents.check import Check
from tuner.fabric.forwarding import End, Forwarding

FIRST = date(2026, 1, 1)
_AT = time(2, 17)
_SWITCH_LIDS = 10_000
_ABLE = {
    f"{what}{which}": value for what, value in (("width", "4x"), ("speed", "EDR")) for which in ("", "_enabled", "_supported")
}


class ChangingFabric:
    """`forwarding`: as it is now. `names`: descriptions of nodes by GUID, where they are not its own. A night of one that is as
    before passes."""

    def __init__(self, plugin: FakePlugin, folder: Path) -> None:
        self._plugin, self.history = plugin, History(folder / "history", "site")
        socket = str(folder / "s")
        kinds: list[dict[str, Any]] = [{"kind": kind, "socket": socket} for kind in ("tables", "links")]
        kinds.append({"kind": "routes", "socket": socket, "unbalanced": 100.0})
        document = {"ibcc_check": 1, "name": "site", "fabric": "two-switch", "kinds": kinds}
        self.check = build_model(Check, document, source="test")
        self.forwarding = dumped("fat-tree", "ftree")
        self.names: dict[int, str] = {}
        self.night_of = FIRST

    def night(self, *, after: int = 1) -> NightRun:
        """`after`: days since the last one."""
        self.night_of += timedelta(days=after)
        f, moment = self.forwarding, datetime.combine(self.night_of, _AT, UTC)
        rows = [self._named(row) | (_ABLE if row["state"] == "active" else dict.fromkeys(_ABLE)) for row in links_of(f)]
        lids: dict[int, Any] = {switch.guid: _SWITCH_LIDS + i for i, switch in enumerate(f.switches)}
        self._plugin.links = [row | {"lid": lids.get(int(str(row["guid"]), 16), row["lid"]), "physical": None} for row in rows]
        self._plugin.routes = [self._named(row) for row in routes_of(f)]
        ends = {(row["guid"], 0 if row["kind"] == "switch" else row["port"]): row for row in self._plugin.links}
        self._plugin.devices = [
            device(guid, port=port, kind=row["kind"], description=row["description"]) for (guid, port), row in ends.items()
        ]
        return run_check(self.check, self.history, self.night_of, clock=lambda: moment).run

    def _named(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {**row, "description": self.names.get(int(row["guid"], 16), row["description"])}


@contextmanager
def changing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, begun: Callable[[Forwarding], Forwarding] = lambda f: f
) -> Iterator[ChangingFabric]:
    """Yields one of which two nights have passed. `begun`: makes what it is at first."""
    monkeypatch.setattr("tuner.checks.kinds.links.MadReader", FakeFabric(hosts=0).reader)
    plugin = FakePlugin([])
    with plugin.serving(folder / "s"):
        fabric = ChangingFabric(plugin, folder)
        fabric.forwarding = begun(fabric.forwarding)
        assert [fabric.night().state for _ in range(2)] == ["pass"] * 2
        yield fabric


def without(f: Forwarding, guids: set[int]) -> Forwarding:
    """The same while these hosts are off."""
    kept = [i for i, destination in enumerate(f.destinations) if destination.guid not in guids]
    links = frozenset(link for link in f.links if not {guid for guid, _ in link} & guids)
    return replace(f, destinations=[f.destinations[i] for i in kept], out=f.out[:, kept], links=links)


def with_guids(f: Forwarding, new: Mapping[int, int]) -> Forwarding:
    """The same with other nodes in the places of these."""

    def moved(end: End) -> End:
        return new.get(end[0], end[0]), end[1]

    return replace(
        f,
        switches=[replace(switch, guid=new.get(switch.guid, switch.guid)) for switch in f.switches],
        destinations=[replace(one, guid=new.get(one.guid, one.guid)) for one in f.destinations],
        links=frozenset(frozenset(map(moved, link)) for link in f.links),
    )


def with_lids(f: Forwarding, lid_of: Callable[[int], int]) -> Forwarding:
    return replace(f, destinations=[replace(one, lid=lid_of(one.lid)) for one in f.destinations])


def told(run: NightRun) -> list[tuple[str, str, str]]:
    """Severity, code and sentence of each finding."""
    return [(finding.severity, finding.code, finding.sentence) for entry in run.entries for finding in entry.findings]
