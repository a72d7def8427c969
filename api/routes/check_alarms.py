# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Alarms of a check, and what people say about them: repaired, muted, planned, expected."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import ConfigDict, Field, model_validator

from api.access.dependencies import Reading, Viewer, Writing, acting
from api.access.principal import Principal
from api.documents.checks import AlarmsDocument
from api.routes.fields import Body, CheckName, Text
from api.services.checks import decisions, queries
from api.states.checks import CHECKS
from tuner.checks.decisions import DecisionKind

router = APIRouter(tags=["checks"])

_Operator = Annotated[Principal, acting(CHECKS.role("decide"))]
_Because = Annotated[Text, Field(min_length=1, max_length=500, description="Why, such as `cable replaced`.")]


class DecisionBody(Body):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"kind": "mute", "place": "node17", "until": "2026-12-24", "because": "waits for a new adapter"}]
        }
    )

    kind: DecisionKind = Field(
        description="`repaired` closes the alarms at a place. `mute`: they fail no night until a date; what stands then is news. "
        "`gone`: hosts, switches or links are planned to be absent. `moved`: cables are planned to be plugged elsewhere."
    )
    place: Annotated[
        Text, Field(min_length=1, max_length=500, description="Host, set of nodes, switch, port, link, entry or `entry.metric`.")
    ]
    because: _Because
    first: date | None = Field(None, description="First night that it is for; by default any.")
    until: date | None = Field(None, description="Last night that it is for. A mute has one.")


class ExpectedBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"because": "ten hosts more"}]})

    because: _Because
    night: date | None = Field(None, description="Adopt the fabric of this night; by default of the last one.")
    imported: bool = Field(False, description="True to adopt the document of the fabric that the service has instead.")

    @model_validator(mode="after")
    def _is_one_of_both(self) -> "ExpectedBody":
        if self.imported and self.night is not None:
            raise ValueError("give either night or imported")
        return self


@router.get("/checks/{name}/alarms")
def get_check_alarms(principal: Viewer, session: Reading, name: CheckName) -> AlarmsDocument:
    """Return the alarms that the last night has left, as they stand now, the mutes and plans, and which fabric is expected."""
    return decisions.alarms_document(session, principal, queries.get_check(session, principal, name))


@router.post("/checks/{name}/decisions")
def add_check_decision(principal: _Operator, session: Writing, name: CheckName, body: DecisionBody) -> AlarmsDocument:
    """Say that something is repaired, muted, or planned to be gone or moved. The last night stands as that leaves it."""
    row = queries.get_check(session, principal, name, locked=True)
    decisions.decide(session, principal, row, body.kind, body.place, because=body.because, first=body.first, until=body.until)
    return decisions.alarms_document(session, principal, row)


@router.delete("/checks/{name}/decisions/{number}")
def withdraw_check_decision(
    principal: _Operator,
    session: Writing,
    name: CheckName,
    number: Annotated[int, Path(ge=1, description="Number of the decision.")],
) -> AlarmsDocument:
    """Withdraw a mute, a plan or a repair."""
    row = queries.get_check(session, principal, name, locked=True)
    decisions.withdraw(session, principal, row, number)
    return decisions.alarms_document(session, principal, row)


@router.post("/checks/{name}/expected")
def adopt_expected_fabric(principal: _Operator, session: Writing, name: CheckName, body: ExpectedBody) -> AlarmsDocument:
    """Adopt a fabric as the expected one: devices, links and routes are compared with it from the next run on."""
    row = queries.get_check(session, principal, name, locked=True)
    decisions.adopt(session, principal, row, night=body.night, imported=body.imported, because=body.because)
    return decisions.alarms_document(session, principal, row)
