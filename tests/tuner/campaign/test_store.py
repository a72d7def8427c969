# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign survives whatever ends its process, and refuses what it cannot go on with."""

import dataclasses
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import optuna
import pytest
from optuna.trial import Trial, TrialState

import ccsim
from tests.tuner.campaign.analytic import AnalyticBackend, campaign_text, write_campaign
from tests.tuner.campaign.optuna_tables import tables_in
from tuner.campaign.prepare import prepare
from tuner.campaign.record import TrialRecord
from tuner.campaign.requests import REQUEST, Request
from tuner.campaign.result import CampaignResult
from tuner.campaign.setup import Setup
from tuner.campaign.store import CampaignStore
from tuner.campaign.stored import ask
from tuner.documents import catalogue
from tuner.documents.campaign import load_campaign
from tuner.errors import BadInputError
from tuner.search.samplers.base import sampler_of

pytestmark = pytest.mark.long

Load = Callable[..., Setup]
Run = Callable[..., CampaignResult]

PROCESS = Path(__file__).with_name("campaign_process.py")


def start_and_kill(campaign: Path, storage: Path | str, log: Path, after_runs: int) -> None:
    """Runs a campaign in a process and kills it as soon as it has measured `after_runs` times."""
    process = subprocess.Popen([sys.executable, PROCESS, campaign, storage, log, "0.03"], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 600  # the machine may be busy
    while not (log.exists() and len(log.read_text().splitlines()) >= after_runs):
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            pytest.fail(f"the campaign ended before it could be killed: {process.communicate()[1]}")
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("parallel", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_resumed_after_kill_9_nothing_is_lost_and_nothing_runs_twice(tmp_path: Path, load: Load, run: Run, parallel: int) -> None:
    setup = load(trials=12, parallel=parallel)
    log, storage = tmp_path / "log", tmp_path / "c.sqlite3"
    kills = [3, 14]
    for after_runs in kills:
        start_and_kill(tmp_path / "campaign.yaml", storage, log, after_runs)

    result = run(setup, backend=lambda: AnalyticBackend(log))

    assert [trial.number for trial in result.trials] == list(range(12))
    assert all(trial.state == "complete" for trial in result.trials)
    runs = [tuple(line.split()[:2]) for line in log.read_text().splitlines() if line.startswith("small-")]
    search_runs = [run for run in runs if run[1] in ("1", "2")]
    measured = {number for number, _ in search_runs}
    assert measured >= {f"small-{trial.number}" for trial in result.trials if not trial.reused}
    # A trial that a kill interrupted may take the values of another one with its settings, which ended before the next start.
    assert len(measured & {f"small-{trial.number}" for trial in result.trials if trial.reused}) <= len(kills) * (parallel - 1)
    # Only what was being measured at a kill may have been begun again: at most one trial of two runs for each worker.
    again = len(search_runs) - len(set(search_runs))
    assert again <= len(kills) * parallel * 2


def test_a_killed_campaign_goes_on_as_it_would_have(tmp_path: Path, load: Load, run: Run) -> None:
    setup = load(trials=14)
    uninterrupted = run(setup, file="whole.sqlite3")
    start_and_kill(tmp_path / "campaign.yaml", tmp_path / "cut.sqlite3", tmp_path / "log", 12)
    resumed = run(setup, file="cut.sqlite3")
    assert [(t.number, t.origin, t.params, t.values) for t in resumed.trials] == [
        (t.number, t.origin, t.params, t.values) for t in uninterrupted.trials
    ]


def test_a_result_written_before_the_kill_is_not_measured_again(tmp_path: Path, load: Load, run: Run) -> None:
    # The process ends between the writing of the record and the telling.
    setup = load(trials=3)
    with CampaignStore.open(tmp_path / "c.sqlite3", "small", identity=setup.identity(), objectives=setup.objectives) as store:
        trial = store.ask(sampler_of(setup.campaign.sampler, setup.space.distributions, 0), setup.space.draw, 0)
        done = run(setup, file="other.sqlite3").trials[1]
        record = TrialRecord(
            number=0,
            origin="sampler",
            params=trial.params,
            state="complete",
            values=done.values,
            violations=done.violations,
            evaluation=done.evaluation,
        )
        trial.set_user_attr("record", record.to_json())
    log = tmp_path / "log"
    result = run(setup, backend=lambda: AnalyticBackend(log))
    assert result.trials[0] == record
    assert "small-0 1 " not in log.read_text()


def test_a_result_written_before_the_kill_is_told_with_what_it_broke(tmp_path: Path, load: Load) -> None:
    setup = load(trials=3)
    violations = {"contributor_total": 0.25}

    def opened() -> CampaignStore:
        return CampaignStore.open(tmp_path / "c.sqlite3", "small", identity=setup.identity(), objectives=setup.objectives)

    with opened() as store:
        trial = store.ask(sampler_of(setup.campaign.sampler, setup.space.distributions, 0), setup.space.draw, 0)
        values = {objective.name: 1.0 for objective in setup.objectives}
        record = TrialRecord(
            number=0, origin="sampler", params=trial.params, state="complete", values=values, violations=violations
        )
        trial.set_user_attr("record", record.to_json())
    with opened():
        pass
    with tables_in(tmp_path / "c.sqlite3") as tables:
        trials = optuna.load_study(study_name="small", storage=tables).get_trials()
    [told] = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    assert dict(told.constraints) == violations, "the sampler would take it for a good one"


def test_a_finished_campaign_is_not_run_again(tmp_path: Path, load: Load, run: Run) -> None:
    setup = load()
    first = run(setup)
    log = tmp_path / "log"
    second = run(setup, backend=lambda: AnalyticBackend(log))
    assert not any(line.startswith("small") for line in log.read_text().splitlines())
    assert second.trials == first.trials
    assert second.recommended is not None
    assert first.recommended is not None
    assert second.recommended.record == first.recommended.record


def test_the_budget_may_be_extended(load: Load, run: Run) -> None:
    run(load(trials=5))
    assert len(run(load(trials=9)).trials) == 9


def test_a_changed_campaign_is_refused(tmp_path: Path, load: Load, run: Run) -> None:
    run(load())
    changed = load(space="{ca.ccti_timer: {low: 10, high: 500}}")
    with pytest.raises(BadInputError, match=r"holds campaign 'small', and differs in space; only the budget may change.*--fresh"):
        run(changed)
    assert len(run(changed, mode="fresh").trials) == 6


def test_resume_wants_something_to_resume(tmp_path: Path, load: Load, run: Run) -> None:
    with pytest.raises(BadInputError, match=r"no campaign to resume: .* does not exist"):
        run(load(), mode="resume")
    run(load())
    renamed = write_campaign(tmp_path, campaign_text().replace("name: small", "name: other"))
    assert renamed.exists()
    with pytest.raises(BadInputError, match="holds none named 'other'"):
        CampaignStore.open(tmp_path / "c.sqlite3", "other", identity={}, objectives=load().objectives, mode="resume")


def test_two_processes_cannot_share_a_campaign(tmp_path: Path, load: Load) -> None:
    setup = load()

    def opened() -> CampaignStore:
        return CampaignStore.open(tmp_path / "c.sqlite3", "small", identity=setup.identity(), objectives=setup.objectives)

    with opened(), pytest.raises(BadInputError, match=f"in use by process {os.getpid()}"):
        opened()
    opened().close()


def test_a_file_of_another_kind_is_refused_and_left_alone(tmp_path: Path, load: Load, run: Run) -> None:
    (tmp_path / "c.sqlite3").write_text("not a database, but somebody's notes")
    with pytest.raises(BadInputError, match="cannot hold a campaign"):
        run(load())
    assert (tmp_path / "c.sqlite3").read_text() == "not a database, but somebody's notes"


def test_another_fabric_under_the_same_name_is_not_resumed(tmp_path: Path, load: Load, run: Run) -> None:
    def on_a_fabric(text: str) -> Setup:
        (tmp_path / "beds.yaml").write_text(text)
        load()
        workload = tmp_path / "small.yaml"
        workload.write_text(workload.read_text().replace("fabric: two-switch", "fabric: ./beds.yaml"))
        return prepare(*load_campaign(tmp_path / "campaign.yaml"))

    text = catalogue.find("fabric", "two-switch").read_text()
    run(on_a_fabric(text))
    run(on_a_fabric("# a comment changes nothing\n" + text))
    with pytest.raises(BadInputError, match="differs in fabrics; only the budget may change"):
        run(on_a_fabric(text.replace("receive_gbps: 13.3", "receive_gbps: 13.0")))
    with pytest.raises(BadInputError, match="differs in devices, fabrics; only the budget may change"):
        run(on_a_fabric(text + "model: {switch: {read_ports: 2}}\n"))


def test_other_defaults_of_the_simulator_are_not_resumed(load: Load, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run(load())
    model = ccsim.Model()
    model.ca.cnp_spacing_ns *= 2
    monkeypatch.setattr("tuner.documents.device_model.ccsim.Model", lambda: model)
    with pytest.raises(BadInputError, match="differs in devices; only the budget may change"):
        run(load())


def test_trials_that_ran_at_the_end_keep_their_numbers(tmp_path: Path, load: Load, run: Run) -> None:
    setup = load(trials=6)
    done = run(setup, file="other.sqlite3").trials[1]

    def opened() -> CampaignStore:
        return CampaignStore.open(tmp_path / "c.sqlite3", "small", identity=setup.identity(), objectives=setup.objectives)

    def ask(store: CampaignStore) -> Trial:
        number = store.next_number()
        return store.ask(sampler_of(setup.campaign.sampler, setup.space.distributions, number), setup.space.draw, number)

    with opened() as store:
        asked = [ask(store) for _ in range(4)]
        assert [trial.user_attrs["number"] for trial in asked] == [0, 1, 2, 3]
        store.finish(asked[1], dataclasses.replace(done, number=1))
    with opened() as store:  # the others were running
        assert [record.number for record in store.records()] == [1]
        again = [ask(store) for _ in range(2)]
        assert [(trial.user_attrs["number"], trial.params) for trial in again] == [(n, asked[n].params) for n in (0, 2)]
    with opened() as store:  # and once more, with one of them never asked for again
        again = [ask(store) for _ in range(4)]
        assert {trial.user_attrs["number"]: trial.params for trial in again[:3]} == {n: asked[n].params for n in (0, 2, 3)}
        assert again[3].user_attrs["number"] == 4


def test_programs_that_read_optuna_s_tables_show_metrics_by_name(tmp_path: Path, load: Load) -> None:
    setup = load()
    file = tmp_path / "c.sqlite3"
    with opened(file, "cure 7", setup):
        pass
    with tables_in(file) as tables:
        named = optuna.load_study(study_name="cure 7", storage=tables).metric_names
    assert named == [f"{one.name} [{one.unit}]" if one.unit else one.name for one in setup.objectives]


def test_a_campaign_that_was_stored_under_a_former_name_is_resumed(tmp_path: Path, load: Load) -> None:
    setup = load()
    file = tmp_path / "c.sqlite3"
    with opened(file, "7", setup) as store:
        store.remember("elapsed_s", 12.0)
    with opened(file, "cure 7", setup, former_name="7") as store:
        assert store.recall("elapsed_s") == 12.0
    with tables_in(file) as tables:
        assert optuna.get_all_study_names(tables) == ["7"]


def test_facts_are_kept_as_json_has_them_and_a_person_s_request_is_read_anew(tmp_path: Path, load: Load) -> None:
    file, setup = tmp_path / "c.sqlite3", load()
    with opened(file, "small", setup) as store:
        store.remember("fact", {"pair": (1, 2)})
        store.recall("fact")["pair"].append(3)
        assert store.recall("fact") == {"pair": [1, 2]}
        assert store.request() is None
        request = Request(kind="pause", by="somebody else")
        ask(file, request)
        assert Request.from_json(store.recall(REQUEST)) == request
    with opened(file, "small", setup) as store:
        assert store.recall("fact") == {"pair": [1, 2]}
        assert store.recall(REQUEST) is None  # it was for the process that is gone


def opened(file: Path, name: str, setup: Setup, former_name: str | None = None) -> CampaignStore:
    return CampaignStore.open(file, name, identity=setup.identity(), objectives=setup.objectives, former_name=former_name)
