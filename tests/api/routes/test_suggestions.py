# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile without any trial, by REST: what is said of it, who may ask, and what is refused."""

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from api.configuration.settings import Settings
from api.services import suggestions
from ccsim.policy import Profile
from tests.api.answer_cases import API
from tests.api.fabric_service import FABRIC, with_default_fabric
from tests.api.service import Service
from tests.tuner.suggest.test_partly_controlled import site as planes
from tuner.documents import catalogue
from tuner.documents.fabric import load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.documents.workload import load_workload
from tuner.fabric.built_fabric import build
from tuner.fabric.topologies.base import generate
from tuner.suggest import suggest
from tuner.suggest.devices import DEVICE_MODELS
from tuner.suggest.outlook import outlook
from tuner.suggest.robust import robust

SUGGESTION = f"{FABRIC}/suggestion"

QUANTUM = f"""\
{catalogue.find("fabric", "two-switch").read_text().replace("name: two-switch", "name: quantum")}
congestion_control: nvidia-dcqcn
"""
PAIR = """\
ibcc_fabric: 1
name: pair
mtu_bytes: 2048
switches: [{name: S, ports: 4}]
hosts: [{name: "Größe 1"}, {name: "Größe 2"}]
links:
- {a: "Größe 1/1", b: S/1, rate: 4xHDR}
- {a: "Größe 2/1", b: S/2, rate: 4xHDR}
"""
TRIO = PAIR.replace('{name: "Größe 2"}]', '{name: "Größe 2"}, {name: "3"}]') + "- {a: 3/1, b: S/3, rate: 4xHDR}\n"
INCAST = """\
ibcc_workload: 1
name: {name}
fabric: two-switch
duration_s: 1
flows:
- {{name: C1, src: H1, dst: H4, role: contributor}}
- {{name: C2, src: {src}, dst: H4, role: contributor}}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Fabrics of two and three hosts, one whose wiring is unknown, and workloads, of which `theirs` belongs to trio."""
    service = with_default_fabric(Service(Settings(state_folder=tmp_path_factory.mktemp("site") / "state", workers=0)))
    admin = service.as_role("admin")
    for name, document in {"pair": PAIR, "trio": TRIO, "quantum": QUANTUM}.items():
        body = {"name": name, "kind": "simulated", "options": {"document": document}}
        assert admin.post(f"{API}/fabrics", json=body).status_code == 201
    assert admin.post(f"{API}/fabrics", json={"name": "unwired", "kind": "plugin"}).status_code == 201
    for name, src, owner in (("two", "H2", None), ("theirs", "H2", "trio"), ("elsewhere", "H99", None)):
        body = {"name": name, "document": INCAST.format(name=name, src=src), **({"belongs_to": owner} if owner else {})}
        assert admin.post(f"{API}/workloads", json=body).status_code == 201
    yield service
    service.close()


def asked(service: Service, body: dict[str, Any], role: str = "viewer", **more: Any) -> Any:
    return service.as_role(role, **more).post(SUGGESTION, json=body)


@pytest.mark.long
def test_a_workload_gives_the_command_lines_values_with_reasons_and_a_line_to_draw(site: Service) -> None:
    found = asked(site, {"workloads": ["scenario-1"]}).json()
    built = build(load_fabric("two-switch"))
    expected = robust(suggest(built, workload=load_workload("scenario-1"), variants=list(DEVICE_MODELS.values())))
    assert found["resolved"] | {"name": ""} == expected.document | {"name": ""}
    assert found["contributors"] == {"least": 4, "most": 4, "made_for": 4}
    assert found["reasons"] == list(expected.reasons)
    assert found["holds"] == outlook(expected).holds
    assert found["unknowns"] == list(expected.unknowns)
    assert found["stops"]
    assert {one["device"] for one in found["devices"]} == DEVICE_MODELS.keys()
    for one in found["devices"]:
        numbers = [point["contributors"] for point in one["line"]]
        assert (numbers[0], numbers[-1]) == (2, one["works_up_to"])
        assert all(0 < point["kept"] <= 1 for point in one["line"])


def test_the_suggestion_can_be_stored_as_it_comes(site: Service) -> None:
    found = asked(site, {"contributors": {"least": 2, "most": 5}}).json()
    assert found["contributors"] == {"least": 2, "most": 5, "made_for": 5}
    assert Profile.from_text(found["document"]).to_dict() == found["resolved"]
    body = {"name": found["name"], "document": found["document"]}
    assert site.as_role("operator").post(f"{API}/profiles", json=body).status_code == 201


def test_what_is_said_of_the_devices_counts(site: Service) -> None:
    spaced = asked(site, {"workloads": ["two"], "model": {"ca.cnp_spacing_ns": 50000}}).json()
    dense = asked(site, {"workloads": ["two"], "model": {"ca.cnp_spacing_ns": 0}}).json()
    assert spaced["resolved"]["ca"]["ccti_timer"] > 2 * dense["resolved"]["ca"]["ccti_timer"]
    assert not any("not published" in sentence for sentence in dense["unknowns"])
    unsaid = asked(site, {"workloads": ["two"], "devices": []}).json()
    assert any("not published" in sentence for sentence in unsaid["unknowns"])
    one = asked(site, {"workloads": ["two"], "devices": ["becn-on-ack"]}).json()
    assert [device["device"] for device in one["devices"] if device["made_for"]] == ["becn-on-ack"]


def test_of_several_workloads_the_one_with_the_longest_wait_counts(site: Service) -> None:
    for names in (["two", "scenario-1"], ["scenario-1", "two"]):
        assert asked(site, {"workloads": names}).json()["contributors"]["made_for"] == 4


