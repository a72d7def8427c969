# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What an administrator sees of an alarm from night to night, and says about it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.tuner.checks.fake_fabric import FakeFabric
from tests.tuner.checks.fake_plugin import FakePlugin, device
from tests.tuner.checks.nights import CHECK, night
from tests.tuner.cli.conftest import Command
from tuner.checks.run_check import run_check
from tuner.checks.store.history import History
from tuner.checks.store.night_run import NightRun
from tuner.documents.check import Check
from tuner.documents.check_kinds import Fairness

TABLES = "ibcc_check: 1\nname: site\nfabric: two-switch\nkinds:\n- {{kind: tables, socket: {folder}/s}}\n"
METRIC = "fairness.victim_throughput"


class Site:
    """A check of tables on the command line, night after night."""

    def __init__(self, folder: Path, command: Command, plugin: FakePlugin) -> None:
        self.folder, self.plugin, self._command, self._night = folder, plugin, command, 0
        self.file = folder / "site.yaml"
        self.file.write_text(TABLES.format(folder=folder))

    def check(self, *words: object) -> Any:
        return self._command("check", words[0], self.file, *words[1:], "--history", self.folder / "h")

    def night(self, *words: object) -> Any:
        self._night += 1
        return self.check("run", "--date", night(self._night), *words)

    @property
    def last(self) -> NightRun:
        return History(self.folder / "h", "site").runs()[-1]


@pytest.fixture
def site(tmp_path: Path, command: Command) -> Iterator[Site]:
    plugin = FakePlugin([device("0x1"), device("0x2"), device("0x3")])
    with plugin.serving(tmp_path / "s"):
        yield Site(tmp_path, command, plugin)


def test_an_alarm_is_told_once_and_known_then(site: Site) -> None:
    assert site.night().code == 0
    site.plugin.devices[0]["state"] = "refused"
    first, second = site.night("--output", "mail"), site.night("--output", "mail")
    assert (first.code, second.code) == (1, 6)
    assert first.out.splitlines()[2] == "Fabric two-switch fails in the night of 2026-01-03: 1 new."
    assert second.out.splitlines()[2] == "Fabric two-switch fails in the night of 2026-01-04: 1 known."
    assert site.night("--strict").code == 1
    nagios = site.night("--nagios")
    assert nagios.code == 2
    assert nagios.out.startswith("IBCC CRITICAL: site: 1 known: switch 0x1 refused a value")
    assert nagios.out.endswith("'new'=0 'known'=1 'muted'=0\n")
    site.plugin.devices[1]["state"] = "refused"
    both = json.loads(site.night("--output", "json", "--prometheus", site.folder / "m.prom").out)
    assert (both["new"], both["known"]) == (1, 1)
    families = {one.name: one.samples for one in text_string_to_metric_families((site.folder / "m.prom").read_text())}
    places = {sample.labels["place"]: (sample.labels["is"], sample.value) for sample in families["ibcc_check_place"]}
    assert places == {"switch 0x1": ("known", 1.0), "switch 0x2": ("new", 1.0)}
    assert {sample.labels["is"]: sample.value for sample in families["ibcc_check_alarms"]} == {"new": 1, "known": 1, "muted": 0}
    page = site.check("report", "--output", "html").out
    assert "<td>switch 0x2 refused a value</td><td>open, new</td>" in page


def test_what_is_not_seen_any_more_closes_by_itself(site: Site) -> None:
    site.plugin.devices[0]["state"] = "refused"
    site.night()
    site.plugin.devices[0]["state"] = "applied"
    assert [site.night().code for _ in range(2)] == [0, 0]
    assert "Not seen tonight" in site.check("report").out
    assert "switch 0x1" in site.check("alarms").out
    assert site.night().code == 0
    assert site.check("alarms").out == "no alarm stands\n"


