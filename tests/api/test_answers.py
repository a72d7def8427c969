# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every refusal that the OpenAPI document lists is one that the service gives, as a problem document (RFC 9457).

The other direction, that no answer is given which is not listed, is in the clients of all tests (tests/api/documented.py).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from sqlalchemy.exc import OperationalError

from api.access.roles import Role
from api.base.problems import ProblemDocument, kinds
from api.configuration.settings import Settings
from tests.api.answer_cases import BODY_LIMIT_BYTES, CASES, ELSEWHERE, SHAPES, STREAMS, TEXTS, Operation, World, operations
from tests.api.import_service import PAIR
from tests.api.service import Service

pytestmark = [pytest.mark.long, pytest.mark.thorough]

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("answers")
    settings = Settings(
        state_folder=folder / "state",
        workers=0,
        body_limit_bytes=BODY_LIMIT_BYTES,
        import_limit_bytes=BODY_LIMIT_BYTES,
        login_failures=3,
    )
    service = Service(settings)
    yield World(service)
    service.close()


def require_problem(answer: Any, operation: Operation, status: str) -> None:
    where = f"{operation.method} {answer.request.url}: {answer.status_code} {answer.text:.300}"
    assert answer.status_code == int(status), f"{status} was expected of {where}"
    assert answer.headers["Content-Type"] == "application/problem+json", where
    document = answer.json()
    jsonschema.validate(document, ProblemDocument.model_json_schema())
    kind = kinds()[document["type"].removeprefix("/problems/")]
    assert (document["status"], kind.status, document["title"]) == (int(status), int(status), kind.title), where
    assert document["instance"] == answer.request.url.path, where
    assert document["detail"].endswith((".", ")")) or status == "422", where


@pytest.mark.parametrize("status", SHAPES)
def test_every_listed_answer_is_given(world: World, status: str) -> None:
    lacking, given = [], 0
    for operation in operations(world.service):
        if status not in operation.spec["responses"]:
            continue
        answers = list(SHAPES[status](world, operation))
        if (case := CASES.get((operation.name, status))) is not None:
            answers.append(case(world, operation))
        for answer in answers:
            require_problem(answer, operation, status)
            given += 1
        if not answers and (operation.name, status) not in ELSEWHERE:
            lacking.append(operation.name)
    assert not lacking, f"answers of {status} without a case in tests/api/answer_cases.py: {', '.join(lacking)}"
    assert given > 5


def test_a_database_that_does_not_answer_is_told_by_all_that_need_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [one for one in operations(world.service) if "503" in one.spec["responses"] and (one.name, "503") not in ELSEWHERE]

    def fails() -> None:
        raise OperationalError("SELECT 1", {}, Exception("no route to secret-host"))

    clients = {one.name: world.clients[one.role or Role.VIEWER] for one in wanted}
    monkeypatch.setattr(world.service.database, "reading", fails)
    monkeypatch.setattr(world.service.database, "writing", fails)
    for operation in wanted:
        answer = world.send(operation, clients[operation.name])
        require_problem(answer, operation, "503")
        assert "secret-host" not in answer.text


def test_logins_are_slowed_down_in_words(world: World) -> None:
    for operation in operations(world.service):
        if "429" in operation.spec["responses"] and (operation.name, "429") not in ELSEWHERE:
            require_problem(CASES[operation.name, "429"](world, operation), operation, "429")


def test_every_text_is_sent_with_the_type_that_is_listed(world: World) -> None:
    sent = set()
    for operation in operations(world.service):
        listed = {int(status): answer.get("content", {}) for status, answer in operation.spec["responses"].items()}
        for status, media_type in [(one, each) for one in listed if one < 300 for each in listed[one]]:
            if media_type == "application/json" or operation.name in STREAMS:
                continue
            answer = world.send(operation, world.clients[Role.ADMIN], **TEXTS.get((operation.name, media_type), {}))
            assert answer.status_code == status, (operation.name, answer.text)
            assert answer.headers["Content-Type"].partition(";")[0] == media_type, operation.name
            sent.add((operation.name, media_type))
    assert TEXTS.keys() <= sent
    assert {media_type for _, media_type in sent} == {
        "application/yaml",
        "application/zip",
        "text/csv",
        "text/html",
        "text/plain",
    }


def test_every_listed_type_of_an_upload_is_taken(world: World) -> None:
    """A file for an import that was kept is refused for that alone."""
    taken = 0
    for operation in operations(world.service):
        for media_type in operation.spec["requestBody"]["content"] if operation.is_upload else ():
            where, headers = {"import_id": world.imports["kept"]}, {"Content-Type": media_type}
            answer = world.send(operation, path=where, content=PAIR, headers=headers)
            assert answer.status_code in (202, 409), (operation.name, media_type, answer.text)
            taken += 1
    assert taken >= 12


def test_no_case_is_left_over(world: World) -> None:
    listed = {(one.name, status) for one in operations(world.service) for status in one.spec["responses"] if int(status) >= 400}
    tested = {(name, status) for name, status in listed if status in SHAPES or status in ("429", "503")}
    assert listed == tested, "statuses that nothing here looks at"
    assert set(CASES) | set(ELSEWHERE) <= listed
    for file in ELSEWHERE.values():
        assert (ROOT / file).is_file()
