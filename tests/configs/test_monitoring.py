# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Alert rules and dashboard: promtool reads them, the rules do what their cases say, and each metric and label is one of the
service's."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.access.principal import system
from api.base.times import now
from api.configuration.settings import Settings
from api.database.models.delivery import Delivery
from api.database.models.fabric import FabricRecord
from api.database.models.fabric_watch import FabricWatch
from api.services.fabrics import ensure_default
from tests.api.fabric_service import LOAD, once, run_jobs
from tests.api.service import Service

METRIC = re.compile(r"\bibcc_\w+")
SELECTOR = re.compile(r"(\bibcc_\w+)\{([^{}]*)\}")
GROUPED = re.compile(r"\bby \(([^()]*)\)")


@pytest.fixture(scope="session")
def promtool() -> str:
    program = shutil.which("promtool")
    if program is None:
        reason = "no promtool: Debian's package prometheus has it"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return program


@pytest.fixture(scope="module")
def monitoring(root: Path) -> Path:
    return root / "configs/monitoring"


@pytest.fixture(scope="module")
def dashboard(monitoring: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((monitoring / "grafana-dashboard.json").read_text())
    return found


@pytest.fixture(scope="module")
def queries(monitoring: Path, dashboard: dict[str, Any]) -> list[str]:
    """The queries of all rules and panels."""
    rules = yaml.safe_load((monitoring / "ibcc-alerts.yaml").read_text())["groups"]
    variables = [one["query"]["query"] for one in dashboard["templating"]["list"] if one["type"] == "query"]
    targets = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    return [rule["expr"] for group in rules for rule in group["rules"]] + targets + variables


@pytest.fixture(scope="module")
def exposed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """What /metrics shows of a service that has one of everything."""
    service = Service(Settings(state_folder=tmp_path_factory.mktemp("service") / "state", workers=0, open_metrics=True))
    with service.database.writing() as session:
        ensure_default(session, system("test"))
        for state, attempts in (("sent", 1), ("given_up", 12), ("pending", 2)):
            moment = now()
            ended = None if state == "pending" else moment
            row = Delivery(address="ops", state=state, severity="error", items=[], counts={"error": 1}, attempts=attempts)
            row.due_at, row.began_at, row.ended_at = moment + timedelta(hours=1), moment, ended
            session.add(row)
        counts = {"missing": 1, "links_down": 2}
        session.add(FabricWatch(fabric="two-switch", reach="reachable", counts=counts, audited_at=now(), revision=1))
        session.get_one(FabricRecord, "two-switch").load = LOAD
    operator = service.as_role("operator")
    job = operator.post("/api/v1/fabrics/two-switch/apply", json={"profile": "gran-2010", "ttl_s": 600}, headers=once()).json()
    assert run_jobs(service, operator, job["id"])["state"] == "done"
    yield operator.get("/metrics").text
    service.close()


def test_promtool_takes_what_the_service_exposes(promtool: str, exposed: str) -> None:
    done = subprocess.run([promtool, "check", "metrics"], input=exposed, capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    assert not [line for line in done.stderr.splitlines() if "ibcc_" in line], done.stderr


def test_promtool_takes_the_rules(promtool: str, monitoring: Path, root: Path) -> None:
    rules = monitoring / "ibcc-alerts.yaml"
    subprocess.run([promtool, "check", "rules", "--lint-fatal", rules], check=True, capture_output=True)
    cases = root / "tests/configs/monitoring/alert_cases.yaml"
    done = subprocess.run([promtool, "test", "rules", cases], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    names = {rule["alert"] for group in yaml.safe_load(rules.read_text())["groups"] for rule in group["rules"]}
    tried = {case["alertname"] for test in yaml.safe_load(cases.read_text())["tests"] for case in test["alert_rule_test"]}
    assert names == tried, "each rule has a case"


def test_promtool_takes_the_dashboards_queries(promtool: str, dashboard: dict[str, Any], tmp_path: Path) -> None:
    targets = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    rules = [{"record": f"ibcc:q{n}", "expr": expr.replace("$fabric", ".*")} for n, expr in enumerate(targets)]
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    done = subprocess.run([promtool, "check", "rules", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_metric_and_label_is_one_of_the_services(queries: list[str], exposed: str) -> None:
    labels: dict[str, dict[str, set[str]]] = {}
    for line in exposed.splitlines():
        if match := re.match(r"(ibcc_\w+)(?:\{(.*)\})? ", line):
            found = labels.setdefault(match[1], {})
            for name, value in re.findall(r'(\w+)="([^"]*)"', match[2] or ""):
                found.setdefault(name, set()).add(value)
    used = {name for query in queries for name in METRIC.findall(query)}
    assert used <= labels.keys()
    assert "ibcc_fabric_congestion_ratio" in used
    for query in queries:
        for metric, selector in SELECTOR.findall(query):
            for name, operator, value in re.findall(r'(\w+)(=~|=)"([^"]*)"', selector):
                known = labels[metric].get(name, set())
                assert known, f"{metric} has no label {name}"
                wanted = [] if value.startswith("$") else value.split("|") if operator == "=~" else [value]
                assert set(wanted) <= known, f"{metric}: {name} is never {set(wanted) - known}"
        for group in GROUPED.findall(query):
            of = {label for metric in METRIC.findall(query) for label in labels[metric]}
            assert {one.strip() for one in group.split(",")} <= of


def test_panels_do_not_overlap(dashboard: dict[str, Any]) -> None:
    taken: set[tuple[int, int]] = set()
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        assert not cells & taken, panel["title"]
        taken |= cells
