# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The table of all trials, and what can be counted of its cost; `make bench-limits` measures the time."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, insert

from api.base.times import now
from api.database.models.campaign import Trial
from api.routes import campaign_results
from api.services.campaigns.documents import trial_document
from tests.api.campaign_service import CAMPAIGNS, created
from tests.api.fabric_service import with_default_fabric
from tests.api.service import Service

TRIALS = 500


@contextmanager
def statements(service: Service) -> Iterator[list[str]]:
    """The statements that the database is sent."""
    sent: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        sent.append(statement)

    event.listen(service.database.engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(service.database.engine, "before_cursor_execute", note)


def test_all_trials_take_no_more_queries_than_a_page_and_no_documents(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    with_default_fabric(service)
    client = service.as_role("operator")
    campaign = created(client)
    rows = [
        {
            "campaign": campaign["id"],
            "number": number,
            "origin": "search",
            "state": "complete",
            "params": {f"parameter_{i}": number * 0.37 + i for i in range(10)},
            "outcomes": {f"objective_{i}": number / 7 + i for i in range(3)},
            "violations": {"contributor_total": 0.0},
            "feasible": True,
            "on_front": False,
            "duration_s": 1.5,
            "reused": False,
            "reason": "",
            "ended_at": now() - timedelta(seconds=number),
        }
        for number in range(TRIALS)
    ]
    with service.database.writing() as session:
        session.execute(insert(Trial), rows)
    documents: list[int] = []

    def counted(trial: Trial) -> Any:
        documents.append(trial.number)
        return trial_document(trial)

    monkeypatch.setattr(campaign_results, "trial_document", counted)
    path = f"{CAMPAIGNS}/{campaign['id']}/trials"
    with statements(service) as of_page:
        assert len(client.get(f"{path}?limit=100").json()["items"]) == 100
    assert len(documents) == 100
    documents.clear()
    with statements(service) as of_table:
        answer = client.get(f"{path}?format=csv")
    table = list(csv.reader(answer.text.splitlines()))
    assert [row[0] for row in table[1:]] == [str(number) for number in range(TRIALS)]
    assert len(of_table) <= len(of_page)
    assert documents == [], "a model for each row costs many times what its line does"
