# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL profile` and `… promotion` against a service that runs, on its simulated fabric."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from api.database.models.promotion import Promotion
from tests.api.service import Service
from tuner.cli.main import run
from tuner.documents import catalogue

Ibcc = Callable[..., str]
JSON = ("--output", "json")
MINE = catalogue.find("profile", "gran-2010").read_text().replace("name: gran-2010", "name: mine")


@pytest.mark.long
def test_what_is_printed_is_what_the_local_command_prints(ibcc_server: Ibcc, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["show", "gran-2010"], ["encode", "gran-2010", "--output", "csv"], ["diff", "gran-2010", "gran-2012"]):
        assert run(["profile", *words]) == 0
        here = capsys.readouterr().out
        assert ibcc_server("profile", *words) == here


@pytest.mark.long
def test_versions_are_put_and_compared(ibcc_server: Ibcc, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(MINE)
    first = json.loads(ibcc_server("profile", "put", str(file), "--comment", "a start", "--fabric", "two-switch"))
    assert (first["version"], first["belongs_to"]) == (1, "two-switch")
    file.write_text(MINE.replace("ccti_timer: 150", "ccti_timer: 100"))
    assert json.loads(ibcc_server("profile", "put", str(file)))["version"] == 2
    assert ibcc_server("profile", "get", "mine@1") == MINE
    rows = list(csv.DictReader(ibcc_server("profile", "diff", "mine@1", "mine", "--output", "csv").splitlines()))
    assert rows == [{"key": "ca.ccti_timer", "a": "150", "b": "100"}]
    assert "are the same profile" in ibcc_server("profile", "diff", "mine@2", str(file))
    listed = {
        row["name"]: row["version"] for row in csv.DictReader(ibcc_server("profile", "list", "--output", "csv").splitlines())
    }
    assert listed["mine"] == "2"
    assert "Profile 'mine' has no version 7" in ibcc_server("profile", "show", "mine@7", code=2)
    assert "'x' is not a version" in ibcc_server("profile", "show", "mine@x", code=2)


def test_profiles_are_checked_with_the_line(ibcc_server: Ibcc, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(MINE)
    assert ibcc_server("profile", "validate", "gran-2010", str(file), "--fabric", "two-switch") == (
        f"gran-2010: valid\n{file}: valid\n"
    )
    file.write_text(MINE.replace("ccti_timer: 150", "ccti_timer: 1500000"))
    told = ibcc_server("profile", "validate", str(file), code=2)
    line = 1 + MINE[: MINE.index("ccti_timer: 150")].count("\n")
    assert f"{file}:{line}: " in told
    assert "1500000" in told


@pytest.mark.long
def test_an_experiment_is_applied_verified_and_rolled_back(ibcc_server: Ibcc) -> None:
    planned = ibcc_server("profile", "plan", "gran-2010")
    assert "devices would get" in planned
    assert "--ttl SECONDS" in ibcc_server("profile", "apply", "gran-2010", code=2)
    applied = json.loads(ibcc_server("profile", "apply", "gran-2010@1", "--ttl", "600", "--output", "json"))
    assert applied["devices"]["applied"] == applied["devices"]["total"] > 0
    assert "devices hold the wanted tables" in ibcc_server("profile", "verify")
    assert json.loads(ibcc_server("profile", "verify", "--output", "json"))["verified"] is True
    assert ibcc_server("profile", "rollback").startswith("revision ")
    assert json.loads(ibcc_server("fabric", "state", "two-switch", *JSON))["experiment"] is None
    assert "ibcc: " in ibcc_server("profile", "rollback", code=1), "there is no former base"


@pytest.mark.long
def test_a_promotion_needs_a_plan_that_somebody_has_seen(ibcc_server: Ibcc) -> None:
    digest = json.loads(ibcc_server("profile", "plan", "gran-2010", "--output", "json"))["digest"]
    assert f"--plan-digest {digest}" in ibcc_server("profile", "promote", "gran-2010", code=2)
    assert "is not the digest of the present plan" in ibcc_server(
        "profile", "promote", "gran-2010", "--plan-digest", "0" * 64, code=5
    )
    assert "revision" in ibcc_server("profile", "promote", "gran-2010", "--plan-digest", digest)
    assert json.loads(ibcc_server("fabric", "state", "two-switch", *JSON))["base_profile"]["name"] == "gran-2010"
    assert next(csv.DictReader(ibcc_server("promotion", "list", "--output", "csv").splitlines()))["state"] == "done"
    shown = ibcc_server("profile", "rollback", "--plan").splitlines()
    assert shown[-2].startswith("from gran-2010: 9 devices would get ")
    ibcc_server("profile", "apply", "gran-2012", "--ttl", "600")
    assert "a rollback ends it" in ibcc_server("profile", "rollback", "--plan", code=5)
    ibcc_server("profile", "rollback")
    assert "off" in ibcc_server("profile", "rollback"), "the base before"
    assert "has no base profile before 'off'" in ibcc_server("profile", "rollback", "--plan", code=5)


@pytest.mark.long
def test_a_second_person_approves(
    served_service: tuple[Service, str], ibcc_server: Ibcc, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, _ = served_service
    monkeypatch.setattr(service.settings, "second_person", True)
    digest = json.loads(ibcc_server("profile", "plan", "gran-2010", "--output", "json"))["digest"]
    told = ibcc_server("profile", "promote", "gran-2010", "--plan-digest", digest, code=5)
    promotion = json.loads(ibcc_server("promotion", "list", "--output", "json"))[0]["id"]
    assert told.rstrip().endswith(f"promotion approve {promotion}")
    assert "another operator must approve it" in ibcc_server("promotion", "approve", promotion, code=1)
    monkeypatch.setenv("IBCC_TOKEN", service.as_role("admin").headers["Authorization"].removeprefix("Bearer "))
    assert json.loads(ibcc_server("promotion", "approve", promotion))["good"] is True
    assert "it must be pending" in ibcc_server("promotion", "reject", promotion, code=5)


@pytest.mark.long
def test_what_is_outdated_is_asked_for_again(
    served_service: tuple[Service, str], ibcc_server: Ibcc, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, _ = served_service
    digest = json.loads(ibcc_server("profile", "plan", "gran-2010", "--output", "json"))["digest"]
    monkeypatch.setattr(service.settings, "second_person", True)
    ibcc_server("profile", "promote", "gran-2010", "--plan-digest", digest, code=5)
    promotion = json.loads(ibcc_server("promotion", "list", "--output", "json"))[0]["id"]
    assert ibcc_server("promotion", "plan", promotion).endswith(f"digest {digest}\n")
    ibcc_server("profile", "apply", "gran-2010@1", "--ttl", "600")
    during = ibcc_server("promotion", "plan", promotion).splitlines()
    assert during[-3:-1] == ["from off: 9 devices would get 23 Sets", "now, from gran-2010: 0 devices would get 0 Sets"]
    assert "it must be outdated" in ibcc_server("promotion", "repeat", promotion, code=5)
    with service.database.writing() as session:
        session.get_one(Promotion, promotion).plan_digest = "0" * 64
    ibcc_server("promotion", "plan", promotion)
    assert json.loads(ibcc_server("promotion", "show", promotion))["state"] == "outdated"
    again = json.loads(ibcc_server("promotion", "repeat", promotion))
    assert (again["state"], again["plan_digest"]) == ("pending", digest)
    assert "is outdated: the fabric's devices" in ibcc_server("promotion", "approve", promotion, code=5)


def test_workloads_are_put(ibcc_server: Ibcc, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(catalogue.find("workload", "ping-pong").read_text().replace("name: ping-pong", "name: mine"))
    assert json.loads(ibcc_server("workload", "put", str(file), "--fabric", "two-switch"))["belongs_to"] == "two-switch"
    file.write_text(file.read_text().replace("duration_s: 0.02", "duration_s: 0.03"))
    assert json.loads(ibcc_server("workload", "put", str(file)))["duration_s"] == 0.03
    assert ibcc_server("workload", "get", "mine") == file.read_text()
    assert "mine" in ibcc_server("workload", "list")
