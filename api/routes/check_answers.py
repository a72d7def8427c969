# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Answers of a check's policy to nights that fail."""

from typing import Annotated, Any

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field

from api.access.dependencies import Reading, Viewer, Writing, acting
from api.access.principal import Principal
from api.base.problems import Conflict
from api.documents.checks import AnswerDocument, AnswerKind, CheckDocument, PolicyDocument
from api.http.idempotency import OnlyOnce
from api.http.openapi import also
from api.http.pages import Page, Paging
from api.http.preconditions import IfMatch, require_match, set_etag
from api.routes.fields import Body, CheckName, Id, Text
from api.services.checks import creation, queries
from api.services.checks.answers import require_policy, undo
from api.services.checks.documents import answer_documents, check_document
from api.states.checks import ANSWERS, CHECKS

router = APIRouter(tags=["checks"])

_Names = Annotated[list[Annotated[Text, Field(min_length=1, max_length=64)]], Field(max_length=50)]


class RuleBody(Body):
    answer: AnswerKind = Field(
        description="`reapply`: read back all devices, and set values that differ from the base profile's again. `rollback`: "
        "make the former base profile the base again. `draft_campaign`: create a campaign as a draft, which begins with the "
        "profile in force."
    )
    causes: _Names = Field([], description="Names of likely causes, or codes of findings, that it answers; empty: any.")
    kinds: _Names = Field([], description="Kinds of checks whose failure it answers; empty: any.")
    template: Annotated[Text, Field(max_length=64)] | None = Field(
        None, description="Campaign template of `draft_campaign`; by default `scenario-1`."
    )


class PolicyBody(Body):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"rules": [{"answer": "reapply", "kinds": ["tables"]}, {"answer": "draft_campaign"}]}]}
    )

    rules: Annotated[list[RuleBody], Field(max_length=20)] = Field(
        description="The first rule that matches a night that fails is its answer; empty: nothing is done."
    )


@router.put("/checks/{name}/policy")
def change_check_policy(
    principal: Annotated[Principal, acting(CHECKS.role("set_policy"))],
    session: Writing,
    name: CheckName,
    body: PolicyBody,
    response: Response,
    if_match: IfMatch = None,
) -> CheckDocument:
    """Say what is done about a night that fails. Answers that change the fabric wait for its maintenance windows, if its
    inventory has any. No other answer of a kind is given while one stands."""
    row = queries.get_check(session, principal, name, locked=True)
    require_match(if_match, row.revision, f"check '{name}'")
    policy = PolicyDocument(**body.model_dump())
    require_policy(policy)
    creation.set_policy(session, principal, row, policy)
    session.flush()
    set_etag(response, row.revision)
    return check_document(session, principal, row)


@router.get("/checks/{name}/answers", response_model=Page[AnswerDocument])
def list_check_answers(principal: Viewer, session: Reading, page: Paging, name: CheckName) -> object:
    """List what was done about nights that failed, newest first."""
    found, cursor = queries.list_answers(session, queries.get_check(session, principal, name), page)
    return {"items": answer_documents(session, principal, found), "next_cursor": cursor}


@router.get("/checks/{name}/answers/{answer_id}")
def get_check_answer(principal: Viewer, session: Reading, name: CheckName, answer_id: Id) -> AnswerDocument:
    """Return an answer, with what an undo would do."""
    answer = queries.get_answer(session, queries.get_check(session, principal, name), answer_id)
    return answer_documents(session, principal, [answer])[0]


@router.post("/checks/{name}/answers/{answer_id}/undo", status_code=202, response_model=AnswerDocument, responses=also(Conflict))
def undo_check_answer(
    principal: Annotated[Principal, acting(ANSWERS.role("undo"))],
    session: Writing,
    once: OnlyOnce,
    name: CheckName,
    answer_id: Id,
) -> JSONResponse:
    """Undo an answer, as its `undo_does` says. One that waits for a maintenance window is withdrawn."""
    queries.get_check(session, principal, name)  # a token for other fabrics gets no stored answer either

    def work() -> tuple[int, Any, dict[str, str]]:
        check = queries.get_check(session, principal, name, locked=True)
        answer = queries.get_answer(session, check, answer_id, locked=True)
        undo(session, principal, check, answer)
        begun = f"checks/{name}/answers/{answer.id}" if answer.undo_job is None else f"jobs/{answer.undo_job}"
        return 202, answer_documents(session, principal, [answer])[0], {"Location": f"/api/v1/{begun}"}

    return once(session, principal, None, work)
