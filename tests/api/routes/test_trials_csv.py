# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the table of all trials costs, beside a page of them."""

import csv
import time
from datetime import timedelta

import pytest

from api.database.models.campaign import Trial
from api.times import now
from tests.api.campaign_service import CAMPAIGNS, created
from tests.api.fabric_service import with_default_fabric
from tests.api.service import Service

TRIALS = 500


@pytest.mark.long
@pytest.mark.timing("a ratio of CPU times of some milliseconds each, which caches and other processes disturb")
def test_all_trials_as_csv_cost_at_most_five_pages_of_json(service: Service) -> None:
    """By CPU of this process, the least of some calls each; a page has a fifth of the trials."""
    with_default_fabric(service)
    client = service.as_role("operator")
    campaign = created(client)
    with service.database.writing() as session:
        for number in range(TRIALS):
            session.add(
                Trial(
                    campaign=campaign["id"],
                    number=number,
                    origin="search",
                    state="complete",
                    params={f"parameter_{i}": number * 0.37 + i for i in range(10)},
                    outcomes={f"objective_{i}": number / 7 + i for i in range(3)},
                    violations={"contributor_total": 0.0},
                    feasible=True,
                    on_front=False,
                    duration_s=1.5,
                    reused=False,
                    reason="",
                    ended_at=now() - timedelta(seconds=number),
                )
            )
    path = f"{CAMPAIGNS}/{campaign['id']}/trials"

    def cpu_s(query: str) -> float:
        start = time.process_time()
        assert client.get(f"{path}?{query}").status_code == 200
        return time.process_time() - start

    assert len(client.get(f"{path}?limit=100").json()["items"]) == 100
    table = list(csv.reader(client.get(f"{path}?format=csv").text.splitlines()))
    assert len(table) == TRIALS + 1
    assert table[1][0] == "0"
    whole, page = (min(cpu_s(query) for _ in range(7)) for query in ("format=csv", "limit=100"))
    assert whole <= 5 * page, f"{whole * 1000:.1f} ms and {page * 1000:.1f} ms"
