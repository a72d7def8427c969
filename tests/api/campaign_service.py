# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Short campaigns for tests: real searches on the simulator, of a fiftieth of the time."""

from typing import Any

from httpx2 import Client

from tests.api.fabric_service import once

CAMPAIGNS = "/api/v1/campaigns"
SHORT: dict[str, Any] = {
    "budget.trials": 6,
    "budget.time_s": None,
    "time_scale": 0.02,
    "seeds": [1],
    "parallel": 1,
    "sampler": {"kind": "random", "seed": 1},
    "confirmation": {"seeds": [101], "time_scale": 0.02, "front": 2},
    "variants": {},
    "constraints": {"contributor_total": {"at_least": 0.5}},
}
"""Settings over the template scenario-1."""


def created(client: Client, **more: Any) -> dict[str, Any]:
    body = {"name": "short", "fabric": "two-switch", "template": "scenario-1"} | more
    body["settings"] = SHORT | more.get("settings", {})
    answer = client.post(CAMPAIGNS, json=body)
    assert answer.status_code == 201, answer.text
    document: dict[str, Any] = answer.json()
    return document


def act(client: Client, campaign: dict[str, Any], action: str, body: Any = None) -> Any:
    return client.post(f"{CAMPAIGNS}/{campaign['id']}/{action}", json=body, headers=once())


def seen(client: Client, campaign: dict[str, Any], part: str = "") -> Any:
    answer = client.get(f"{CAMPAIGNS}/{campaign['id']}{part}")
    assert answer.status_code == 200, answer.text
    return answer.json()
