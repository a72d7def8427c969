# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Scenarios are combinations of axes, placed by roles, and what cannot be one is refused before anything runs."""

from pathlib import Path

import pytest

from tuner.backends.registry import create_backend
from tuner.campaign.prepare import prepare
from tuner.campaign.scenarios.axes import Point
from tuner.campaign.scenarios.forecast import Forecast
from tuner.campaign.setup import Setup
from tuner.campaign.store import CampaignStore, OpenMode
from tuner.documents import catalogue
from tuner.documents.campaign import load_campaign
from tuner.errors import BadInputError
from tuner.measuring.options import BackendOptions

ACK = "becns-on-acknowledgements: {model.ca.becn_carrier: ack}"


def setup_of(
    folder: Path, scenarios: str, *, fabric: str = "two-switch-16", workloads: str = "[scenario-1]", extra: str = ""
) -> Setup:
    text = f"""\
ibcc_campaign: 1
name: scenarios
workloads: {workloads}
fabric: {fabric}
suggestion: false
space: {{ca.ccti_timer: {{low: 20, high: 400}}}}
budget: {{trials: 2}}
time_scale: 0.05
confirmation: {{seeds: [101, 102]}}
scenarios: {scenarios}
{extra}
"""
    path = folder / "campaign.yaml"
    path.write_text(text, encoding="utf-8")
    return prepare(*load_campaign(path))


def test_each_combination_is_a_scenario_of_its_own(tmp_path: Path) -> None:
    setup = setup_of(tmp_path, f"{{models: {{{ACK}}}, contributors: [2, 4, 8], places: 2, background: [0, 0.3]}}")
    assert len(setup.scenarios) == 2 * 3 * 2 * 2
    assert len({scenario.name for scenario in setup.scenarios}) == len(setup.scenarios)
    for scenario in setup.scenarios:
        flows = scenario.workload.flows
        senders = [flow for flow in flows if flow.role == "contributor"]
        assert len(senders) == scenario.contributors == scenario.point.contributors
        assert len({flow.dst for flow in senders}) == 1
        others = [flow for flow in flows if flow.role == "other"]
        assert bool(others) == (scenario.point.background > 0)
        busy = {end for flow in flows if flow.role != "other" for end in (flow.src, flow.dst)}
        assert not busy & {end for flow in others for end in (flow.src, flow.dst)}
        assert dict(scenario.model) == ({} if scenario.point.model == "own" else {"ca.becn_carrier": "ack"})
    first, second = (
        next(one for one in setup.scenarios if (one.point.place, one.contributors, one.point.background) == (place, 4, 0.0))
        for place in (1, 2)
    )
    assert {flow.dst for flow in first.workload.flows} != {flow.dst for flow in second.workload.flows}


def test_the_search_runs_in_all_of_them_with_the_models_of_each(tmp_path: Path) -> None:
    setup = setup_of(tmp_path, f"{{models: {{{ACK}}}, contributors: [2, 4]}}")
    plan = setup.search
    assert [workload.name for workload in plan.workloads] == [
        "own devices, 2 contributors",
        "own devices, 4 contributors",
        "becns-on-acknowledgements, 2 contributors",
        "becns-on-acknowledgements, 4 contributors",
    ]
    assert {name: dict(model) for name, model in plan.models.items()} == {
        "becns-on-acknowledgements, 2 contributors": {"ca.becn_carrier": "ack"},
        "becns-on-acknowledgements, 4 contributors": {"ca.becn_carrier": "ack"},
    }


def test_points_are_scenarios_besides_the_combinations(tmp_path: Path) -> None:
    points = "[{model: becns-on-acknowledgements, contributors: 3, place: 4711, background: 0.2}, {slow_host: 0.5}]"
    setup = setup_of(tmp_path, f"{{models: {{{ACK}}}, contributors: [2, 4], points: {points}}}")
    assert [scenario.name for scenario in setup.scenarios] == [
        "own devices, 2 contributors",
        "own devices, 4 contributors",
        "own devices, slow host 0.5",
        "becns-on-acknowledgements, 2 contributors",
        "becns-on-acknowledgements, 4 contributors",
        "becns-on-acknowledgements, 3 contributors, place 4711, background 0.2",
    ]
    assert setup.scenarios[2].contributors == 4  # as many as the workload has
    found = setup.scenarios[-1]
    assert (found.contributors, dict(found.model)) == (3, {"ca.becn_carrier": "ack"})
    assert any(flow.role == "other" for flow in found.workload.flows)
    alone = setup_of(tmp_path, "{points: [{contributors: 2}]}")
    assert [scenario.name for scenario in alone.scenarios] == ["own devices", "own devices, 2 contributors"]