def test_a_person_says_that_it_is_repaired(site: Site) -> None:
    site.plugin.devices[0]["state"] = "refused"
    site.night()
    refused = site.check("repaired", "switch 0x9", "--because", "reset")
    assert (refused.code, refused.err) == (
        2,
        "ibcc: no alarm stands at 'switch 0x9'; alarms stand at: switch 0x1\n",
    )
    assert site.check("repaired", "switch 0x1", "--because", "reset", "--by", "Ada").code == 0
    again = site.night()
    assert again.code == 1, "it is not repaired"
    assert "seen again after it was repaired" in " ".join(again.out.split())
    site.check("repaired", "switch 0x1", "--because", "replaced", "--by", "Ada")
    site.plugin.devices[0]["state"] = "applied"
    assert site.night("--output", "mail").code == 0
    assert site.last.alarms is not None
    assert [(one.state, one.because) for one in site.last.alarms] == [("closed", "repaired by Ada: replaced")]
    assert "Ended" in site.check("report").out
    site.night()
    assert site.last.alarms == ()


def test_a_night_is_told_as_it_stands_now(site: Site) -> None:
    """By the page, the mail, the list of nights, Nagios and Prometheus, without another run."""
    for one in site.plugin.devices[:2]:
        one["state"] = "refused"
    site.night()
    site.night()
    assert site.check("report", "--output", "nagios").code == 2
    site.check("mute", "switch 0x1", "--until", night(9), "--because", "waits for a part", "--by", "Ada")
    half = site.check("report", "--output", "nagios")
    assert (half.code, half.out.split(" | ")[0]) == (2, "IBCC CRITICAL: site: 1 known, 1 muted: switch 0x2 refused a value")
    site.check("repaired", "switch 0x2", "--because", "reset", "--by", "Ada")
    assert "switch 0x2" not in site.check("alarms").out.partition("1: switch 0x1")[0]
    nagios = site.check("report", "--output", "nagios")
    assert (nagios.code, nagios.out.split(" | ")[0]) == (
        0,
        "IBCC OK: site: 1 muted: switch 0x1 refused a value (muted until 2026-01-10 by Ada: waits for a part)",
    )
    families = {
        one.name: one.samples for one in text_string_to_metric_families(site.check("report", "--output", "prometheus").out)
    }
    assert [(one.labels["place"], one.labels["is"], one.value) for one in families["ibcc_check_place"]] == [
        ("switch 0x1", "muted", 0.0)
    ]
    assert {one.labels["state"] for one in families["ibcc_check_state"] if one.value} == {"pass"}
    page = site.check("report", "--output", "html").out
    assert "<td>muted</td>" in page
    assert "<td>closed</td>" in page
    assert "<h2>pass</h2>" in page
    nights = {one["date"]: one["state"] for one in json.loads(site.check("history", "--output", "json").out)}
    assert list(nights.values()) == ["fail", "pass"], "earlier nights stay as they were told"
    site.check("unmute", "switch 0x1")
    assert site.check("report", "--output", "nagios").code == 2
    news = {one["place"]: one["news"] for one in json.loads(site.night("--output", "json").out)["alarms"]}
    assert news == {"switch 0x1": "", "switch 0x2": "seen again after it was repaired"}


def test_a_mute_that_ends_while_the_fault_stands_is_news(site: Site) -> None:
    site.plugin.devices[0]["state"] = "refused"
    site.night()
    muted = site.check("mute", "switch 0x1", "--until", night(3), "--because", "waits for a part", "--by", "Ada")
    assert (muted.code, muted.out) == (0, f"switch 0x1 is muted until {night(3)}\n")
    assert site.night("--strict", "--output", "mail").code == 0
    report = site.check("report").out
    assert "Fabric two-switch passes in the night of 2026-01-03: 1 muted." in report
    assert "- switch 0x1 refused a value (muted until 2026-01-04 by Ada: waits for a" in report
    site.plugin.devices[1]["state"] = "refused"
    assert site.night().code == 1, "another place is not muted"
    ended = json.loads(site.night("--output", "json").out)
    assert {one["place"]: one["news"] for one in ended["alarms"]} == {"switch 0x1": "its mute has ended", "switch 0x2": ""}
    assert ended["headline"].startswith("switch 0x1 refused a value (its mute has ended, first seen on 2026-01-02)")
    late = site.check("mute", "switch 0x1", "--until", night(1), "--because", "x")
    assert (late.code, "the mute is until 2026-01-02; it must be until a night from 2026-01-05" in late.err) == (2, True)
    assert "is not muted; muted are: switch 0x1" in site.check("unmute", "switch 0x7").err
    assert site.check("unmute", "switch 0x1").code == 0


