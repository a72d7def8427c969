# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""If-Match, as RFC 9110 (13.1.1) has it."""

import pytest

from api.base.problems import PreconditionFailed, PreconditionRequired
from api.http.preconditions import etag, require_match


@pytest.mark.parametrize("given", ['"3"', "*", '"2", "3"', ' "3" '])
def test_who_has_read_it_may_change_it(given: str) -> None:
    require_match(given, 3, "user anna")


@pytest.mark.parametrize("given", ['"2"', "3", 'W/"3"', "", '"33"', '"3'])
def test_who_has_read_something_else_may_not(given: str) -> None:
    with pytest.raises(PreconditionFailed, match='user anna is at "3"'):
        require_match(given, 3, "user anna")


def test_who_has_read_nothing_may_not() -> None:
    with pytest.raises(PreconditionRequired, match="To change user anna, send If-Match"):
        require_match(None, 3, "user anna")


def test_an_etag_is_quoted() -> None:
    assert etag("abc") == '"abc"'
