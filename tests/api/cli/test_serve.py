# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc serve` as a process: its first start, `kill -9` in the middle of a job and a restart, and how it ends."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.access.principal import system
from api.base import logs
from api.database.engine import Database
from api.queue.table import enqueue
from tests.api.jobs.kinds import registered
from tuner.cli.main import run

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[3]
PASSWORD = "correct horse battery"


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and the line that it printed."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("IBCC_")}
    environment |= {"IBCC_STATE_FOLDER": str(folder / "state"), "PYTHONPATH": str(ROOT), "IBCC_LEASE_S": "3600"}
    command = [sys.executable, "-m", "tests.api.cli.serve_program", "--port", "0", *arguments]
    with (folder / "log").open("a") as log:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert process.stdout is not None
            line = process.stdout.readline().strip()
            assert line, (folder / "log").read_text()
            yield process, line
        finally:
            process.kill()
            process.communicate()


def job_of(url: str, job_id: str, headers: dict[str, str], *, text: str) -> Any:
    """The job, as soon as it tells that text, or has ended."""
    with httpx2.Client(base_url=url, headers=headers) as client:
        for _ in range(3000):
            job = client.get(f"/api/v1/jobs/{job_id}").json()
            if job["progress"]["text"] == text or job["ended_at"]:
                return job
            threading.Event().wait(0.02)
    raise AssertionError(job)


@pytest.mark.thorough
def test_first_start_kill_and_restart(tmp_path: Path) -> None:
    with serving(tmp_path) as (process, line):
        matched = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/setup#token=([\w-]{43})", line)
        assert matched, line
        url, secret = matched.groups()
        require_loopback_only(process, url)
        body = {"token": secret, "username": "anna", "password": PASSWORD}
        answer = httpx2.post(f"{url}/api/v1/setup", json=body, timeout=None)
        assert answer.status_code == 201, answer.text
        cookies = {"Cookie": answer.headers["set-cookie"].partition(";")[0]}
        database = Database(f"sqlite:///{tmp_path / 'state' / 'ibcc.db'}")
        with registered(), database.writing() as session:
            arguments = {"file": str(tmp_path / "lines"), "steps": 4, "pause_at": 2}
            job_id = enqueue(session, system("test"), "test-steps", arguments).id
        database.close()
        assert job_of(url, job_id, cookies, text="waiting")["state"] == "running"
        process.kill()
        process.wait()
    with serving(tmp_path) as (process, line):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", line), "there is an admin, and no link"
        assert httpx2.get(f"{line}/api/v1/session", headers=cookies, timeout=None).json()["user"]["username"] == "anna"
        job = job_of(line, job_id, cookies, text="")
        assert (job["state"], job["result"]) == ("done", {"steps": 4, "attempt": 2})
        assert (tmp_path / "lines").read_text() == "0\n1\n2\n3\n"
        with httpx2.stream("GET", f"{line}/api/v1/events?topics=jobs", headers=cookies) as stream:
            next(stream.iter_lines())
            process.send_signal(signal.SIGTERM)  # does not wait for the stream
            assert process.wait(30) == 0
    log = (tmp_path / "log").read_text()
    assert "Traceback" not in log
    assert secret not in log
    assert PASSWORD not in log


@pytest.mark.thorough
def test_logins_at_once_cost_little_memory(tmp_path: Path) -> None:
    """Of strangers, with the hashes that users get: without places for them, 48 took 2.3 GiB."""
    with serving(tmp_path) as (process, line):
        url = line.partition("/setup")[0]
        assert httpx2.get(f"{url}/api/v1/setup", timeout=None).status_code == 200
        before_kib = memory_kib(process.pid, "VmRSS")
        Path(f"/proc/{process.pid}/clear_refs").write_text("5")  # the peak from now on

        def log_in(number: int) -> int:
            body = {"username": f"nobody{number}", "password": "wrong password"}
            return client.post("/api/v1/session", json=body).status_code

        limits = httpx2.Limits(max_connections=48)
        with httpx2.Client(base_url=url, timeout=None, limits=limits) as client, ThreadPoolExecutor(48) as threads:
            statuses = set(threads.map(log_in, range(48)))
        assert statuses <= {401, 503}
        assert 401 in statuses
        assert memory_kib(process.pid, "VmHWM") - before_kib <= 200 * 1024


def memory_kib(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def require_loopback_only(process: subprocess.Popen[str], url: str) -> None:
    """Asserts that the only socket which listens on the URL's port is bound to 127.0.0.1."""
    port = int(url.rpartition(":")[2])
    listening = {
        (entry.split()[1], int(entry.split()[1].rpartition(":")[2], 16))
        for table in ("tcp", "tcp6")
        for entry in Path(f"/proc/{process.pid}/net/{table}").read_text().splitlines()[1:]
        if entry.split()[3] == "0A"
    }
    assert [address for address, one in listening if one == port] == [f"0100007F:{port:04X}"]


def test_a_port_that_is_taken_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In this process: it ends before it serves anything."""
    monkeypatch.setattr(logs, "configure", lambda *_: None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run(["serve", "--port", str(port), "--state-folder", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert f"cannot listen on 127.0.0.1 port {port}: Address already in use" in err
    assert out == ""


@pytest.mark.parametrize("damaged", [b"this is no database" * 1000, b"SQLite format 3\0" + b"\xff" * 8000])
def test_a_damaged_database_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], damaged: bytes
) -> None:
    monkeypatch.setattr(logs, "configure", lambda *_: None)
    (tmp_path / "ibcc.db").write_bytes(damaged)
    assert run(["serve", "--port", "0", "--state-folder", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert "the database is damaged" in err
    assert "restore a backup" in err
    assert ("Traceback" in err, out) == (False, "")


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    files = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    return files


def test_https(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    import ssl

    with serving(tmp_path, "--tls-certificate", str(certificate[0]), "--tls-key", str(certificate[1])) as (_, line):
        assert line.startswith("https://127.0.0.1:")
        context = ssl.create_default_context(cafile=str(certificate[0]))
        url = line.partition("/setup")[0]
        answer = httpx2.get(f"{url}/health", verify=context, timeout=None)
        assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
