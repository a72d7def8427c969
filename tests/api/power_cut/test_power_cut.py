# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the service has answered outlives a power cut: the folder is opened as the disk had it at that moment."""

import itertools
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.base.times import now, rfc3339
from tests.api.campaign_service import act, created, seen
from tests.api.power_cut.disk import ForgetfulDisk
from tuner.campaign.stored import stored_campaigns

pytestmark = pytest.mark.long

PASSWORD = "correct horse battery"


@pytest.fixture
def disk(tmp_path: Path) -> ForgetfulDisk:
    return ForgetfulDisk(tmp_path)


@contextmanager
def serving(folder: Path, log: Path, *before: str, **variables: str) -> Iterator[tuple[httpx2.Client, str]]:
    """A client of `ibcc serve` with that state folder, and the line that it printed. `before`: words before its command."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("IBCC_")} | variables
    command = [*before, sys.executable, "-m", "tuner.cli.main", "serve", "--port", "0", "--state-folder", str(folder)]
    with log.open("a") as told:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=told, text=True)
        try:
            assert process.stdout is not None
            line = process.stdout.readline().strip()
            assert line, log.read_text()
            with httpx2.Client(base_url=line.partition("/setup")[0], timeout=None) as client:
                yield client, line
        finally:
            process.kill()
            process.communicate()


def made_admin(client: httpx2.Client, line: str) -> None:
    """The first admin, who is logged in then."""
    matched = re.search(r"#token=([\w-]{43})", line)
    assert matched, line
    answer = client.post("/api/v1/setup", json={"token": matched[1], "username": "anna", "password": PASSWORD})
    assert answer.status_code == 201, answer.text
    client.headers["X-CSRF-Token"] = answer.json()["csrf_token"]


def stored(database: Path) -> dict[str, set[str]]:
    """The rows of each table that people write to, as text, without the time at which a token or session was last used."""
    with closing(sqlite3.connect(database)) as connection:
        connection.row_factory = sqlite3.Row
        names = [row["name"] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: {
                json.dumps({key: str(row[key]) for key in row.keys() if key != "used_at"})  # noqa: SIM118  (a row has no keys)
                for row in connection.execute(f"SELECT * FROM {name}")
                if (name, row[0]) != TOLD
            }
            for name in names
            if name not in PROGRESS
        }


PROGRESS = {"fabric_watches", "sqlite_sequence"}
"""Tables of what is seen again."""
TOLD = ("notes", "notify.told")
"""How far the thread of notifiers has come: it writes beside the requests, and tells what it has lost once more."""


def body(answer: httpx2.Response) -> Any:
    assert answer.is_success, answer.text
    return answer.json() if answer.content else None


def token_named(name: str) -> dict[str, str]:
    return {"name": name, "role": "viewer", "expires_at": rfc3339(now() + timedelta(hours=1))}


@pytest.mark.timing("threads of the service write beside the requests, while the disk is cut")
@pytest.mark.thorough
def test_nothing_that_was_answered_is_missing_after_a_power_cut(disk: ForgetfulDisk, tmp_path: Path) -> None:
    numbers = itertools.count()
    state = disk.root / "new" / "state"  # folders that are made have to be found again too

    def require_kept() -> Path:
        live = stored(state / "ibcc.db")
        left = tmp_path / f"left{next(numbers)}"
        disk.cut(left)
        kept = stored(left / "new" / "state" / "ibcc.db")
        assert {name: rows - kept[name] for name, rows in live.items() if rows - kept[name]} == {}
        return left / "new" / "state"

    with serving(state, tmp_path / "log", **disk.environment()) as (client, line):
        made_admin(client, line)
        require_kept()
        token = body(client.post("/api/v1/tokens", json=token_named("nightly")))
        require_kept()
        bert = body(client.post("/api/v1/users", json={"username": "bert", "role": "operator", "password": PASSWORD}))
        require_kept()
        change = {"disabled": True}
        body(client.patch(f"/api/v1/users/{bert['id']}", json=change, headers={"If-Match": "*"}))
        require_kept()
        body(client.delete(f"/api/v1/tokens/{token['id']}"))
        require_kept()
        profile = {"name": "mild", "document": "ibcc_profile: 1\nname: mild\nenable: false\n"}
        body(client.post("/api/v1/profiles", json=profile))
        require_kept()
        campaign = created(client, settings={"budget.trials": 40})
        require_kept()
        assert act(client, campaign, "start").status_code == 202
        require_kept()
        for _ in range(3000):
            if seen(client, campaign)["trials_done"] >= 3:
                break
            threading.Event().wait(0.02)
        token = body(client.post("/api/v1/tokens", json=token_named("beside a campaign")))
        left = tmp_path / "left"
        disk.cut(left)
    folder = left / "new" / "state"
    assert any("beside a campaign" in row for row in stored(folder / "ibcc.db")["tokens"])
    rows = len(stored(folder / "ibcc.db")["trials"])
    (kept,) = stored_campaigns(folder / "campaigns" / campaign["id"] / "trials.sqlite3")
    assert 3 <= rows <= len(kept.records), "a row says that the campaign's store has the trial"
    with serving(folder, tmp_path / "log") as (client, line):
        assert "setup" not in line
        client.headers["Authorization"] = f"Bearer {token['secret']}"
        names = [one["username"] for one in body(client.get("/api/v1/tokens"))["items"]]
        assert names
        assert seen(client, campaign)["trials_done"] >= 3


@pytest.fixture
def strace() -> str:
    """Skipped where it is not installed, failed there under continuous integration."""
    program = shutil.which("strace")
    if program is None:
        reason = "no strace: Debian's package strace has it"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return program


@pytest.mark.thorough
def test_each_answer_to_a_write_comes_after_an_fsync(strace: str, tmp_path: Path) -> None:
    """As the kernel sees it: between two answers there is at least one call that waits for the disk."""
    trace = tmp_path / "trace"
    calls = "trace=fsync,fdatasync,sendto,sendmsg,write"
    # -D: the service is the process that is ended, and strace ends with it.
    before = (strace, "-D", "-f", "-y", "-s", "12", "-e", calls, "-o", str(trace))
    with serving(tmp_path / "state", tmp_path / "log", *before) as (client, line):
        made_admin(client, line)
        for number in range(20):
            assert client.post("/api/v1/tokens", json=token_named(f"n{number}")).status_code == 201
    synced, answers = 0, []
    for call in trace.read_text().splitlines():
        if "HTTP/1.1 201" in call:
            answers.append(synced)
            synced = 0
        elif "sync(" in call and "ibcc.db-wal" in call:
            synced += 1
    assert len(answers) == 21
    assert min(answers) >= 1, answers
