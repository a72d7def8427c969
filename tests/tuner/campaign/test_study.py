# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign that varies the model of simulated devices beside the profile, on the simulator itself."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ccsim.policy import Profile
from tuner.backends.registry import create_backend
from tuner.backends.simulated import SimulatedBackend
from tuner.campaign.first_trials.source import Source
from tuner.campaign.prepare import prepare
from tuner.campaign.result import CampaignResult
from tuner.campaign.runner import run_campaign
from tuner.campaign.setup import Setup
from tuner.campaign.store import CampaignStore
from tuner.campaign.stored import stored_campaign
from tuner.documents.campaign import load_campaign
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.measuring.backend import Backend
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions
from tuner.report.document import report_document
from tuner.report.html import report_html

HYSTERESIS = "model.switch.hysteresis_bytes"
PLAIN = "{ca.ccti_timer: {low: 50, high: 300}}"
WORKLOAD = """\
ibcc_workload: 1
name: tiny
fabric: two-switch
duration_s: 0.004
sample_interval_s: 0.001
flows:
- {name: F1, src: H1, dst: H4, role: victim}
- {name: F2, src: H2, dst: H5, role: contributor}
- {name: F3, src: H3, dst: H5, role: contributor}
- {name: F4, src: H6, dst: H5, role: contributor}
"""
CAMPAIGN = """\
ibcc_campaign: 1
name: study
workloads: [./tiny.yaml]
start_from: [gran-2010]
space: %(space)s
budget: {trials: %(trials)d}
sampler: {kind: random, seed: 3}
constraints: {contributor_total: {at_least: 0.1}}
hypervolume_reference: {victim_throughput: 1, treatment_variation: 100}
confirmation: {seeds: [101], front: 2}
%(extra)s
"""
SPACE = "{ca.ccti_timer: {low: 50, high: 300}, model.switch.hysteresis_bytes: {low: 2112, high: 33792}}"


class Watched(SimulatedBackend):
    """Notes what was measured: the profile's name, its CCTI_Timer, and the model on top of the devices'."""

    def __init__(self, options: BackendOptions, seen: list[tuple[str, int, Mapping[str, Any]]]) -> None:
        super().__init__(options)
        self._seen = seen
        self._now: Mapping[str, Any] = {}
        self._timer: tuple[str, int] = ("", 0)

    def use_model(self, model: Mapping[str, Any]) -> None:
        self._now = dict(model)
        super().use_model(model)

    def apply(self, profile: Profile) -> str:
        self._timer = profile.name, profile.to_dict().get("ca", {}).get("ccti_timer", 0)
        return super().apply(profile)

    def measure(self, workload: Workload, **more: Any) -> Measurement:
        self._seen.append((*self._timer, self._now))
        return super().measure(workload, **more)


def beside(params: Mapping[str, Any]) -> dict[str, Any]:
    """The model of a trial; 16896 is what the devices have."""
    return {} if params[HYSTERESIS] == 16896 else {"switch.hysteresis_bytes": params[HYSTERESIS]}