def test_a_slow_host_sends_a_part_of_its_share(tmp_path: Path) -> None:
    setup = setup_of(tmp_path, "{slow_host: [1, 0.5]}")
    usual, slow = (scenario.workload.flows for scenario in setup.scenarios)
    assert [flow.rate_gbps for flow in usual[:-1]] == [flow.rate_gbps for flow in slow[:-1]]
    assert slow[-1].rate_gbps == pytest.approx(0.5 * 13.3 / 4)


def test_a_slow_receiver_takes_a_part_of_what_it_can(tmp_path: Path) -> None:
    """It is another host than a slow sender, and both may be at once; nothing else of the fabric changes."""
    setup = setup_of(tmp_path, "{slow_receiver: [1, 0.5], slow_host: [1, 0.4]}")
    assert [scenario.name for scenario in setup.scenarios] == [
        "own devices, slow host 1, slow receiver 1",
        "own devices, slow host 1, slow receiver 0.5",
        "own devices, slow host 0.4, slow receiver 1",
        "own devices, slow host 0.4, slow receiver 0.5",
    ]
    usual, slow, sender, both = (scenario.workload for scenario in setup.scenarios)
    assert (sender.fabric, both.fabric) == (usual.fabric, slow.fabric)
    assert usual.flows == slow.flows
    assert sender.flows == both.flows
    receiver = next(flow.dst for flow in usual.flows if flow.role == "contributor")
    before, after = (
        {host.name: host.receive_gbps for host in setup.built[workload.fabric].document.hosts} for workload in (usual, slow)
    )
    assert {name: rate for name, rate in after.items() if rate != before[name]} == {receiver: pytest.approx(0.5 * 13.6, rel=0.05)}


def test_a_slow_receiver_is_served_by_another_room_than_a_fast_one(tmp_path: Path) -> None:
    """The forecast, the yardsticks and the runs are those of the slow host."""
    setup = setup_of(tmp_path, "{slow_receiver: [1, 0.25]}")
    forecast = Forecast.of(setup.scenarios, setup.built, setup.backend_settings)
    usual, slow = (forecast.grounds[scenario.name] for scenario in setup.scenarios)
    assert slow.gap_ns == pytest.approx(4 * usual.gap_ns, rel=0.05)
    backend = create_backend("simulated", BackendOptions(profiles=setup.profiles))
    totals = []
    for workload in setup.search.workloads:
        backend.apply(setup.baseline)
        totals.append(backend.measure(workload, seed=1).metrics.contributor_total_gbps or 0.0)
    assert totals[1] == pytest.approx(0.25 * 13.6, rel=0.05)
    assert totals[0] > 3.5 * totals[1]


def test_a_slow_receiver_leaves_stored_campaigns_as_they_were(tmp_path: Path) -> None:
    (first, _) = setup_of(tmp_path, "{contributors: [2, 4]}").identity()["scenarios"]
    assert first.keys() == {"workload", "model", *Point().as_stored()}
    assert "slow_receiver" not in first


def test_a_resume_with_other_scenarios_is_refused_before_anything_runs(tmp_path: Path) -> None:
    first, second = setup_of(tmp_path, "{contributors: [2, 4]}"), setup_of(tmp_path, "{contributors: [2, 5]}")
    file = tmp_path / "c.sqlite3"
    with CampaignStore.open(file, "c", identity=first.identity(), objectives=first.objectives, mode="auto"):
        pass
    modes: tuple[OpenMode, ...] = ("auto", "resume")
    for mode in modes:
        with pytest.raises(BadInputError) as caught:
            CampaignStore.open(file, "c", identity=second.identity(), objectives=second.objectives, mode=mode)
        assert "scenarios" in caught.value.sentence
        assert "\n" not in caught.value.sentence


def test_goals_are_the_regret_unless_the_document_names_others(tmp_path: Path) -> None:
    setup = setup_of(tmp_path, "{contributors: [2, 4]}")
    names = [objective.name for objective in setup.objectives]
    assert names == ["worst_victims_share", "worst_contributors_share", "worst_treatment_variation"]
    assert {bound.name: bound.limit for bound in setup.constraints} == {"victims_share": 0.95, "contributors_share": 0.96}
    assert setup.rule.name == "in-order"
    named = setup_of(
        tmp_path,
        "{contributors: [2, 4]}",
        extra="objectives: [victim_throughput]\nhypervolume_reference: {victim_throughput: 0}\nrecommend: {rule: knee}",
    )
    assert [objective.name for objective in named.objectives] == ["victim_throughput"]
    assert named.rule.name == "knee"


