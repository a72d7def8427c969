# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which workers take which jobs."""

import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from api.base.identifiers import this_host
from api.database.models.fabric import Fabric, FabricRecord
from api.jobs.placement import Place, may_take
from tests.api.jobs.conftest import Jobs
from tests.api.service import Service


@pytest.mark.parametrize(
    ("kind", "runtime", "takers"),
    [
        ("simulated", {}, {"any", "both"}),
        ("emulated", {"host": "other/1/1"}, {"server", "both"}),
        ("emulated", {"host": this_host(), "plugin_socket": "gone"}, {"server", "both"}),
        ("emulated", {"host": this_host(), "plugin_socket": "sock"}, {"any", "server", "both"}),
        ("emulated", {"problem": "it is starting"}, {"server", "both"}),
    ],
)
def test_a_fabric_that_is_bound_to_a_machine(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, runtime: Mapping[str, Any], takers: set[Place]
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener, service.database.writing() as session:
        listener.bind("sock")
        options = {"fabric": "two-switch"}
        fabric = Fabric(name="f", kind=kind, description="", options=options, second_person=False, created_by="test")
        fabric.record = FabricRecord(fabric="f", memory={}, runtime=dict(runtime))
        session.add(fabric)
        session.flush()
        assert {place for place in ("any", "server", "both") if may_take(session, place, "campaign", "f")} == takers


def test_a_plugins_fabric_is_where_its_socket_is(service: Service, tmp_path: Path) -> None:
    with service.database.writing() as session:
        options = {"socket": str(tmp_path / "opensm.sock")}
        fabric = Fabric(name="f", kind="plugin", description="", options=options, second_person=False, created_by="test")
        fabric.record = FabricRecord(fabric="f", memory={}, runtime={})
        session.add(fabric)
        session.flush()
        assert not may_take(session, "any", "apply", "f")
        assert may_take(session, "server", "apply", "f"), "it says that the socket is not there"
        (tmp_path / "opensm.sock").touch()
        assert may_take(session, "any", "apply", "f")


def test_jobs_of_no_fabric_and_of_no_known_kind(service: Service) -> None:
    with service.database.reading() as session:
        assert may_take(session, "any", "campaign", None)
        assert not may_take(session, "server", "campaign", None)
        assert not may_take(session, "both", "of a later version", None)


def test_a_job_that_waits_for_another_machine_holds_up_nobody(jobs: Jobs) -> None:
    first, second = jobs.enqueue("server", file=str(jobs.folder / "s")), jobs.enqueue("steps")
    jobs.worker(place="any")
    assert jobs.ended(second).state == "done"
    assert jobs.get(first).state == "queued"
