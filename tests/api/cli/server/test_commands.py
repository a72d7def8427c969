# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL …` against a service that runs."""

import csv
import json
from collections.abc import Callable

import pytest

from tuner.cli.main import run

Ibcc = Callable[..., str]
JSON = ("--output", "json")


@pytest.mark.long
def test_a_profile_is_tried_on_a_fabric(ibcc_server: Ibcc) -> None:
    assert next(csv.DictReader(ibcc_server("fabric", "list", "--output", "csv").splitlines()))["name"] == "two-switch"
    assert json.loads(ibcc_server("fabric", "plan", "two-switch", "gran-2010", *JSON))["totals"]["devices"] > 0
    json.loads(ibcc_server("fabric", "apply", "two-switch", "gran-2010", "--ttl-s", "60"))
    assert json.loads(ibcc_server("fabric", "state", "two-switch", *JSON))["active_profile"]["name"] == "gran-2010"
    json.loads(ibcc_server("fabric", "restore", "two-switch"))
    assert [job["kind"] for job in json.loads(ibcc_server("job", "list", "--output", "json"))] == ["restore", "apply"]


def test_a_campaign(ibcc_server: Ibcc) -> None:
    options = ("--fabric", "two-switch", "--template", "scenario-1", "--set", "budget.trials=12")
    made = json.loads(ibcc_server("campaign", "create", "try", *options))
    assert made["trials_total"] == 12
    assert made["id"] in ibcc_server("campaign", "list")
    assert json.loads(ibcc_server("campaign", "show", made["id"], *JSON))["state"] == "draft"


@pytest.mark.long
def test_a_campaign_by_its_name_or_the_beginning_of_its_identifier(ibcc_server: Ibcc) -> None:
    options = ("--fabric", "two-switch", "--template", "scenario-1", "--set", "budget.trials=12")
    first, second, other = (json.loads(ibcc_server("campaign", "create", name, *options)) for name in ("try", "try", "other"))
    assert json.loads(ibcc_server("campaign", "show", "other", *JSON))["id"] == other["id"]
    several = ibcc_server("campaign", "show", "try", code=2)
    assert (
        several
        == f"ibcc: 'try' may be 2 campaigns; give the identifier of one: {', '.join(sorted([first['id'], second['id']]))}\n"
    )
    beginning = next(
        second["id"][:n]
        for n in range(1, 33)
        if not first["id"].startswith(second["id"][:n]) and not other["id"].startswith(second["id"][:n])
    )
    assert json.loads(ibcc_server("campaign", "show", beginning.upper(), *JSON))["id"] == second["id"]
    unknown = ibcc_server("campaign", "start", "nothing", code=2)
    assert "no campaign has this name or an identifier that begins with 'nothing'" in unknown
    assert json.loads(ibcc_server("campaign", "stop", "other"))["state"] == "stopped"


@pytest.mark.long
def test_refusals_are_sentences_with_exit_codes(ibcc_server: Ibcc, monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = "no job has an identifier that begins with 'x'; `ibcc --server URL job list` shows them"
    assert ibcc_server("job", "wait", "x", code=2) == f"ibcc: {unknown}\n"
    assert ibcc_server("job", "wait", "0" * 32, code=2) == f"ibcc: There is no job '{'0' * 32}'.\n"
    assert "'nothing'" in ibcc_server("fabric", "plan", "two-switch", "nothing", code=2)
    assert "'two-switch' is simulated, so its document says" in ibcc_server("fabric", "dialects", "two-switch", code=5)
    assert "No such command 'simulate'" in ibcc_server("simulate", code=2)
    monkeypatch.setenv("IBCC_TOKEN", "ibcc_wrong")
    assert "revoked; create a new one" in ibcc_server("job", "list", code=1)
    assert run(["--server", "http://127.0.0.1:1", "job", "list"]) == 3
    assert run(["--server", "here", "job", "list"]) == 2


@pytest.mark.long
def test_what_people_look_at_is_a_table(ibcc_server: Ibcc) -> None:
    options = ("--fabric", "two-switch", "--template", "scenario-1", "--set", "budget.trials=12")
    ibcc_server("campaign", "create", "try", *options)
    shown = ibcc_server("campaign", "show", "try")
    for words in ("try", "two-switch", "draft", "Nothing is measured yet.", "0 of 12", "by operator"):
        assert words in shown, words
    state = ibcc_server("fabric", "state", "two-switch")
    assert "two-switch (simulated)" in state
    assert "yes" in state
    assert "digest" in ibcc_server("fabric", "plan", "two-switch", "gran-2010")
    assert "--output csv is for lists; choose table or json" in ibcc_server("campaign", "show", "try", "--output", "csv", code=2)
