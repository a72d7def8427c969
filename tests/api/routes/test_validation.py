# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Validation of documents while somebody types: all that is wrong, each with its place."""

from pathlib import Path
from typing import Any

import pytest

from tests.api.fabric_service import with_default_fabric
from tests.api.routes.test_workloads import MINE
from tests.api.service import Service

CAMPAIGN = """\
ibcc_campaign: 1
workloads: [scenario-1]
space:
  ca.ccti_timer: {low: 10, high: 500, log: true}
confirmation: {seeds: [101, 102]}
hypervolume_reference: {victim_throughput: 0, treatment_variation: 1}
"""
CHECK = "ibcc_check: 1\nkinds:\n- {kind: fairness, workload: scenario-1, profile: gran-2010, time_scale: 0.1}\n"
INVENTORY = """\
ibcc_inventory: 1
name: lab
launcher: {kind: ssh, user: ibcc}
hosts:
- {nodes: "node[1-7]", host: "H{number}", address: "{node}-ib", device: mlx5_0}
agent: {command: [/usr/bin/ibcc-agent]}
"""


def validated(service: Service, path: str, document: str, **more: Any) -> dict[str, Any]:
    role = "admin" if "inventory" in path else "operator"
    answer = service.as_role(role).post(f"/api/v1{path}/validate", json={"document": document, **more})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    assert found["valid"] == (not found["problems"])
    return found


def underlined(document: str, problem: dict[str, Any]) -> str:
    """The part of the text that a problem blames."""
    lines: list[str] = document.splitlines()
    assert problem["line"] == problem["end_line"]
    line, start, end = (int(problem[key]) for key in ("line", "column", "end_column"))
    return lines[line - 1][start - 1 : end - 1]


def test_all_errors_of_a_workload_have_their_places(calm_service: Service) -> None:
    document = (
        MINE.replace("role: victim", "role: 'victím😀', qqs: 2")
        .replace("duration_s: 1", "duration_s: 1e9\ncolour: red")
        .replace("dst: H4", "dst: 4")
    )
    found = validated(calm_service, "/workloads", document)
    assert [(one["path"], underlined(document, one)) for one in found["problems"]] == [
        ("duration_s", "1e9"),
        ("colour", "colour"),
        ("flows[0].dst", "4"),
        ("flows[1].qqs", "qqs"),
        ("flows[1].role", "'victím😀'"),
    ]
    assert found["flows_total"] is None


def test_the_name_and_hosts_that_the_fabric_lacks_are_blamed(calm_service: Service) -> None:
    document = MINE.replace("src: H2", "src: H99").replace("dst: H4", "dst: H98")
    found = validated(calm_service, "/workloads", document, name="other", fabric="two-switch")
    assert [(one["path"], underlined(document, one)) for one in found["problems"]] == [
        ("name", "mine"),
        ("flows[0].dst", "H98"),
        ("flows[1].src", "H99"),
    ]
    # On the fabric that the document itself names, which it need not run on, these are warnings.
    found = validated(calm_service, "/workloads", document)
    assert found["valid"]
    assert [one["path"] for one in found["warnings"]] == ["flows[0].dst", "flows[1].src"]


def test_a_valid_workload_has_its_flows(calm_service: Service) -> None:
    pattern = "patterns: [{kind: incast, name: many, role: contributor, sources: [H1, H2, H3], destination: H4}]\n"
    found = validated(calm_service, "/workloads", MINE + pattern)
    assert found["problems"] == []
    assert (found["fabric"], found["flows_total"]) == ("two-switch", 5)
    first = found["flows"][0]
    assert (first["src"], first["dst"], first["role"], first["stop_s"]) == ("H1", "H4", "contributor", 1)


