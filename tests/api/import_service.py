# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What tests of imports do with a service."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from fastapi.testclient import TestClient

from tests.api.fabric_service import run_jobs
from tests.api.service import Service
from tuner.errors import IbccError
from tuner.fabric import reading, reading_process
from tuner.fabric.reading import OnStep, Order, Reading, UnreadableError

IMPORTS = "/api/v1/fabric-imports"
FILE = {"Content-Type": "application/octet-stream"}

PAIR = """\
Switch\t4 "S-0000000000000010"\t# "leaf" base port 0 lid 1 lmc 0
[1]\t"H-0000000000000020"[1](21)\t# "a" lid 2 4xNDR
[2]\t"H-0000000000000030"[1](31)\t# "b" lid 3 4xNDR

Ca\t1 "H-0000000000000020"\t# "a"
[1](21)\t"S-0000000000000010"[1]\t# lid 2 lmc 0 "leaf" lid 1 4xNDR

Ca\t1 "H-0000000000000030"\t# "b"
[1](31)\t"S-0000000000000010"[2]\t# lid 3 lmc 0 "leaf" lid 1 4xNDR
"""
"""A switch with two hosts, as ibnetdiscover prints it."""


def read_here(order: Order, *, on_step: OnStep, should_stop: Callable[[], bool]) -> Reading:
    """As `tuner.fabric.reading.read`, but in this process, which has imported it already: to start another one takes most of the
    time that a small fabric takes."""
    with tempfile.TemporaryDirectory() as place, mock.patch.object(reading_process, "_tell"):
        folder = Path(place)
        reading._write(order, folder)
        try:
            reading_process._read(folder, json.loads((folder / "order.json").read_text()))
        except IbccError as error:
            raise UnreadableError(str(error)) from error
        return Reading((folder / "document.yaml").read_text(), json.loads((folder / "preview.json").read_text()))


def sent(client: TestClient, content: str | bytes = PAIR, **params: Any) -> dict[str, Any]:
    """An import that was sent and waits for its job."""
    answer = client.post(IMPORTS, content=content, params={"file_name": "pair.txt"} | params, headers=FILE)
    assert answer.status_code == 202, answer.text
    found: dict[str, Any] = answer.json()
    return found


def read(service: Service, client: TestClient, one: dict[str, Any]) -> dict[str, Any]:
    """The import when its job has ended."""
    run_jobs(service, client, one["job"])
    found: dict[str, Any] = client.get(f"{IMPORTS}/{one['id']}").json()
    return found


def imported(service: Service, client: TestClient, content: str | bytes = PAIR, **params: Any) -> dict[str, Any]:
    """An import that was read."""
    return read(service, client, sent(client, content, **params))


def kept(client: TestClient, one: dict[str, Any], name: str | None = None, **more: Any) -> Any:
    """The answer to keeping an import, as a new fabric of that name or as the next version of its fabric."""
    return client.post(f"{IMPORTS}/{one['id']}/keep", json={} if name is None else {"fabric": {"name": name, **more}})
