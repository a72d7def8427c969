# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Places of the service's machine in sentences."""

import sys
import tempfile
from pathlib import Path

import pytest

from api.access.redaction import redacted
from api.access.roles import Role
from api.base import places
from api.base.places import add_own_folder, without_paths, without_paths_in


@pytest.fixture(autouse=True)
def state_folder() -> None:
    add_own_folder(Path("/srv/the state/ibcc"))


@pytest.mark.parametrize(
    ("text", "public", "to_admins"),
    [
        ("/srv/the state/ibcc/campaigns/0af3/workloads/a.json:8: flow 'F1'", "workloads/a.json:8: flow 'F1'", None),
        ("the database /srv/the state/ibcc/ibcc.db", "the database …/ibcc.db", None),
        ("/srv/the state/ibcc is full", "… is full", None),
        (f"{sys.prefix}/lib/x.py", "…/lib/x.py", None),
        ("'/run/ibcc/opensm.sock' is no socket", "'…/opensm.sock' is no socket", "'/run/ibcc/opensm.sock' is no socket"),
        ("sqlite:////home/x/ibcc.db", "sqlite:…/ibcc.db", "sqlite:////home/x/ibcc.db"),
        ("//etc//passwd:3: x", "…/passwd:3: x", "//etc//passwd:3: x"),
        (f"{tempfile.gettempdir()}/ibcc-emulated-x/opensm.sock: gone", "…/opensm.sock: gone", None),
        ("/var/tmp/x/", "…/x", "/var/tmp/x/"),
        ("no plugin at /no-such-disk/opensm.sock", "no plugin at …/opensm.sock", "no plugin at /no-such-disk/opensm.sock"),
        ("no file: '/run/our site/a.db', /run/b", "no file: '…/a.db', …/b", "no file: '/run/our site/a.db', /run/b"),
    ],
)
def test_they_are_shortened_to_a_name(text: str, public: str, to_admins: str | None) -> None:
    assert without_paths(text) == public
    assert redacted(text, Role.ADMIN) == (public if to_admins is None else to_admins)
    assert redacted(text, Role.OPERATOR) == redacted(text, Role.VIEWER) == redacted(text, None) == public


@pytest.mark.parametrize(
    "text",
    [
        "GET /api/v1/session gives it",
        "/problems/busy",
        "25 Gbit/s",
        "and/or",
        "https://cc.example.org/etc/x",
        "H1/1",
        "/",
        "/x",
        "' / ' is",
    ],
)
def test_what_is_no_place_stays(text: str) -> None:
    assert without_paths(text) == text


def test_what_somebody_typed_may_be_said_back_to_them_but_for_the_services_own_folders() -> None:
    text = "there is no fabric '/etc/passwd' in /etc/ibcc; /srv/the state/ibcc/x"
    assert (
        redacted(text, None, typed="fabric: /etc/passwd, /srv/the state/ibcc/x")
        == "there is no fabric '/etc/passwd' in …/ibcc; …/x"
    )


def test_a_folder_of_the_service_is_not_found_in_the_middle_of_other_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_own", {"/ibcc"})
    same = "/home/x/ibcc/a.db, /home/ibcc, ./ibcc/b, ibcc/c, /ibcc-2/d"
    assert redacted(f"//ibcc/e, '/ibcc', x:/ibcc/f; {same}", Role.ADMIN) == f"…/e, '…', x:…/f; {same}"


def test_a_full_stop_behind_it_is_no_part_of_it() -> None:
    assert redacted("There is nothing at /api/docs.", None, typed="http://cc/api/docs?x=1") == "There is nothing at /api/docs."
    assert redacted("There is nothing at /api/docs.", None) == "There is nothing at …/docs."


def test_documents_keep_their_shape() -> None:
    document = {"problem": "no /etc/x", "n": 1, "list": ["/run/y", None, {"path": "/var/z"}]}
    assert without_paths_in(document) == {"problem": "no …/x", "n": 1, "list": ["…/y", None, {"path": "…/z"}]}
