# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A disk that is full: it is named, reading goes on, and so does all else once there is space again."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import event, update

from api.base.times import now
from api.database.models.login_session import LoginSession
from api.database.models.token import Token
from api.metrics import readiness
from tests.api.power_cut.test_power_cut import PASSWORD, made_admin, token_named
from tests.api.service import Service

FULL = "The disk of the state folder is full, so that nothing can be stored; free some space."


@contextmanager
def serving_on_small_disk(folder: Path) -> Iterator[tuple[httpx2.Client, str, Path]]:
    """`ibcc serve` with its state on a file system of 8 MiB, which only it sees: a client, the line that it printed, and the
    folder as others find it."""
    disk = folder / "disk"
    disk.mkdir()
    serve = f"exec {sys.executable} -m tuner.cli.main serve --port 0 --workers 0 --state-folder {disk}/state"
    mounts = f"mount -t tmpfs -o size=8m none {disk}"
    if subprocess.run(["unshare", "-rm", "sh", "-c", mounts], capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system can be mounted here: unshare -rm is refused")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("IBCC_")}
    with (folder / "log").open("w") as log:
        command = ["unshare", "-rm", "sh", "-c", f"{mounts} && {serve}"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert process.stdout is not None
            line = process.stdout.readline().strip()
            assert line, (folder / "log").read_text()
            with httpx2.Client(base_url=line.partition("/setup")[0], timeout=None) as client:
                yield client, line, Path(f"/proc/{process.pid}/root{disk}")
        finally:
            process.kill()
            process.communicate()


def fill(file: Path) -> None:
    with file.open("wb", buffering=0) as filler:
        for size in (65536, 1):
            with contextlib.suppress(OSError):
                while filler.write(bytes(size)):
                    pass


@pytest.mark.long
def test_a_full_disk_is_named_and_reading_goes_on(tmp_path: Path) -> None:
    with serving_on_small_disk(tmp_path) as (client, line, disk):
        made_admin(client, line)
        filler = disk / "filler"
        fill(filler)
        for number in range(200):  # the log of SQLite may have room left
            answer = client.post("/api/v1/tokens", json=token_named(f"n{number}"))
            if answer.status_code != 201:
                break
        assert (answer.status_code, answer.json()["detail"]) == (
            503,
            "The disk of the database is full, so that nothing can be stored; free some space, then retry.",
        )
        ready = client.get("/ready")
        assert (ready.status_code, ready.json()["detail"]) == (503, FULL)
        assert "state/" not in ready.text
        address = str(client.base_url).rstrip("/")
        log_in = httpx2.post(f"{address}/api/v1/session", json={"username": "anna", "password": PASSWORD}, timeout=None)
        assert (log_in.status_code, "disk of the database is full" in log_in.text) == (503, True)
        assert client.get("/api/v1/tokens?limit=200").status_code == 200
        filler.unlink()
        assert client.post("/api/v1/tokens", json=token_named("after")).status_code == 201
        names = {one["name"] for one in client.get("/api/v1/tokens?limit=200").json()["items"]}
        assert {f"n{one}" for one in range(number)} | {"after"} <= names, "what was answered is there"


def test_reading_does_not_fail_because_the_last_use_cannot_be_stored(service: Service) -> None:
    with_token, in_browser = service.as_role("viewer"), service.in_browser("viewer")
    long_ago = now() - timedelta(hours=1)
    with service.database.writing() as session:
        session.execute(update(Token).values(used_at=long_ago))
        session.execute(update(LoginSession).values(used_at=long_ago))
    event.listen(service.database.engine, "begin", lambda connection: connection.exec_driver_sql("PRAGMA query_only = ON"))
    for client in (with_token, in_browser):
        assert client.get("/api/v1/fabrics").status_code == 200
    refused = with_token.post("/api/v1/tokens", json=token_named("x"))
    assert (refused.status_code, "read-only" in refused.json()["detail"]) == (503, True)


def test_little_space_is_a_remark(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "_LOW_BYTES", 2**62)
    with service.running():
        answer = service.anonymous().get("/ready")
    assert answer.status_code == 200
    (remark,) = answer.json()["remarks"]
    assert remark.startswith("The disk of the state folder has ")
    assert remark.endswith(" MiB left; free some space before it is full.")