class Study:
    """Runs the campaign in a folder, as often as it is asked to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seen: list[tuple[str, int, Mapping[str, Any]]] = []
        self.elsewhere: list[tuple[str, int, Mapping[str, Any]]] = []

    def setup(self, *, trials: int = 5, space: str = SPACE, extra: str = "", settings: Mapping[str, Any] | None = None) -> Setup:
        (self.folder / "tiny.yaml").write_text(WORKLOAD)
        (self.folder / "c.yaml").write_text(CAMPAIGN % {"trials": trials, "space": space, "extra": extra})
        return prepare(*load_campaign(self.folder / "c.yaml"), backend_settings=settings)

    def run(self, setup: Setup) -> CampaignResult:
        def open_other(name: str, settings: Mapping[str, Any]) -> Backend:
            assert name == "simulated"
            return Watched(BackendOptions(settings=settings), self.elsewhere)

        settings = {f"model.{key}": value for key, value in setup.backend_settings.items()}
        with CampaignStore.open(
            self.folder / "c.sqlite3", setup.campaign.name, identity=setup.identity(), objectives=setup.objectives
        ) as store:
            return run_campaign(
                setup, store, lambda: Watched(BackendOptions(settings=settings), self.seen), open_other=open_other
            )


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(tmp_path)


def test_each_trial_is_measured_and_confirmed_with_its_model(study: Study) -> None:
    result = study.run(study.setup())
    by_name = {f"study-{trial.number}": trial.params for trial in result.trials}
    assert {params[HYSTERESIS] for params in by_name.values()} != {16896}, "nothing was varied"
    for name, timer, model in study.seen:
        if name in by_name:
            assert (timer, model) == (by_name[name]["ca.ccti_timer"], beside(by_name[name]))
        else:
            assert model == {}, f"{name} is measured on the devices as they are"
    measured = {f"study-{trial.number}" for trial in result.trials if not trial.reused}
    assert len(measured) >= 3
    assert {name for name, _, _ in study.seen} >= {"off", "gran-2010"} | measured
    for tried in result.front:
        assert tried.confirmed.configuration.model == beside(tried.record.params)
        names = [name for name, _, _ in study.seen]
        assert names.count(tried.confirmed.profile.name) >= 2 or tried.record.reused


def test_first_trials_leave_the_devices_as_they_are(study: Study) -> None:
    result = study.run(study.setup(settings={"switch.hysteresis_bytes": 4224}))
    first = [trial for trial in result.trials if trial.origin != "sampler"]
    assert {"suggestion", "gran-2010"} <= {trial.origin for trial in first}
    assert {trial.params[HYSTERESIS] for trial in first} == {4224}


@pytest.mark.long
def test_the_model_changes_what_is_measured(study: Study) -> None:
    space = "{ca.ccti_timer: {low: 50, high: 300}, model.switch.input_buffer_bytes: {choices: [8448, 270336]}}"
    extra = "start_values: {small: {ca.ccti_timer: 100, model.switch.input_buffer_bytes: 8448}, large: {ca.ccti_timer: 100}}"
    result = study.run(study.setup(space=space, extra=extra, trials=8))
    by_origin = {trial.origin: trial for trial in result.trials}
    assert by_origin["small"].params["model.switch.input_buffer_bytes"] == 8448
    small, large = by_origin["small"].evaluation, by_origin["gran-2010"].evaluation
    assert small is not None
    assert large is not None
    assert small.metrics != large.metrics


@pytest.mark.long
def test_a_resumed_study_keeps_its_models(study: Study) -> None:
    before = study.run(study.setup(trials=3))
    study.seen.clear()
    after = study.run(study.setup(trials=5))
    assert [trial.params for trial in after.trials[:3]] == [trial.params for trial in before.trials]
    searched = {name for name, _, _ in study.seen if name.startswith("study-")}
    confirmed = {tried.confirmed.profile.name for tried in after.front}
    assert searched <= {"study-3", "study-4"} | confirmed


def test_variants_and_the_confirmation_elsewhere_use_the_trial_s_model(study: Study) -> None:
    extra = "variants: {acks: {model.ca.becn_carrier: ack}}\nconfirm_on: {backend: simulated}\nrecommend: {trial: 4}"
    result = study.run(study.setup(extra=extra))
    assert result.recommended is not None
    chosen = result.recommended.confirmed
    assert chosen.configuration.model
    models = [model for name, _, model in study.elsewhere if name == chosen.profile.name]
    acks = {"ca.becn_carrier": "ack"}
    own = dict(chosen.configuration.model)
    assert models.count(own) >= 2, "in the confirmation, and in the scenario of the campaign's own devices"
    assert own | acks in models
    assert all(model in (own, own | acks) for model in models)
    assert all(model in ({}, acks) for name, _, model in study.elsewhere if name in ("off", "gran-2010"))
    assert result.scenarios is not None
    assert result.scenarios.recommended is not None
    assert result.scenarios.recommended.configuration == chosen.configuration
    assert result.scenarios.recommended.trial == 4


@pytest.mark.long
def test_the_report_keeps_the_model_apart(study: Study) -> None:
    report = report_document(study.run(study.setup()), commands=[])
    (varied,) = report["varied_model"]
    assert (varied["path"], varied["devices"]) == (HYSTERESIS, 16896)
    recommended = report["recommended"]
    assert recommended is not None
    assert varied["recommended"] == recommended["params"][HYSTERESIS]
    assert recommended["model"] == beside(recommended["params"])
    sentences = " ".join(report["headline"]["sentences"])
    assert f"This study varies {HYSTERESIS}, which no administrator can set" in sentences
    assert f"measured with {HYSTERESIS} = {varied['recommended']}" in sentences
    for text in (recommended["profile_yaml"], str(recommended["profile"]), str(recommended["changes_from_expert"])):
        assert "hysteresis" not in text
    page = report_html(report)
    assert "Devices of this study" in page
    assert "no administrator can set" in page


@pytest.mark.long
def test_a_campaign_over_profiles_alone_says_nothing_of_devices(study: Study) -> None:
    report = report_document(study.run(study.setup(space="{ca.ccti_timer: {low: 50, high: 300}}", trials=3)), commands=[])
    assert report["varied_model"] == []
    assert "administrator" not in " ".join(report["headline"]["sentences"])
    assert "Devices of this study" not in report_html(report)


def test_a_study_starts_no_other_campaign(study: Study) -> None:
    study.run(study.setup(trials=3))
    with pytest.raises(BadInputError, match=f"it varied {HYSTERESIS}, so its profiles were measured on devices of many models"):
        Source(stored_campaign(study.folder / "c.sqlite3"))


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        ("backend: emulated", f"space.{HYSTERESIS}: is a parameter of simulated devices, and backend 'emulated'"),
        ("confirm_on: {backend: cluster}", f"confirm_on: space.{HYSTERESIS} is a parameter of simulated devices, and backend"),
        (
            "variants: {deep: {model.switch.hysteresis_bytes: 1}}",
            f"scenario 'deep' sets {HYSTERESIS}, and the space varies {HYSTERESIS}; take one of them out",
        ),
    ],
)
def test_what_contradicts_a_study_is_refused_before_anything_runs(study: Study, extra: str, sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        study.setup(extra=extra)
    assert error.value.sentence.startswith(sentence)
    assert error.value.line is not None


def test_a_variant_with_another_scheme_contradicts_a_study_of_schemes(study: Study) -> None:
    space = "{ca.ccti_timer: {low: 50, high: 300}, model.scheme.name: {choices: [voqsw, ith]}}"
    with pytest.raises(
        BadInputError, match=r"scenario 'other' sets model\.scheme\.name, and the space varies model\.scheme\.name"
    ):
        study.setup(space=space, extra="variants: {other: {model.scheme.name: ith}}")


@pytest.mark.parametrize(
    ("space", "variants", "sentence"),
    [
        (
            PLAIN,
            "{model.scheme.name: ecocc}",
            "scenario 'other', in which baseline 'off' is measured: model.scheme.name is 'ecocc'",
        ),
        (
            PLAIN,
            "{model.scheme.name: fbicm, model.scheme.go_packets: 20}",
            "scenario 'other': model.scheme.go_packets is 20; it must be less than stop_packets",
        ),
        (
            "{model.scheme.name: {choices: [fbicm, voqsw]}, model.scheme.go_packets: {low: 1, high: 20, when: "
            "{model.scheme.name: [fbicm]}}}",
            None,
            "space.model.scheme.go_packets: model.scheme.go_packets is 20; it must be less than stop_packets, which is 10",
        ),
    ],
)
def test_a_scheme_that_no_run_can_have_is_found_before_the_search(
    study: Study, space: str, variants: str | None, sentence: str
) -> None:
    with pytest.raises(BadInputError) as error:
        study.setup(space=space, extra="" if variants is None else f"variants: {{other: {variants}}}")
    assert error.value.sentence.startswith(sentence)
    assert error.value.line is not None


def test_parameters_that_must_fit_one_another_may_be_varied_together(study: Study) -> None:
    go_and_stop = "model.scheme.go_packets: {low: 1, high: 20}, model.scheme.stop_packets: {low: 12, high: 30}"
    space = f"{{model.scheme.name: {{choices: [fbicm, hfdi]}}, {go_and_stop}}}"
    assert len(study.setup(space=space).space.model_paths) == 3


@pytest.mark.parametrize("make", [lambda options: create_backend("simulated", options), SimulatedBackend])
def test_a_restored_backend_forgets_the_model(make: Callable[[BackendOptions], Any], tmp_path: Path) -> None:
    options = BackendOptions(settings={})
    backend, plain = make(options), SimulatedBackend(options)
    (tmp_path / "tiny.yaml").write_text(WORKLOAD)
    workload = Study(tmp_path).setup().workloads[0]
    for one in (backend, plain):
        one.apply(load_profile("off"))
    backend.use_model({"switch.input_buffer_bytes": 4 * 2112})
    before = plain.measure(workload, seed=1).counters["ports"]
    assert backend.measure(workload, seed=1).counters["ports"] != before
    backend.restore()
    backend.apply(load_profile("off"))
    assert backend.measure(workload, seed=1).counters["ports"] == before
