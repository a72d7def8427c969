# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What holds of each table of states."""

import typing
from pathlib import Path
from typing import Any

import pytest

from api.access.roles import Role
from api.states import campaigns, checks, imports, jobs, promotions
from api.states.campaigns import AT_WORK, CAMPAIGNS, ENDED, ON_FABRIC, RUNS_BY_ITSELF
from api.states.checks import ANSWERS, CHECKS
from api.states.imports import DRAFTS, IMPORTS, READING, SETTLED
from api.states.jobs import GIVEN_UP, JOBS, PENDING
from api.states.promotions import PROMOTIONS
from api.states.table import Rule, StateTable

TABLES = [
    (CAMPAIGNS, campaigns.CampaignState, campaigns.CampaignAction),
    (JOBS, jobs.JobState, jobs.JobAction),
    (PROMOTIONS, promotions.PromotionState, promotions.PromotionAction),
    (CHECKS, checks.CheckState, checks.CheckAction),
    (ANSWERS, checks.AnswerState, checks.AnswerAction),
    (IMPORTS, imports.ImportState, imports.ImportAction),
]


@pytest.mark.parametrize(("table", "states", "actions"), TABLES)
def test_a_table_has_all_actions_and_only_known_states(table: StateTable[Any], states: Any, actions: Any) -> None:
    assert tuple(table.rules) == typing.get_args(actions)
    for rule in table.rules.values():
        assert rule.states
        assert len(set(rule.states)) == len(rule.states)
        assert set(rule.states) <= set(typing.get_args(states))


@pytest.mark.parametrize(("table", "states", "actions"), TABLES)
def test_a_role_may_do_what_lower_roles_may(table: StateTable[Any], states: Any, actions: Any) -> None:
    for state in typing.get_args(states):
        viewer, operator, admin = (set(table.actions(role, state)) for role in Role)
        assert viewer <= operator <= admin
        for action in typing.get_args(actions):
            assert (table.refusal(action, state, "x") is None) == (action in admin)


def test_groups_of_states_are_what_their_names_say() -> None:
    known = set(typing.get_args(campaigns.CampaignState))
    assert {"draft", "paused"} == known - set(AT_WORK) - set(ENDED)
    assert not set(AT_WORK) & set(ENDED)
    assert set(RUNS_BY_ITSELF) < set(AT_WORK)
    assert set(ON_FABRIC) < set(AT_WORK)
    assert set(PENDING).isdisjoint(GIVEN_UP)


@pytest.mark.parametrize("state", typing.get_args(imports.ImportState))
def test_no_import_is_stuck(state: str) -> None:
    """One that is read can be cancelled, and any other one can be discarded."""
    assert ("cancel" if state in READING else "discard") in IMPORTS.actions(Role.ADMIN, state)
    assert IMPORTS.actions(Role.OPERATOR, state) == []
    assert {*READING, *SETTLED} == set(DRAFTS)


@pytest.mark.parametrize("state", typing.get_args(campaigns.CampaignState))
def test_no_campaign_is_stuck(state: str) -> None:
    """One that works can be stopped, and any other one can be deleted; from every end there is a way on."""
    actions = set(CAMPAIGNS.actions(Role.OPERATOR, state))
    assert ("stop" if state in AT_WORK else "delete") in actions
    assert not {"delete"} & actions or state not in AT_WORK
    if state in ENDED:
        assert "extend" in actions
    if state in RUNS_BY_ITSELF:
        assert "pause" in actions


def test_a_refusal_names_the_state_and_those_that_would_be_right() -> None:
    table = StateTable("Door", {"open": Rule(Role.VIEWER, ("shut",)), "shut": Rule(Role.VIEWER, ("open", "ajar", "new"))})
    assert table.refusal("open", "locked", "D1") == "Door D1 is locked; to open it, it must be shut."
    assert table.refusal("shut", "locked", "D1") == "Door D1 is locked; to shut it, it must be open, ajar or new."
    assert table.refusal("open", "shut", "D1") is None


def test_who_else_it_is_matters_only_where_a_rule_says_so() -> None:
    def never() -> bool:
        raise AssertionError

    assert PROMOTIONS.actions(Role.VIEWER, "pending", is_another=never) == []
    assert PROMOTIONS.actions(Role.OPERATOR, "done", is_another=never) == []
    assert PROMOTIONS.actions(Role.OPERATOR, "pending", is_another=lambda: False) == ["reject"]
    assert PROMOTIONS.actions(Role.OPERATOR, "pending") == ["approve", "reject"]


def test_no_other_list_of_states_stands_in_the_clients(root: Path) -> None:
    """Neither in the command line client nor in the web interface, but for the filter that the compiler compares."""
    files = [*(root / "api/cli").rglob("*.py"), *(root / "api/client").rglob("*.py"), *(root / "api/ui/src").rglob("*.ts*")]
    names = set(typing.get_args(campaigns.CampaignState)) - {"failed", "draft"}
    for file in files:
        if file.name in ("schema.d.ts", "campaigns.tsx", "tag.tsx"):
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = {name for name in names if f'"{name}"' in line}
            assert len(found) < 3, f"{file.relative_to(root)}:{number} lists states: {line.strip()}"
