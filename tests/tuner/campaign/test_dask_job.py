# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a worker does with tasks that come, or are cancelled, at an awkward moment; test_dask_workers has a real cluster."""

import secrets

import pytest

from tests.tuner.campaign.analytic import AnalyticBackend
from tuner.campaign import dask_job
from tuner.campaign.dask_job import JobContext, MeasureJob, ProbeJob, cancel_task, close_session, fingerprint, task_prefix
from tuner.campaign.evaluation import Plan
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.errors import InterruptedRunError
from tuner.measuring.configuration import Configuration

PLAN = Plan(workloads=(load_workload("scenario-1").scaled(0.05),), seeds=(1,))


class Opened:
    """Makes backends whose measurements take `takes_s`, and keeps them."""

    def __init__(self, takes_s: float = 0.0) -> None:
        self._takes_s = takes_s
        self.backends: list[AnalyticBackend] = []

    def __call__(self) -> AnalyticBackend:
        self.backends.append(AnalyticBackend(takes_s=self._takes_s))
        return self.backends[-1]


def context(opened: Opened) -> JobContext:
    return JobContext(token=secrets.token_hex(8), open_backend=opened, fingerprint=fingerprint(), fabrics={})


def test_a_task_that_begins_after_its_session_is_over_opens_nothing() -> None:
    opened = Opened()
    late = context(opened)
    assert ProbeJob(late)().name == "analytic"
    close_session(late.token)
    close_session(late.token)
    with pytest.raises(InterruptedRunError, match="over"):
        ProbeJob(late)()
    assert [backend.calls for backend in opened.backends] == [["open", "restore", "close"]]


def test_a_task_that_is_cancelled_before_there_is_a_session_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    early, other = context(Opened(takes_s=600)), context(Opened())
    key = f"{task_prefix(early.token)}-1"
    monkeypatch.setattr(dask_job, "_task_key", lambda: key)
    cancel_task(early.token, key)
    assert MeasureJob(other)(Configuration(load_profile("off")), PLAN).outcome[0].runs
    with pytest.raises(InterruptedRunError):
        MeasureJob(early)(Configuration(load_profile("off")), PLAN)
    for session in (early, other):
        close_session(session.token)