def test_devices_that_are_expected_to_be_gone_are_facts_until_the_plan_ends(site: Site) -> None:
    site.night()
    site.check("expect", "--gone", "switch 0x3", "--until", night(3), "--because", "taken to the lab", "--by", "Ada")
    gone = site.plugin.devices.pop()
    seen = json.loads(site.night("--output", "json").out)
    assert seen["state"] == "pass"
    assert seen["entries"][0]["facts"][1] == (
        "device switch 0x3 is gone, expected to be gone until 2026-01-04 by Ada: taken to the lab"
    )
    site.plugin.devices.append(gone)
    site.night()
    site.plugin.devices.pop()
    assert site.night().code == 1
    site.check("expect", "--gone", "switch 0x3", "--until", night(5), "--because", "the lab again", "--by", "Ada")
    assert [site.night().code for _ in range(2)] == [0, 1], "it is news again when the plan has ended"
    assert "1: switch 0x3 is expected to be gone until 2026-01-04 by Ada" in site.check("alarms").out
    assert site.check("expect", "--withdraw", 1).code == 0
    assert site.check("expect", "--withdraw", 1).err == "ibcc: there is no decision 1; there are 2\n"
    assert "give one of --gone or --moved" in site.check("expect", "--because", "x").err


def test_a_fabric_that_was_adopted_is_what_nights_are_compared_with(site: Site) -> None:
    site.night()
    lost = site.plugin.devices.pop()
    assert [site.night().code for _ in range(2)] == [1, 6]
    adopted = site.check("expect", "--adopt", "--because", "it is gone for good", "--by", "Ada")
    assert (adopted.code, "entries tables are compared with the expected fabric, that of the night of" in adopted.out) == (
        0,
        True,
    )
    assert site.night().code == 0
    site.plugin.devices.append(lost)
    assert site.night().code == 0
    site.plugin.devices.pop()
    assert site.night().code == 0, "it is not expected"
    site.plugin.devices.pop()
    assert site.night().code == 1
    report = " ".join(site.check("report").out.split())
    assert "compared with the expected fabric, that of the night of 2026-01-04, adopted by Ada" in report


def test_nothing_is_adopted_that_has_no_numbers(site: Site) -> None:
    refused = site.check("expect", "--adopt-from", "two-switch.yaml")
    assert refused.code == 2
    site.night()
    (site.folder / "bed.yaml").write_text(
        "ibcc_fabric: 1\nname: bed\nmtu_bytes: 2048\nswitches: [{name: S1, ports: 2}]\nhosts: [{name: H1}]\n"
        "links: [{a: S1/1, b: H1/1, rate: 4xEDR}]\n"
    )
    refused = site.check("expect", "--adopt-from", site.folder / "bed.yaml")
    assert (refused.code, "gives no GUID of S1" in refused.err) == (2, True), refused.err


class Measured:
    """A check of fairness on a fake fabric, with a baseline of eight nights."""

    def __init__(self, folder: Path, fabric: FakeFabric) -> None:
        self.fabric, self.history = fabric, History(folder, CHECK.name)
        self.check: Check = CHECK.model_copy(update={"kinds": (Fairness(profile="off", time_scale=0.1),)})
        self._next = 0
        for _ in range(8):
            self.night()
        self.history.accept([night(i) for i in range(8)], by="Ada", at="2026-01-08T00:00:00+00:00")

    def night(self, factor: float = 1.0) -> NightRun:
        self.fabric.factor = factor
        self._next += 1
        return run_check(self.check, self.history, night(self._next - 1)).run

    def say(self, kind: Any, what: str, **more: Any) -> None:
        last = night(self._next - 1)
        made = self.history.decisions().with_new(
            kind, what, because="x", by="Ada", at=f"{last}T12:00:00+00:00", after_run=self.history.last_number, today=last, **more
        )
        self.history.decide(made)


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Measured:
    fabric = FakeFabric()
    monkeypatch.setattr("tuner.checks.measured.create_backend", fabric.create)
    return Measured(tmp_path, fabric)


def news(run: NightRun) -> dict[str, str]:
    return {one.subject: one.news for one in run.alarms or () if one.state == "open" and one.severity == "fail"}