def test_without_scenarios_a_stored_campaign_has_the_identity_that_it_had() -> None:
    setup = prepare(*load_campaign("scenario-1"))
    assert "scenarios" not in setup.identity()


def test_other_scenarios_are_another_campaign(tmp_path: Path) -> None:
    first = setup_of(tmp_path, f"{{models: {{{ACK}}}}}").identity()
    second = setup_of(tmp_path, "{models: {flows: {model.ca.ccti_timer: flow}}}").identity()
    assert [key for key in first if first[key] != second[key]] == ["scenarios"]


BAD = {
    "too many contributors": (
        "{contributors: [2, 60]}",
        {},
        "scenario 'own devices, 60 contributors': it cannot be placed: ",
    ),
    "no hosts left for a background": (
        "{background: [0, 0.5]}",
        {"fabric": "two-switch"},
        "scenario 'own devices, background 0.5': it cannot be placed: background is 0.5, and 0 of 7 hosts of fabric 'two-switch' "
        "play no role; two at least must be left",
    ),
    "against the fabric's model": (
        "{models: {acks: {model.ca.becn_carrier: ack}}}",
        {"fabric": "./known.yaml"},
        "scenarios.models.acks sets model.ca.becn_carrier to ack, and fabric 'known' says in its model that its devices have cnp",
    ),
    "as the devices are anyway": (
        "{models: {cnps: {model.ca.becn_carrier: cnp}}}",
        {},
        "scenarios.models.cnps is how the campaign's own devices behave anyway; leave it out",
    ),
    "no victims": (
        "{contributors: [2, 4]}",
        {"extra": "roles: {victims: 0}"},
        "scenario 'own devices, 2 contributors' leaves nothing to measure: workload 'scenario-1' has no victims, and the "
        "campaign asks for victims_share",
    ),
    "no roles": (
        "{contributors: [2, 4]}",
        {"workloads": "[trace-example]"},
        "scenario 'own devices, 2 contributors': workload 'trace-example' has no roles, so their number (contributors) cannot be",
    ),
    "nothing varies": (
        "{contributors: [4]}",
        {},
        "scenarios has one combination alone, the campaign's own",
    ),
    "an unknown model": (
        "{points: [{model: odd, contributors: 3}]}",
        {},
        "unknown model of scenarios.points 'odd'; known are own",
    ),
    "a point twice": (
        "{points: [{contributors: 3}, {contributors: 3}]}",
        {},
        "scenarios.points lists one twice: {'contributors': 3}",
    ),
    "a combination": (
        "{contributors: [2, 3], points: [{contributors: 3}]}",
        {},
        "scenarios.points lists {'contributors': 3}, which is one of the combinations anyway",
    ),
    "a point without room": (
        "{points: [{contributors: 40}]}",
        {},
        "scenario 'own devices, 40 contributors': it cannot be placed",
    ),
    "twice": ("{contributors: [2, 2]}", {}, "scenarios.contributors lists one twice: 2, 2"),
    "own by name": ("{models: {own: {model.ca.becn_carrier: ack}}}", {}, "scenarios.models names 'own'"),
    "too many": ("{places: 100, contributors: [2, 3, 4, 5, 6, 7]}", {}, "scenarios has 600 combinations; at most 500"),
    "nothing of a receiver": ("{slow_receiver: [0, 1]}", {}, "scenarios.slow_receiver"),
    "no model": ("{models: {odd: {model.ca.no_such: 1}}}", {}, "scenario 'odd': "),
    "variants besides": (
        "{contributors: [2, 4]}",
        {"extra": "variants: {acks: {model.ca.becn_carrier: ack}}"},
        "the campaign has both variants and scenarios; write the variants as scenarios.models instead",
    ),
    "another backend": (
        "{contributors: [2, 4]}",
        {"extra": "backend: emulated"},
        "scenarios are simulated, and the backend is 'emulated'",
    ),
    "a screening": ("{contributors: [2, 4]}", {"extra": "screening: {}"}, "screening does not go with scenarios"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_measured_is_refused_in_one_sentence(tmp_path: Path, case: str) -> None:
    scenarios, changes, sentence = BAD[case]
    known = catalogue.find("fabric", "two-switch").read_text(encoding="utf-8").replace("name: two-switch", "name: known")
    (tmp_path / "known.yaml").write_text(known + "\nmodel: {ca: {becn_carrier: cnp}}\n", encoding="utf-8")
    with pytest.raises(BadInputError) as caught:
        setup_of(tmp_path, scenarios, **changes)
    assert sentence in caught.value.sentence
    assert "\n" not in caught.value.sentence
