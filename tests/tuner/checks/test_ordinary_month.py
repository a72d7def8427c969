# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What happens in each month to a fabric without a fault, and what a check says to it; and a fault in between.

The fabric is a fat tree whose tables a real OpenSM has dumped, as the plugin would tell it.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tuner.checks.fake_plugin import FakePlugin, device
from tests.tuner.checks.nights import night
from tests.tuner.checks.routes.subnet_rows import dumped, links_of, routes_of
from tuner.check_report.document import night_report
from tuner.check_report.mail import mail_text
from tuner.checks.run_check import Outcome, run_check
from tuner.checks.store.history import History
from tuner.document_base.model import build_model
from tuner.documents.check import Check
from tuner.fabric.forwarding import Forwarding

LEARNT = 10


def without_hosts(f: Forwarding, names: set[str]) -> Forwarding:
    """The same while these hosts are off."""
    kept = [i for i, one in enumerate(f.destinations) if one.name not in names]
    ends = {one.end for one in f.destinations if one.name in names}
    return replace(
        f,
        destinations=[f.destinations[i] for i in kept],
        out=f.out[:, kept],
        links=frozenset(link for link in f.links if not link & ends),
    )


class Month:
    """A check of tables and routes, night after night."""

    def __init__(self, folder: Path, plugin: FakePlugin) -> None:
        self.plugin, self._history, self._next = plugin, History(folder / "h", "site"), 0
        socket = str(folder / "s")
        kinds = [{"kind": "tables", "socket": socket}, {"kind": "routes", "socket": socket, "unbalanced": 100.0}]
        self._check = build_model(Check, {"ibcc_check": 1, "name": "site", "fabric": "two-switch", "kinds": kinds}, source="test")
        self.whole = dumped("fat-tree", "ftree")
        self.set(self.whole)

    def set(self, f: Forwarding) -> None:
        self.plugin.links, self.plugin.routes = links_of(f), routes_of(f)
        names = {f"0x{switch.guid:016x}": ("switch", switch.name) for switch in f.switches}
        names |= {f"0x{one.guid:016x}": ("ca", one.name) for one in f.destinations}
        self.plugin.devices = [
            device(guid, port=1 if kind == "ca" else 0, kind=kind, description=name) for guid, (kind, name) in names.items()
        ]

    def night(self, *, again: bool = False) -> Outcome:
        self._next += not again
        return run_check(self._check, self._history, night(self._next))

    def nights(self, count: int) -> list[str]:
        return [self.night().run.state for _ in range(count)]

    def learn(self) -> None:
        assert self.nights(LEARNT) == ["pass"] * LEARNT
        self._history.accept([night(i) for i in range(1, LEARNT + 1)], by="Ada", at="t")


@pytest.fixture
def month(tmp_path: Path) -> Iterator[Month]:
    plugin = FakePlugin([])
    with plugin.serving(tmp_path / "s"):
        yield Month(tmp_path, plugin)


def test_a_host_that_was_off_for_two_nights_leaves_no_alarm_behind(month: Month) -> None:
    month.learn()
    host = month.whole.destinations[5].name
    month.set(without_hosts(month.whole, {host}))
    first, second = month.night(), month.night()
    assert first.run.state == "warn"
    assert f"{host}/1 is gone, which was there on" in " ".join(one.sentence for one in first.run.remarks)
    assert second.run.state in ("pass", "warn")
    month.set(dumped("fat-tree", "updn"))  # it comes back, and OpenSM has put routes elsewhere
    back = month.night()
    assert "lead elsewhere" in " ".join(one.evidence for entry in back.run.entries for one in entry.findings)
    assert month.nights(5) == ["pass"] * 5


def test_ten_hosts_more_are_no_alarm(month: Month) -> None:
    more = {one.name for one in month.whole.destinations[-3:]}
    month.set(without_hosts(month.whole, more))
    month.learn()
    month.set(month.whole)
    assert month.night().run.state in ("pass", "warn")
    assert month.nights(3) == ["pass"] * 3


def test_a_switch_that_is_gone_fails_until_it_is_back(month: Month) -> None:
    month.learn()
    gone = f"0x{month.whole.switches[0].guid:016x}"
    month.plugin.devices = [row for row in month.plugin.devices if row["guid"] != gone]
    assert month.nights(3) == ["fail"] * 3
    month.set(month.whole)
    assert month.nights(2) == ["pass"] * 2


def test_a_second_run_of_a_night_does_not_hide_what_the_first_one_found(month: Month) -> None:
    month.learn()
    month.plugin.devices[0]["state"] = "drifted"
    assert month.night().run.state == "fail"
    month.plugin.devices[0]["state"] = "applied"
    again = month.night(again=True).run
    assert again.state == "fail"
    assert again.headline.endswith(f"held something else (in run {LEARNT + 1}, earlier in this night)")
    assert month.night(again=True).run.headline == again.headline
    assert month.night().run.state == "pass"


def test_what_is_new_is_told_before_what_is_known(month: Month) -> None:
    month.learn()
    month.plugin.devices[3]["state"] = "refused"
    first = month.night().run
    assert [one.since for one in first.remarks if one.state == "fail"] == [None]
    month.plugin.devices[9]["state"] = "drifted"
    second = month.night().run
    known = month.plugin.devices[3]["description"]
    assert second.headline.endswith("held something else (1 known)")
    assert [one.since for one in second.remarks if one.state == "fail"] == [None, night(LEARNT + 1).isoformat()]
    assert f"- fail: tables: {known}" in mail_text(night_report([first, second], None))
    assert f"(known since {night(LEARNT + 1)})" in mail_text(night_report([first, second], None)).replace("\n  ", " ")
    month.plugin.devices[9]["state"] = "applied"
    assert month.night().run.headline.startswith(known)
