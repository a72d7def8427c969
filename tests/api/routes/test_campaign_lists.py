# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Lists of campaigns: searched, and without what is archived."""

from typing import Any

from tests.api.campaign_service import CAMPAIGNS, act, created, seen
from tests.api.fabric_service import with_default_fabric
from tests.api.service import Service


def names(service: Service, **query: Any) -> list[str]:
    answer = service.as_role("viewer").get(CAMPAIGNS, params=query)
    assert answer.status_code == 200, answer.text
    return [one["name"] for one in answer.json()["items"]]


def test_campaigns_are_found_by_a_part_of_what_people_remember(service: Service) -> None:
    operator = with_default_fabric(service).as_role("operator")
    for name in ("Night 100", "day_1", "other"):
        created(operator, name=name)
    assert names(service, search="NIGHT") == ["Night 100"]
    assert names(service, search="100") == ["Night 100"]
    assert names(service, search="two-sw") == ["other", "day_1", "Night 100"]
    # Signs that mean something to a database mean themselves.
    assert names(service, search="_") == ["day_1"]
    assert names(service, search="%") == []
    assert names(service, search="y_1", state="draft") == ["day_1"]
    assert names(service, search="y_1", state="paused") == []


def test_an_archived_campaign_is_kept_and_comes_back_when_it_is_started(service: Service) -> None:
    operator = with_default_fabric(service).as_role("operator")
    campaign = created(operator, name="old")
    created(operator, name="new")
    assert act(operator, campaign, "archive").json()["archived"] is True
    assert names(service, archived=False) == ["new"]
    assert names(service, archived=True) == ["old"]
    assert names(service) == ["new", "old"]
    etag = seen(operator, campaign)["etag"]
    assert act(operator, campaign, "archive").json()["etag"] == etag, "archiving it again changes nothing"
    assert act(operator, campaign, "archive", {"archived": False}).json()["archived"] is False
    act(operator, campaign, "archive")
    assert act(operator, campaign, "start").json()["archived"] is False
    refused = act(operator, campaign, "archive")
    assert (refused.status_code, "is queued" in refused.json()["detail"]) == (409, True)
    audited = service.as_role("admin").get("/api/v1/audit", params={"limit": 200}).json()["items"]
    assert [one["action"] for one in audited].count("campaign.archive") == 3
