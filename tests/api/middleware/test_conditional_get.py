# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a client has already is not sent again."""

import pytest

from api.middleware.conditional_get import etag_of, matches
from tests.api.fabric_service import with_default_fabric
from tests.api.service import Service

LIST = "/api/v1/campaign-templates"


def test_an_answer_that_is_at_hand_is_304(service: Service) -> None:
    client = service.as_role("viewer")
    first = client.get(LIST)
    tag = first.headers["ETag"]
    assert tag.startswith('W/"')
    again = client.get(LIST, headers={"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    assert "Content-Length" not in again.headers
    assert "Content-Type" not in again.headers
    assert again.headers["Cache-Control"] == "no-store", "no browser keeps an answer"
    assert again.headers["X-Content-Type-Options"] == "nosniff"


def test_what_has_changed_is_sent(service: Service) -> None:
    client = service.as_role("admin")
    tag = client.get("/api/v1/fabrics").headers["ETag"]
    assert client.get("/api/v1/fabrics", headers={"If-None-Match": tag}).status_code == 304
    with_default_fabric(service)
    changed = client.get("/api/v1/fabrics", headers={"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.json()["items"]
    assert changed.headers["ETag"] != tag


def test_nobody_learns_by_a_tag_what_they_may_not_read(service: Service) -> None:
    tag = service.as_role("admin").get("/api/v1/users").headers["ETag"]
    assert service.as_role("viewer").get("/api/v1/users", headers={"If-None-Match": tag}).status_code == 403
    assert service.anonymous().get("/api/v1/users", headers={"If-None-Match": tag}).status_code == 401


def test_the_revision_of_an_object_is_no_tag_of_its_answer(service: Service) -> None:
    with_default_fabric(service)
    client = service.as_role("admin")
    answer = client.get("/api/v1/fabrics/two-switch")
    assert answer.headers["ETag"] == '"1"', "it is for If-Match"
    assert client.get("/api/v1/fabrics/two-switch", headers={"If-None-Match": '"1"'}).status_code == 200


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (['W/"a"'], True),
        (['"a"'], True),
        (['"b", W/"a"'], True),
        (['"b"', 'W/"a"'], True),
        (["*"], True),
        (['W/"b"'], False),
        (["a"], False),
        ([], False),
        (["", ","], False),
    ],
)
def test_tags_are_compared_weakly(asked: list[str], found: bool) -> None:
    assert matches(asked, 'W/"a"') is found


def test_a_tag_is_of_the_whole_answer() -> None:
    assert etag_of(b"") != etag_of(b" ")
    assert etag_of(b"x") == etag_of(b"x")
