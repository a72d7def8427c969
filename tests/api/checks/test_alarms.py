# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Alarms in the service: told once, repaired, muted and expected by operators, in the audit log, and no answer to what is
known."""

from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from api.database.models.event import Event
from tests.api.check_service import CHECKS, put, run_night, seen
from tests.api.checks.test_answers import Bed
from tests.api.service import Service

pytestmark = pytest.mark.long


class Nights(Bed):
    """Nights that follow each other: the clock of the service moves on."""

    def __init__(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(service, monkeypatch)
        self.today = date(2026, 1, 1)
        monkeypatch.setattr("api.services.checks.nights.night_of", lambda schedule, now: self.today)

    def next_night(self, *places: str) -> dict[str, Any]:
        self.today += timedelta(days=1)
        self.places = list(places)
        job = run_night(self.service, self.operator)
        assert job["state"] == "done", job
        result: dict[str, Any] = job["result"]
        return result

    def alarms(self) -> dict[str, str]:
        return {one["place"]: one["state"] for one in seen(self.operator, "/alarms")["alarms"]}

    def decide(self, **body: Any) -> Any:
        return self.operator.post(f"{CHECKS}/site/decisions", json={"because": "cable replaced", **body})


@pytest.fixture
def nights(service: Service, monkeypatch: pytest.MonkeyPatch) -> Nights:
    return Nights(service, monkeypatch)


def test_an_alarm_is_told_once_and_answered_once(nights: Nights) -> None:
    nights.policy({"rules": [{"answer": "reapply"}]})
    first, second = nights.next_night("S1"), nights.next_night("S1")
    assert (first["new"], first["exit_code"]) == (1, 1)
    assert (second["known"], second["exit_code"]) == (1, 6)
    given = seen(nights.operator, "/answers")["items"]
    assert len(given) == 1
    nights.undo(given[0])
    nights.next_night("S1")
    assert len(seen(nights.operator, "/answers")["items"]) == 1, "it is known"
    nights.next_night("S1", "S2")
    assert seen(nights.operator, "/answers")["items"][0]["cause"].endswith("at S2")
    with nights.service.database.reading() as session:
        events = [one for one in session.scalars(select(Event)) if one.kind == "check.night" and one.data["state"] == "done"]
    told = [one.severity for one in sorted(events, key=lambda one: str(one.data["date"]))]
    assert told == ["error", "info", "info", "error"]


def test_operators_repair_mute_and_expect_and_the_audit_log_has_it(nights: Nights) -> None:
    nights.next_night("S1", "S2")
    assert nights.alarms() == {"S1": "open", "S2": "open"}
    answer = nights.decide(kind="repaired", place="S1")
    assert answer.status_code == 200, answer.text
    until = (nights.today + timedelta(days=2)).isoformat()
    assert nights.decide(kind="mute", place="S2", until=until).status_code == 200
    assert nights.decide(kind="gone", place="node[01-04]", until=until).status_code == 200
    assert nights.alarms() == {"S2": "muted"}, "at once, without another run"
    last = seen(nights.operator, "")["last"]
    assert (last["verdict"], last["headline"]) == ("pass", "learning: 1 of 5 nights")
    night = seen(nights.operator, f"/nights/{nights.today}")
    assert {one["place"]: one["state"] for one in night["alarms"]} == {"S1": "closed", "S2": "muted"}
    assert {one["state"] for one in night["remarks"]} == {"pass"}
    result = nights.next_night("S2")
    assert (result["state"], result["muted"]) == ("pass", 1)
    assert nights.alarms() == {"S2": "muted"}
    known = seen(nights.operator, "/alarms")["decisions"]
    assert [(one["number"], one["kind"], one["by"]) for one in known] == [
        (1, "repaired", "operator"),
        (2, "mute", "operator"),
        (3, "gone", "operator"),
    ]
    assert nights.operator.delete(f"{CHECKS}/site/decisions/2").status_code == 200
    assert nights.next_night("S2")["new"] == 1
    for body, words in (
        ({"kind": "repaired", "place": "S9"}, "no alarm stands at 'S9'; alarms stand at: S2"),
        ({"kind": "mute", "place": "S2"}, "the mute is until None; it must be until a night from"),
        ({"kind": "mute", "place": "S2", "until": "2020-01-01"}, "the mute is until 2020-01-01"),
        ({"kind": "gone", "place": "S2", "first": "2026-02-01", "until": "2026-01-20"}, "which is before 2026-02-01"),
    ):
        refused = nights.decide(**body)
        assert refused.status_code == 422
        assert words in refused.json()["detail"]
    assert nights.operator.delete(f"{CHECKS}/site/decisions/2").status_code == 404
    viewer = nights.service.as_role("viewer")
    assert viewer.get(f"{CHECKS}/site/alarms").status_code == 200
    assert viewer.post(f"{CHECKS}/site/decisions", json={"kind": "repaired", "place": "S2", "because": "x"}).status_code == 403
    audit = nights.admin.get("/api/v1/audit", params={"limit": 200}).json()["items"]
    done = {one["action"]: one["detail"] for one in audit}
    assert {"check.repaired", "check.mute", "check.gone", "check.withdraw"} <= set(done)
    assert done["check.mute"] | {} == {
        "place": "S2",
        "because": "cable replaced",
        "number": 2,
        "kind": "mute",
        "until": until,
    }


def test_a_night_with_many_findings_has_all_of_them_by_pages(nights: Nights) -> None:
    places = [f"S{number}" for number in range(1, 251)]
    nights.next_night(*places)
    whole = seen(nights.operator, f"/nights/{nights.today}")
    (entry,) = whole["entries"]
    assert (len(entry["findings"]), entry["findings_count"]) == (200, 250)
    assert (len(whole["remarks"]), whole["remarks_count"]) == (200, 250)
    assert (len(whole["alarms"]), whole["alarms_count"]) == (200, 250)
    nights.decide(kind="mute", place="S250", until=nights.today.isoformat())
    found: list[dict[str, Any]] = []
    query: dict[str, Any] = {"limit": 200}
    for count in (200, 50):
        page = nights.operator.get(f"{CHECKS}/site/nights/{nights.today}/findings", params=query).json()
        assert len(page["items"]) == count
        found += page["items"]
        query["cursor"] = page["next_cursor"]
    assert query["cursor"] is None
    assert [one["place"] for one in found] == places
    assert [one["alarm"] for one in found[-2:]] == ["open", "muted"]


def test_nothing_is_adopted_of_a_check_without_structure(nights: Nights) -> None:
    nights.next_night()
    refused = nights.operator.post(f"{CHECKS}/site/expected", json={"because": "growth"})
    assert refused.status_code == 422
    assert "has no record of kinds tables, links or routes" in refused.json()["detail"]
    refused = nights.operator.post(f"{CHECKS}/site/expected", json={"because": "growth", "imported": True, "night": "2026-01-02"})
    assert "give either night or imported" in refused.text


def test_drained_hosts_are_asked_of_the_inventory_that_the_service_has(nights: Nights) -> None:
    document = "ibcc_check: 1\ndrained: {inventory: x, slurm: true}\nkinds: [{kind: fairness, profile: gran-2010}]\n"
    refused = put(nights.operator, "", {"document": document})
    assert refused.status_code == 422
    assert "drained has 'inventory'; the service has one for each fabric, so omit it" in refused.json()["detail"]
    accepted = put(nights.operator, "", {"document": document.replace("inventory: x, ", "")})
    assert accepted.status_code == 200, accepted.text
    assert nights.next_night()["state"] == "pass"
