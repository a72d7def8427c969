# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL …` asks a service; nothing that the service alone needs is imported for that."""

from importlib import metadata

import pytest

from tests.api.service import Service
from tests.imported import heavy, imported
from tuner.cli.main import SERVER_GROUP
from tuner.errors import UnreachableError

pytestmark = pytest.mark.long

NEEDED = {
    "hosts": {"ClusterShell", "pydantic"},
    "profile": {"ccsim", "pydantic"},
}
"""Heavy packages that a command may import: hosts writes sets of nodes, profile reads profiles, and both
check the service's answers with pydantic."""


@pytest.mark.parametrize("name", sorted(metadata.entry_points(group=SERVER_GROUP).names))
def test_help_imports_little(name: str) -> None:
    assert heavy(imported("--server", "http://here", name, "--help")) <= NEEDED.get(name, {"pydantic"})


@pytest.mark.parametrize(
    "words",
    [
        "fabric list",
        "hosts list",
        "profile list",
        *(pytest.param(words, marks=pytest.mark.thorough) for words in ("campaign list", "fabric state two-switch", "job list")),
    ],
)
def test_a_request_imports_no_more(words: str, served_service: tuple[Service, str]) -> None:
    service, url = served_service
    token = service.as_role("viewer").headers["Authorization"].removeprefix("Bearer ")
    name = words.split()[0]
    modules = imported("--server", url, *words.split(), variables={"IBCC_TOKEN": token})
    assert heavy(modules) <= NEEDED.get(name, {"pydantic"})


def test_a_campaign_is_checked_without_what_runs_it() -> None:
    unreachable = "http://127.0.0.1:1"
    modules = imported("--server", unreachable, "tune", "scenario-1", code=UnreachableError.exit_code)
    assert heavy(modules) <= {"ccsim", "pydantic"}
