# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import html
from collections.abc import Callable
from typing import Any

import pytest

from api.database.models.campaign import StoredCampaign
from api.jobs import campaign_watch
from tests.api.campaign_service import CAMPAIGNS, SHORT, act, created, seen
from tests.api.fabric_service import FABRIC, run_jobs, with_default_fabric
from tests.api.service import Service
from tuner.campaign.first_trials.suggested import FINE, FOR_VARIANTS, HALF_ROOM, SUGGESTION

pytestmark = pytest.mark.long


def test_a_campaign_runs_from_a_template_to_its_profile(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    first = operator.get("/api/v1/campaign-templates", params={"limit": 1}).json()
    assert [one["name"] for one in first["items"]] == ["protect-a-victim"], "the one to begin with"
    cursor = {"cursor": first["next_cursor"]}
    others = [one["name"] for one in operator.get("/api/v1/campaign-templates", params=cursor).json()["items"]]
    assert others == sorted(others), others
    assert {"fair-shares", "short-tails"} <= set(others)
    assert not {"protect-a-victim", "scenario-1"} & set(others), "a name of before is no template, but opens"
    campaign = created(operator, settings={"variants": {"acks": {"model.ca.becn_carrier": "ack"}}})
    assert (campaign["state"], campaign["trials_total"]) == ("draft", 6)
    assert [goal["name"] for goal in campaign["objectives"]] == ["victim_throughput", "treatment_variation"]
    assert (campaign["finding"], campaign["progress"]) == ("Nothing is measured yet.", None)
    assert operator.get(f"{CAMPAIGNS}/{campaign['id']}/report").status_code == 404
    started = act(operator, campaign, "start")
    assert started.status_code == 202, started.text
    assert started.json()["state"] == "queued"
    job = run_jobs(service, operator, started.json()["job"])
    assert job["state"] == "done", job
    done = seen(operator, campaign)
    assert (done["state"], done["trials_done"], done["problem"]) == ("finished", 6, None)
    assert done["best"]["values"]["victim_throughput"] > 0
    assert done["recommended"] is not None
    assert all(goal["baseline"] is not None and goal["expert"] is not None for goal in done["objectives"])

    trials = seen(operator, campaign, "/trials")["items"]
    assert [trial["number"] for trial in trials] == list(range(6))
    assert trials[0]["origin"] == "suggestion"
    # What the wizard shows before: the suggestion for the campaign's own devices.
    shown = operator.post(f"{FABRIC}/suggestion", json={"workloads": ["scenario-1"], "devices": []}).json()["resolved"]
    assert trials[0]["params"]["ca.ccti_timer"] == shown["ca"]["ccti_timer"]
    assert trials[0]["params"]["switch.marking_rate"] == shown["switch"]["marking_rate"]
    first = [SUGGESTION, FINE, HALF_ROOM, FOR_VARIANTS, "gran-2010"]
    assert [one["origin"] for one in trials[:5]] == first
    best_first = seen(operator, campaign, "/trials?sort=-victim_throughput&state=complete")["items"]
    values = [trial["values"]["victim_throughput"] for trial in best_first]
    assert values == sorted(values, reverse=True)
    paged = seen(operator, campaign, "/trials?sort=-victim_throughput&limit=2")
    rest = seen(operator, campaign, f"/trials?sort=-victim_throughput&limit=200&cursor={paged['next_cursor']}")
    assert len({trial["number"] for trial in paged["items"] + rest["items"]}) == 6

    detail = seen(operator, campaign, "/trials/0")
    assert [flow["name"] for flow in detail["measurements"][0]["flows"]] == ["F1", "F2", "F3", "F4", "F5"]
    assert all(flow["series"] for flow in detail["measurements"][0]["flows"])
    assert "ibcc_profile: 1" in detail["profile_yaml"]
    assert operator.get(f"{CAMPAIGNS}/{campaign['id']}/trials/99").status_code == 404

    front = seen(operator, campaign, "/front")
    assert {point["number"] for point in front["points"] if point["on_front"]}
    assert front["reference"]["baseline"]["victim_throughput"] < front["reference"]["expert"]["victim_throughput"]
    volumes = [point["hypervolume"] for point in seen(operator, campaign, "/hypervolume")["points"]]
    assert volumes == sorted(volumes)
    assert len(volumes) == 6
    assert "hint" in seen(operator, campaign, "/importance")["caution"]

    report = operator.get(f"{CAMPAIGNS}/{campaign['id']}/report")
    assert report.headers["content-type"].startswith("text/html")
    assert "sandbox" in report.headers["Content-Security-Policy"]
    found = seen(operator, campaign, "/report.json")
    assert found["recommended"]["trial"] == done["recommended"]
    # One sentence, the same wherever it is read.
    assert done["finding"] == found["finding"]
    assert found["finding"] in html.unescape(report.text)
    assert done["finding"].startswith(f"Trial {done['recommended']} is recommended: victim throughput is ")
    assert done["progress"] is None
    profile = operator.get(f"{CAMPAIGNS}/{campaign['id']}/profile").text
    name = profile.split("name: ")[1].split("\n")[0].strip("'\"")
    checked = operator.post("/api/v1/profiles/validate", json={"document": profile}).json()
    assert checked["valid"] is True
    assert name
    scenarios = done["best"]["scenarios"]
    assert scenarios["names"] == ["own devices", "acks"]
    assert f"; it {scenarios['sentence']}" in done["finding"]
    assert scenarios["rows"][0]["trial"] == done["recommended"]
    assert (scenarios["rows"][0]["served"], scenarios["rows"][0]["of"]) == (found["scenarios"]["rows"][0]["served"], 2)
    assert scenarios["prices"] == []
    # What the rule picks for the campaign's own devices has its own file where another profile is recommended.
    for one in done["best"]["profiles"]:
        there = operator.get(f"{CAMPAIGNS}/{campaign['id']}/profile", params={"file": one["file"]})
        assert there.status_code == 200, one
        assert one["gain"].startswith("serves "), one
        other = operator.get(f"{CAMPAIGNS}/{campaign['id']}/profile", params={"file": one["file"]})
        assert operator.post("/api/v1/profiles/validate", json={"document": other.text}).json()["valid"] is True
    assert operator.get(f"{CAMPAIGNS}/{campaign['id']}/profile", params={"file": "profile-x.yaml"}).status_code == 404
    assert operator.get(f"{CAMPAIGNS}/{campaign['id']}/profile", params={"file": "report.json"}).status_code == 422
    table = operator.get(f"{CAMPAIGNS}/{campaign['id']}/trials", params={"format": "csv"}).text.splitlines()
    assert table[0].startswith("number,origin,state")
    assert len(table) == 7
    load = operator.get("/api/v1/fabrics/two-switch/congestion").json()
    assert (load["source"], load["cc"], load["campaign"]) == ("measurement", "recommended", campaign["name"])
    assert [(one["cc"], one["is_base"]) for one in load["choices"]] == [
        ("off", True),
        ("published", False),
        ("recommended", False),
    ]
    uncured = operator.get("/api/v1/fabrics/two-switch/congestion", params={"cc": "off"}).json()
    assert (uncured["cc"], uncured["profile"]) == ("off", "off")
    assert uncured["ports"][0]["congestion"] > load["ports"][0]["congestion"], "the congestion tree that is cured"
    actions = [entry["action"] for entry in operator.get("/api/v1/audit", params={"action": "campaign"}).json()["items"]]
    assert actions == ["campaign.start", "campaign.create"]


def test_a_phase_has_its_progress_and_the_time_left(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    campaign = created(operator, settings={"budget.trials": 2})
    known: list[dict[str, Any]] = []

    def watched(original: Callable[..., None]) -> Callable[..., None]:
        def told(*args: Any) -> None:
            original(*args)
            known.append(seen(operator, campaign))

        return told

    for name in ("trial", "measured"):
        monkeypatch.setattr(campaign_watch.CampaignWatch, name, watched(getattr(campaign_watch.CampaignWatch, name)))
    monkeypatch.setattr(campaign_watch, "_TELL_S", 0.0)
    assert run_jobs(service, operator, act(operator, campaign, "start").json()["job"])["state"] == "done"
    by_phase = {phase: [one for one in known if one["phase"] == phase] for phase in ("references", "search", "confirmation")}
    assert all(by_phase.values())
    for phase, states in by_phase.items():
        done = [one["progress"]["done"] for one in states]
        assert done == list(range(1, len(done) + 1)), phase
        assert all(one["progress"]["remaining_s"] >= 0 for one in states)
        assert states[-1]["progress"]["done"] == states[-1]["progress"]["total"], phase
    assert by_phase["search"][0]["finding"].startswith("Trial 0 is the best of 1 of 2 trials so far: victim throughput is ")
    assert ", to be confirmed with fresh seeds: " in by_phase["confirmation"][0]["finding"]
    assert "the published profile" in by_phase["confirmation"][0]["finding"]


@pytest.mark.thorough
def test_a_clone_begins_with_what_the_old_one_found_and_an_extension_goes_on(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    campaign = created(operator, settings={"budget.trials": 3})
    run_jobs(service, operator, act(operator, campaign, "start").json()["job"])
    clone = act(operator, campaign, "clone", {"name": "second", "starts": 2})
    assert clone.status_code == 201, clone.text
    assert all(name.startswith("short-") for name in clone.json()["spec"]["start_values"])
    assert len(clone.json()["spec"]["start_values"]) == 2
    assert act(operator, campaign, "extend", {"trials": 3}).status_code == 422
    extended = act(operator, campaign, "extend", {"trials": 4})
    assert extended.status_code == 202, extended.text
    run_jobs(service, operator, extended.json()["job"])
    done = seen(operator, campaign)
    assert (done["state"], done["trials_done"], done["trials_total"]) == ("finished", 4, 4)


def test_pausing_stopping_and_resuming_what_does_not_run_yet(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    campaign = created(operator)
    assert act(operator, campaign, "pause").status_code == 409
    assert act(operator, campaign, "resume").status_code == 409
    job = act(operator, campaign, "start").json()["job"]
    again = act(operator, campaign, "start")
    assert again.status_code == 409
    assert "it must be draft" in again.json()["detail"]
    assert act(operator, campaign, "pause").json()["state"] == "paused"
    assert operator.get(f"/api/v1/jobs/{job}").json()["state"] == "cancelled"
    assert act(operator, campaign, "resume").json()["state"] == "queued"
    assert act(operator, campaign, "stop").json()["state"] == "stopped"
    path = f"{CAMPAIGNS}/{campaign['id']}"
    assert operator.delete(path).status_code == 428
    assert operator.delete(path, headers={"If-Match": operator.get(path).headers["ETag"]}).status_code == 204
    assert operator.get(path).status_code == 404


def test_what_a_person_wishes_of_a_running_campaign_is_done(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    campaign = created(operator, settings={"budget.trials": 500})
    job = act(operator, campaign, "start").json()["job"]

    def ask(state: str) -> None:
        """As soon as it has some trials."""
        with service.database.writing() as session:
            row = session.get_one(StoredCampaign, campaign["id"])
            row.requested_action, row.state = state, "pausing"

    original = campaign_watch.CampaignWatch.trial

    def trial(self: Any, record: Any, progress: Any) -> None:
        original(self, record, progress)
        if progress.finished == 3:
            ask("pause")

    monkeypatch.setattr(campaign_watch.CampaignWatch, "trial", trial)
    assert run_jobs(service, operator, job)["result"]["state"] == "paused"
    paused = seen(operator, campaign)
    assert paused["state"] == "paused"
    assert 3 <= paused["trials_done"] < 500
    before = seen(operator, campaign, "/trials")["items"]
    extended = act(operator, campaign, "extend", {"trials": paused["trials_done"] + 1}).json()
    run_jobs(service, operator, extended["job"])
    after = seen(operator, campaign, "/trials")["items"]
    assert [trial["params"] for trial in after[: len(before)]] == [trial["params"] for trial in before]
    assert seen(operator, campaign)["state"] == "finished"


@pytest.mark.parametrize(
    ("more", "status", "word"),
    [
        ({"template": "no-such"}, 404, "no-such"),
        ({"fabric": "nowhere"}, 404, "nowhere"),
        ({"spec": {}}, 422, "not both"),
        ({"settings": {"budget.trials": 0}}, 422, "budget.trials"),
        ({"settings": {"workloads": ["../../etc/passwd"]}}, 422, "not a path"),
        ({"settings": {"workloads": ["no-such"]}}, 404, "no-such"),
        ({"settings": {"base": "/etc/passwd"}}, 422, "not a path"),
        ({"settings": {"base": "x.yaml"}}, 422, "not a path"),
        ({"settings": {"backend.record": "/tmp/x"}}, 422, "the service itself"),
        ({"settings": {"space": {"ca.nonsense": {"low": 1, "high": 2}}}}, 422, "ca.nonsense"),
        ({"settings": {"model.nonsense": 1}}, 422, "nonsense"),
        (
            {"settings": {"confirm_on": {"backend": "recorded", "workloads": [], "settings": {"backend.file": "/etc/passwd"}}}},
            422,
            "confirm_on.backend",
        ),
        ({"settings": {"warm_start": ["/etc/passwd"]}}, 422, "warm_start"),
        ({"settings": {"warm_start": ["postgresql://127.0.0.1/x"]}}, 422, "warm_start"),
        ({"name": "../x"}, 422, "name"),
    ],
)
def test_what_makes_no_campaign_is_refused_and_nothing_is_stored(
    calm_service: Service, more: dict[str, Any], status: int, word: str
) -> None:
    operator = calm_service.as_role("operator")
    body = {"name": "short", "fabric": "two-switch", "template": "scenario-1"} | more
    body["settings"] = SHORT | more.get("settings", {})
    answer = operator.post(CAMPAIGNS, json=body)
    assert answer.status_code == status, answer.text
    assert word in answer.json()["detail"]
    assert "/tmp/" not in answer.json()["detail"].replace("/tmp/x", "")
    assert operator.get(CAMPAIGNS).json()["items"] == []


def test_people_see_campaigns_of_their_fabrics_and_operators_start_them(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    campaign = created(operator)
    assert act(service.as_role("viewer"), campaign, "start").status_code == 403
    other = service.as_role("operator", fabrics=["elsewhere"])
    assert other.get(CAMPAIGNS).json()["items"] == []
    assert other.get(f"{CAMPAIGNS}/{campaign['id']}").status_code == 404
    assert act(other, campaign, "start").status_code == 404
    assert operator.post(f"{CAMPAIGNS}/{campaign['id']}/start").status_code == 400, "without an Idempotency-Key"
    assert len(operator.get(CAMPAIGNS, params={"state": "draft"}).json()["items"]) == 1
    assert operator.get(CAMPAIGNS, params={"state": "running"}).json()["items"] == []


@pytest.mark.slow
def test_own_workloads_and_profiles_are_frozen_with_the_campaign(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    scenario = operator.get("/api/v1/workloads/scenario-1").json()["document"].replace("name: scenario-1", "name: mine")
    assert operator.post("/api/v1/workloads", json={"name": "mine", "document": scenario}).status_code == 201
    gran = operator.get("/api/v1/profiles/gran-2010").json()["document"].replace("name: gran-2010", "name: site")
    assert operator.post("/api/v1/profiles", json={"name": "site", "document": gran}).status_code == 201
    named = {"workloads": ["mine"], "base": "site", "start_from": ["site"]}
    campaign = created(operator, settings=named | {"suggestion": False, "budget.trials": 2})
    assert operator.delete("/api/v1/workloads/mine", headers={"If-Match": '"1"'}).status_code == 204
    job = run_jobs(service, operator, act(operator, campaign, "start").json()["job"])
    assert job["state"] == "done", job
    assert seen(operator, campaign, "/trials")["items"][0]["origin"] == "site"
    assert "ibcc_profile" in seen(operator, campaign, "/trials/0")["profile_yaml"]


def test_a_campaign_whose_job_is_cancelled_before_it_begins_is_paused(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    campaign = created(operator)
    job = act(operator, campaign, "start").json()["job"]
    assert operator.post(f"/api/v1/jobs/{job}/cancel").status_code == 202
    assert (seen(operator, campaign)["state"], seen(operator, campaign)["problem"]) == ("paused", None)
    assert act(operator, campaign, "resume").json()["state"] == "queued"


@pytest.mark.slow
def test_a_study_over_the_model_has_a_report_and_no_profile_to_promote(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    space = {"ca.ccti_timer": {"low": 50, "high": 400}, "model.switch.hysteresis_bytes": {"low": 2112, "high": 33792}}
    settings = {"space": space, "budget.trials": 3, "suggestion": False, "start_from": ["gran-2010"]}
    campaign = created(operator, settings=settings)
    job = run_jobs(service, operator, act(operator, campaign, "start").json()["job"])
    assert job["state"] == "done", job
    trials = seen(operator, campaign, "/trials")["items"]
    assert trials[0]["params"]["model.switch.hysteresis_bytes"] == 16896, "gran-2010 has the devices as they are"
    for trial in trials:
        detail = seen(operator, campaign, f"/trials/{trial['number']}")
        assert "hysteresis" not in detail["profile_yaml"]
        assert detail["measurements"], "the series are found by profile and model"
    report = seen(operator, campaign, "/report.json")
    assert [one["path"] for one in report["varied_model"]] == ["model.switch.hysteresis_bytes"]
    assert "no administrator can set" in operator.get(f"{CAMPAIGNS}/{campaign['id']}/report").text
    refused = operator.get(f"{CAMPAIGNS}/{campaign['id']}/profile")
    assert refused.status_code == 404
    assert (
        "varies model.switch.hysteresis_bytes, which no administrator can set, so it has no profile" in refused.json()["detail"]
    )