@pytest.mark.long
def test_a_night_beyond_the_level_of_an_open_alarm_is_news(measured: Measured) -> None:
    first, second, worse, third = (measured.night(factor) for factor in (0.7, 0.7, 0.4, 0.4))
    assert [run.exit_code for run in (first, second, worse)] == [1, 6, 1]
    assert news(first)[METRIC] == "new"
    assert news(second)[METRIC] == ""
    assert news(worse)[METRIC] == "worse"
    assert news(third)[METRIC] == ""
    (sentence,) = [one.sentence for one in worse.remarks if one.subject == METRIC]
    assert "is beyond what was told (worse, first seen on 2026-01-09)" in sentence


@pytest.mark.long
def test_a_metric_that_a_person_has_repaired_is_judged_anew(measured: Measured) -> None:
    measured.night(0.7)
    measured.night(0.7)
    measured.say("repaired", METRIC)
    over = measured.night(1.0)
    assert METRIC not in news(over)
    assert not over.judged[METRIC].changed
    assert measured.night(1.0).judged[METRIC].changed is False
    measured.night(0.7)
    again = measured.night(0.7)
    assert METRIC in news(again)
    assert again.judged[METRIC].since == night(12)


@pytest.mark.long
def test_a_metric_that_is_muted_fails_nothing(measured: Measured) -> None:
    measured.night(0.7)
    measured.say("mute", "fairness", until=night(10))
    assert measured.night(0.7).state == "pass"
    assert measured.night(0.7).state == "pass"
    assert news(measured.night(0.7))[METRIC] == "its mute has ended"


@pytest.mark.long
def test_a_run_does_not_hide_a_worse_metric_of_the_same_night(measured: Measured) -> None:
    failed = measured.night(0.5)
    measured._next -= 1
    better = measured.night(1.0)
    assert (failed.state, better.state, better.exit_code) == ("fail", "fail", 1)
    (sentence,) = [one.sentence for one in better.remarks if one.subject == METRIC]
    assert sentence.endswith("(in run 9, earlier in this night)")
    assert measured.night(1.0).exit_code == 0


@pytest.mark.long
def test_nights_are_accepted_for_one_metric_alone(measured: Measured) -> None:
    for _ in range(6):
        last = measured.night(0.8)
    assert {METRIC, "fairness.total_throughput"} <= set(news(last))
    measured.history.accept([night(i) for i in range(8, 14)], by="Ada", at="later", only=(METRIC,))
    now = measured.night(0.8)
    assert METRIC not in news(now)
    assert "fairness.total_throughput" in news(now)
    baseline = measured.history.baseline()
    assert baseline is not None
    assert baseline.of(METRIC).nights[0] == night(8)
    assert baseline.of("fairness.total_throughput").nights[0] == night(0)
    measured.history.undo_accept()
    assert METRIC in news(measured.night(0.8))


@pytest.mark.parametrize("is_first", [False, True], ids=["before alarms", "of the first version"])
def test_a_stored_history_has_its_alarms(is_first: bool, site: Site) -> None:
    """What the last night of a version without alarms has found is known."""
    site.plugin.devices[0]["state"] = "refused"
    site.night()
    (file,) = (site.folder / "h/site").glob("2026*.json")
    old = {key: value for key, value in json.loads(file.read_text()).items() if key not in ("alarms", "fabric")}
    for entry in old["entries"]:
        for finding in entry["findings"]:
            del finding["level"]
    for cause in old["causes"]:
        del cause["known"]
    if is_first:
        for entry in old["entries"]:
            del entry["regime"]
        for remark in old["remarks"]:
            del remark["since"]
        # Counts were judged then.
        judged = {
            "changed": True,
            "evidence": 1.0,
            "latest": 1.0,
            "since": str(night(0)),
            "state": "fail",
            "sentence": "x",
            "options": "y",
        }
        old["judged"] = {"tables.devices": judged}
    file.write_text(json.dumps(old))
    assert site.last.alarms is None
    assert site.check("history").code == 0
    assert site.night().code == 6
    assert site.last.alarms is not None
    opened = {one.key: (one.state, one.opened) for one in site.last.alarms}
    assert opened.pop("tables: device-refused at switch 0x1") == ("open", night(1))
    assert opened == ({"tables.devices": ("closed", night(0))} if is_first else {})
