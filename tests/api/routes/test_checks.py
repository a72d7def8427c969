# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from datetime import date

from tests.api.check_service import CHECKS, DOCUMENT, created, made_up, put, run_night, seen
from tests.api.fabric_service import with_default_fabric
from tests.api.service import Service


def test_a_check_runs_learns_is_accepted_and_judges(service: Service) -> None:
    operator = with_default_fabric(service).as_role("operator")
    created(operator)
    job = run_night(service, operator)
    assert job["state"] == "done", job
    assert job["result"]["state"] == "pass", job["result"]
    check = seen(operator)
    assert check["state"] == "idle"
    assert check["last"]["headline"] == "learning: 1 of 5 nights"
    night = seen(operator, f"/nights/{check['last']['date']}")
    assert night["entries"][0]["values"]["victim_throughput"] > 0
    value = night["entries"][0]["values"]["victim_throughput"]
    made_up(service, [value] * 10, first=date(2026, 1, 1))
    accepted = operator.post(f"{CHECKS}/site/baseline", json={"first": "2026-01-01", "until": "2026-01-10"})
    assert accepted.status_code == 200, accepted.text
    job = run_night(service, operator)
    assert job["result"]["state"] in ("pass", "warn"), job
    trends = {one["name"]: one for one in seen(operator, "/metrics")["items"]}
    trend = trends["fairness.victim_throughput"]
    assert len(trend["values"]) == 11
    assert trend["baseline"]["found"]["1"] < trend["baseline"]["middle"]