def test_one_of_several_subnets_is_asked_for(site: Service) -> None:
    """Subnet 1 has slow hosts besides, for which the values of subnet 2 are wrong."""
    options = {"document": fabric_text(planes(planes=True, unknown=()).document, [])}
    assert site.as_role("admin").post(f"{API}/fabrics", json={"name": "planes", "kind": "simulated", "options": options})
    ask = partial(site.as_role("viewer").post, f"{API}/fabrics/planes/suggestion")
    refused = ask(json={"contributors": {"most": 3}})
    (error,) = refused.json()["errors"]
    assert (refused.status_code, error["field"]) == (422, "subnet")
    assert "1 has 3 switches and 15 adapters" in error["detail"]
    found = [ask(json={"contributors": {"most": 3}, "subnet": number}).json()["receiver_gbps"] for number in (1, 2)]
    assert found == [pytest.approx(31.8, abs=0.05), pytest.approx(99.37, abs=0.05)]
    none = ask(json={"subnet": 3}).json()["errors"]
    assert none == [{"field": "subnet", "detail": "subnet 3 is not in fabric 'site': it has subnets 1 to 2"}]


def test_without_workload_and_number_the_fan_in_is_unknown(site: Service) -> None:
    found = asked(site, {}).json()
    assert any("from 2 to 6" in sentence for sentence in found["unknowns"])
    trio = site.as_role("viewer").post(f"{API}/fabrics/trio/suggestion", json={}).json()
    assert trio["contributors"] == {"least": 2, "most": 2, "made_for": 2}


@pytest.mark.parametrize(
    ("body", "field", "said"),
    [
        ({"contributors": {"most": 7}}, "contributors", "at most 6"),
        ({"contributors": {"most": 1}}, "contributors.most", "2"),
        ({"contributors": {"least": 5, "most": 4}}, "contributors", "least is 5"),
        ({"contributors": 4}, "contributors", "object"),
        ({"model": {"ca.cnp_spacing": 1}}, "model", "ca.cnp_spacing"),
        ({"model": {"ca": {"cnp_spacing_ns": "soon"}}}, "model", "soon"),
        ({"model": {"ca": 1, "ca.cnp_spacing_ns": 1}}, "model", "model.ca"),
        ({"devices": ["sailboat"]}, "devices.0", "becn-on-ack"),
        ({"workloads": ["elsewhere"]}, "workloads", "H99"),
        ({"workloads": ["theirs"]}, "workloads", "belongs to fabric 'trio'"),
        ({"contributor": {"most": 4}}, "contributor", "not a field"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(site: Service, body: dict[str, Any], field: str, said: str) -> None:
    answer = asked(site, body)
    assert answer.status_code == 422, answer.text
    (error,) = answer.json()["errors"]
    assert error["field"] == field
    assert said.lower() in error["detail"].lower()


def test_a_workload_of_too_many_flows_is_refused(site: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggestions, "MOST_FLOWS", 2)
    assert asked(site, {"workloads": ["two"]}).status_code == 200
    answer = asked(site, {"workloads": ["two", "two"]})
    assert answer.status_code == 422
    assert "more than 1 flows" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("half", "incasts"), [(6, 2), pytest.param(18, 8, marks=pytest.mark.slow)], ids=["1,296 hosts", "11,664 hosts, 93,304 flows"]
)
@pytest.mark.long
def test_a_large_fabric_is_answered_soon(site: Service, half: int, incasts: int) -> None:
    """A tree on which all hosts send to each of some."""
    document = fabric_text(generate("xgft", m=[half, half, 36], w=[1, half, half], host_rate="4xNDR"))
    name, hosts = f"tree-{half}", half * half * 36
    body = {"name": name, "kind": "simulated", "options": {"document": document}}
    assert site.as_role("admin").post(f"{API}/fabrics", json=body).status_code == 201
    pattern = "{{kind: incast, name: C{0}, role: contributor, sources: ['H*'], destination: H{0}}}"
    patterns = ", ".join(pattern.format(i) for i in range(1, incasts + 1))
    workload = INCAST.partition("flows")[0].format(name=name) + f"patterns: [{patterns}]\n"
    assert site.as_role("operator").post(f"{API}/workloads", json={"name": name, "document": workload}).status_code == 201
    before = time.process_time()
    found = site.as_role("viewer").post(f"{API}/fabrics/{name}/suggestion", json={"workloads": [name]}).json()
    assert time.process_time() - before < 10
    assert found["contributors"]["made_for"] == found["most_contributors"] == hosts - 1


@pytest.mark.parametrize(("fabric", "said"), [("pair", "has 2 hosts"), ("unwired", "options.document")])
def test_a_fabric_that_allows_none_says_why(site: Service, fabric: str, said: str) -> None:
    answer = site.as_role("viewer").post(f"{API}/fabrics/{fabric}/suggestion", json={})
    assert (answer.status_code, answer.json()["type"]) == (409, "/problems/conflict")
    assert said in answer.json()["detail"]


def test_a_token_for_another_fabric_learns_nothing(site: Service) -> None:
    assert asked(site, {}, fabrics=["trio"]).status_code == 403
    assert asked(site, {"workloads": ["theirs"]}, fabrics=["two-switch"]).status_code == 404
    assert asked(site, {"workloads": ["two"]}, fabrics=["two-switch"]).status_code == 200


def test_no_rule_of_annex_a10_forecasts_adapters_that_run_dcqcn(site: Service) -> None:
    viewer = site.as_role("viewer")
    answer = viewer.post(f"{API}/fabrics/quantum/suggestion", json={"contributors": {"most": 3}})
    assert answer.status_code == 200
    found = answer.json()
    assert "nvidia" in found["resolved"]
    assert (found["devices"], found["stops"]) == ([], [])
    assert not any("CCTI" in reason for reason in found["reasons"])