def test_no_file_that_a_workload_names_is_opened(calm_service: Service, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret,of,this,machine\n")
    document = MINE.replace("flows:", f"patterns: [{{kind: trace, name: t, role: other, file: {secret}}}]\nflows:")
    found = validated(calm_service, "/workloads", document, fabric="two-switch")
    assert [one["path"] for one in found["problems"]] == ["patterns[0].file"]
    assert "the secret" not in str(found)
    # What is not opened is not missed either.
    missing = validated(calm_service, "/workloads", document.replace(str(secret), f"{secret}-not"), fabric="two-switch")
    assert len(missing["problems"]) == 1


def test_workloads_that_ship_are_valid(calm_service: Service) -> None:
    client = calm_service.as_role("viewer")
    for one in client.get("/api/v1/workloads?limit=200").json()["items"]:
        found = client.post("/api/v1/workloads/validate", json={"document": one["document"]}).json()
        assert found["problems"] == [], one["name"]
        assert found["warnings"] == [], one["name"]
        assert found["flows_total"], one["name"]


@pytest.mark.parametrize(
    ("document", "line", "column", "words"),
    [
        ("", None, None, "is empty"),
        ("a: b\n c: [d", 2, None, "not valid YAML"),
        ("a: &x b", 1, 4, "anchor"),
        ("a: 1\na: 2", 2, 1, "given twice"),
        ("- 1", 1, 1, "a mapping"),
    ],
)
def test_what_is_no_document_is_said_at_its_place(
    calm_service: Service, document: str, line: int | None, column: int | None, words: str
) -> None:
    for path in ("/workloads", "/campaigns"):
        (problem,) = validated(calm_service, path, document)["problems"]
        assert words in problem["detail"]
        assert problem["line"] == line
        assert column is None or problem["column"] == column


def test_a_campaign_is_checked_on_its_fabric(calm_service: Service) -> None:
    assert validated(calm_service, "/campaigns", CAMPAIGN, fabric="two-switch")["problems"] == []
    document = CAMPAIGN.replace("[scenario-1]", "[scenario-1, nowhere, ../x]") + "base: gran-2011\n"
    found = validated(calm_service, "/campaigns", document, fabric="two-switch")
    assert [(one["path"], underlined(document, one)) for one in found["problems"]] == [
        ("base", "gran-2011"),
        ("workloads[1]", "nowhere"),
        ("workloads[2]", "../x"),
    ]
    assert validated(calm_service, "/campaigns", document)["valid"], "without a fabric, names are only names"


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("ca.ccti_timer", "ca.ccti_tmer", "space.ca.ccti_tmer"),
        ("high: 500", "high: 500000000", "space.ca.ccti_timer"),
        ("treatment_variation: 1", "treatment: 1", "hypervolume_reference"),
        ("log: true", "lag: true", "space.ca.ccti_timer.lag"),
        ("confirmation:", "constraints: {spread: {at_least: 1}}\nconfirmation:", "constraints.spread"),
    ],
)
def test_search_space_and_goals_are_blamed_at_their_lines(calm_service: Service, old: str, new: str, path: str) -> None:
    document = CAMPAIGN.replace(old, new)
    problems = validated(calm_service, "/campaigns", document, fabric="two-switch")["problems"]
    assert path in [one["path"] for one in problems], problems
    assert all(one["line"] is not None for one in problems)


def test_a_workload_that_does_not_fit_the_fabric_is_blamed_where_the_campaign_names_it(calm_service: Service) -> None:
    client = calm_service.as_role("operator")
    # Its hosts are named, and not all can be found again by their roles.
    stored = MINE.replace("mine", "elsewhere").replace("H1", "X1")
    assert client.post("/api/v1/workloads", json={"name": "elsewhere", "document": stored}).status_code == 201
    document = CAMPAIGN.replace("[scenario-1]", "[scenario-1, elsewhere]")
    (problem,) = validated(calm_service, "/campaigns", document, fabric="two-switch")["problems"]
    assert (problem["path"], underlined(document, problem)) == ("workloads[1]", "elsewhere")
    assert "X1" in problem["detail"]


def test_checks_and_inventories(calm_service: Service) -> None:
    assert validated(calm_service, "/checks", CHECK, fabric="two-switch")["problems"] == []
    document = CHECK.replace("time_scale: 0.1", "time_scale: -1, x: 1")
    found = validated(calm_service, "/checks", document, fabric="two-switch")
    assert {underlined(document, one) for one in found["problems"]} == {"-1", "x"}
    path = "/fabrics/two-switch/inventory"
    assert validated(calm_service, path, INVENTORY)["problems"] == []
    (problem,) = validated(calm_service, path, INVENTORY.replace("H{number}", "K{number}"))["problems"]
    assert "K1" in problem["detail"]
    found = validated(calm_service, path, INVENTORY.replace("[/usr", "[usr"))
    assert [one["path"] for one in found["problems"]] == ["agent.command"]


@pytest.mark.long
def test_schemas_are_served(calm_service: Service) -> None:
    client = calm_service.as_role("viewer")
    kinds = client.get("/api/v1/schemas").json()
    assert {"campaign", "check", "fabric", "inventory", "profile", "workload"} <= set(kinds)
    for kind in kinds:
        assert f"ibcc_{kind}" in client.get(f"/api/v1/schemas/{kind}").json()["properties"]
    assert client.get("/api/v1/schemas/nothing").status_code == 404


def test_campaigns_and_checks_that_use_a_workload(service: Service) -> None:
    with_default_fabric(service)
    client = service.as_role("operator")
    campaign = {"name": "first", "fabric": "two-switch", "template": "scenario-1"}
    made = client.post("/api/v1/campaigns", json=campaign)
    assert made.status_code == 201, made.text
    assert client.post("/api/v1/checks", json={"name": "site", "fabric": "two-switch", "document": CHECK}).status_code == 201
    uses = client.get("/api/v1/workloads/scenario-1/uses").json()
    assert [(one["kind"], one["name"], one["state"]) for one in uses] == [("check", "site", None), ("campaign", "first", "draft")]
    assert client.get("/api/v1/workloads/scenario-2/uses").json() == []
    elsewhere = service.as_role("viewer", ["other"])
    assert elsewhere.get("/api/v1/workloads/scenario-1/uses").json() == []


def test_hostile_texts_end_with_an_answer(calm_service: Service) -> None:
    for text in ("{" * 100, "a: " * 50, "\u2028a: [\x85", "﻿ibcc_workload: 1", "x: 😀\n" * 3000, f"name: {'y' * 65536}\n", "\x07"):
        found = calm_service.as_role("operator").post("/api/v1/workloads/validate", json={"document": text})
        assert found.status_code == 200, found.text
        assert not found.json()["valid"]
        assert len(found.text) < 200_000
