# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a stranger, or somebody with few rights, takes from all others, each beside its limit. `make bench-limits`.

The service runs in a process of its own on loopback, and who attacks it in another one. One client does meanwhile what people do,
first alone and then beside the attack: a ratio and a difference are of one run.
"""

import argparse
import asyncio
import contextlib
import multiprocessing
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2

from api.access.passwords import hash_password
from api.access.roles import Role
from api.access.tokens import new_token
from api.base.times import now, rfc3339
from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.user import User
from api.database.upgrade import upgrade
from api.services.fabrics import DEFAULT_FABRIC
from benchmarks.bench_service import fill, percentile, serving
from benchmarks.service_people import cpu_s, memory_mib

_API = "/api/v1"
_VIEWER = "viewer"
_PAUSE_S = 0.02
_AT_ONCE = 48
_READS = (f"{_API}/campaigns", f"{_API}/fabrics/{DEFAULT_FABRIC}/state", f"{_API}/version")

Attack = Callable[[str, float, str], Coroutine[Any, Any, Counter[int]]]
"""Attacks an address for some seconds, with a password where it needs one; returns how often which status was the answer."""


async def logins(address: str, duration_s: float, password: str) -> Counter[int]:
    """Unknown names, 48 at once from one address; the next address when all are answered, as failures are counted by address."""
    found: Counter[int] = Counter()
    end = time.monotonic() + duration_s
    for number in range(1, 250):
        transport = httpx2.AsyncHTTPTransport(local_address=f"127.0.{number}.1", limits=httpx2.Limits(max_connections=None))
        async with httpx2.AsyncClient(base_url=address, transport=transport, timeout=None) as client:
            bodies = [{"username": f"nobody{number}x{i}", "password": password} for i in range(_AT_ONCE)]
            answers = await asyncio.gather(*(client.post(f"{_API}/session", json=body) for body in bodies))
            found.update(answer.status_code for answer in answers)
        if time.monotonic() > end:
            break
    return found


async def guesses(address: str, duration_s: float, password: str) -> Counter[int]:
    """A viewer changes the password in a loop, over six connections, and gives a wrong present one."""
    found: Counter[int] = Counter()
    end = time.monotonic() + duration_s
    async with httpx2.AsyncClient(base_url=address, timeout=None) as client:
        session = await client.post(f"{_API}/session", json={"username": _VIEWER, "password": password})
        client.headers["X-CSRF-Token"] = session.raise_for_status().json()["csrf_token"]

        async def loop() -> None:
            while time.monotonic() < end:
                answer = await client.post(f"{_API}/users/me/password", json={"current": "a guess at it", "new": "another one"})
                found[answer.status_code] += 1

        await asyncio.gather(*(loop() for _ in range(6)))
    return found


async def bodies(address: str, duration_s: float, password: str) -> Counter[int]:
    """8 MB of JSON to a route that asks for an operator, without credentials, 25 at once; then a second's pause."""
    found: Counter[int] = Counter()
    content = b'{"name": "' + b"x" * 8_000_000 + b'"}'
    end = time.monotonic() + duration_s
    headers = {"Content-Type": "application/json"}
    async with httpx2.AsyncClient(base_url=address, timeout=None) as client:

        async def send() -> None:
            try:
                found[(await client.post(f"{_API}/campaigns", content=content, headers=headers)).status_code] += 1
            except httpx2.TransportError:
                found[0] += 1  # cut off while it sent

        while time.monotonic() < end:
            await asyncio.gather(*(send() for _ in range(25)))
            await asyncio.sleep(1)
    return found


def _attack(attack: Attack, address: str, duration_s: float, password: str, told: Any) -> None:
    told.put(asyncio.run(attack(address, duration_s, password)))


class Other:
    """One client that reads, or writes, while others attack."""

    def __init__(self, address: str, secret: str) -> None:
        self._client = httpx2.Client(base_url=address, timeout=None, headers={"Authorization": f"Bearer {secret}"})

    def close(self) -> None:
        self._client.close()

    def read(self, number: int) -> httpx2.Response:
        return self._client.get(_READS[number % len(_READS)])

    def write(self, number: int) -> httpx2.Response:
        expires = rfc3339(now() + timedelta(hours=1))
        return self._client.post(f"{_API}/tokens", json={"name": f"n{number}", "role": "viewer", "expires_at": expires})

    def call(self, method: str, path: str, **more: Any) -> httpx2.Response:
        return self._client.request(method, f"{_API}{path}", **more)

    def times_ms(self, call: Callable[[int], httpx2.Response], while_true: Callable[[], bool]) -> list[float]:
        times_ms: list[float] = []
        while while_true():
            began = time.perf_counter()
            call(len(times_ms)).raise_for_status()
            times_ms.append(1e3 * (time.perf_counter() - began))
            time.sleep(_PAUSE_S)
        return times_ms


class Bench:
    def __init__(self, address: str, process: int, other: Other, password: str, duration_s: float, campaign: str) -> None:
        self.address, self.process, self.other = address, process, other
        self.password, self.duration_s, self.campaign = password, duration_s, campaign

    def beside(self, attack: Attack, call: Callable[[int], httpx2.Response]) -> tuple[list[float], list[float]]:
        """Returns the times of the other's calls alone and beside an attack, in ms."""
        end = time.monotonic() + self.duration_s
        alone = self.other.times_ms(call, lambda: time.monotonic() < end)
        context = multiprocessing.get_context("spawn")
        told = context.Queue()
        attacker = context.Process(target=_attack, args=(attack, self.address, self.duration_s, self.password, told))
        attacker.start()
        time.sleep(1)  # it imports what it needs
        during = self.other.times_ms(call, attacker.is_alive)
        attacker.join()
        if attacker.exitcode:
            sys.exit(f"{attack.__name__}: the process that attacks ended with {attacker.exitcode}")
        print(f"{attack.__name__}: {dict(told.get())}", flush=True)
        return alone, during

    def logins(self) -> None:
        with _highest_mib(self.process) as memory:
            alone, during = self.beside(logins, self.other.read)
        said(f"F1 memory that {_AT_ONCE} logins at once add", memory["added"], 200, "MiB")
        said("F1 reads beside them, 95 %, as a multiple of alone", _ratio(alone, during, 0.95), 3, "times")

    def guesses(self) -> None:
        alone, during = self.beside(guesses, self.other.write)
        said("F2 what a viewer's loop adds to a write, mean", statistics.mean(during) - statistics.mean(alone), 100, "ms")

    def bodies(self) -> None:
        with _highest_mib(self.process) as memory:
            alone, during = self.beside(bodies, self.other.read)
        said("F7 reads beside 8 MB of a stranger, median, as a multiple of alone", _ratio(alone, during, 0.5), 1.5, "times")
        said("F7 the same, 95 %", _ratio(alone, during, 0.95), 3, "times")
        said("F7 memory that they add", memory["added"], 50, "MiB")

    def half_requests(self) -> None:
        """A body ends after the two looks at it that a client's last byte may have come between."""
        heads = [self._half(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half") for _ in range(50)]
        body = f"POST {_API}/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nhalf".encode()
        halves = [self._half(body) for _ in range(10)]
        settings = Settings()
        time.sleep(settings.request_head_s + 5)
        said(f"F8 of 50 half heads open {settings.request_head_s + 5:g} s later", sum(map(_is_open, heads)), 0, "")
        time.sleep(max(0.0, 2 * settings.transfer_s - settings.request_head_s))
        said(f"F8 of 10 half bodies open {2 * settings.transfer_s + 5:g} s later", sum(map(_is_open, halves)), 0, "")
        for one in (*heads, *halves):
            one.close()

    def _half(self, sent: bytes) -> socket.socket:
        url = httpx2.URL(self.address)
        client = socket.create_connection((url.host, url.port or 80), 60)
        client.sendall(sent)
        return client

    def documents(self) -> None:
        flows = "".join(f"- {{nmae: f{number}}}\n" for number in range(55_000))
        body = {"document": f"ibcc_workload: 1\nname: x\nfabric: two-switch\nduration_s: 1\nflows:\n{flows}"}
        before_s = cpu_s(self.process)
        answer = self.other.call("POST", "/workloads/validate", json=body)
        took_s = cpu_s(self.process) - before_s
        found = answer.raise_for_status().json()
        size = len(body["document"]) / 2**20
        said(f"F11 a document of {size:.2f} MiB whose every flow is wrong ({len(found['problems'])} told), CPU", took_s, 2, "s")

    def tables(self) -> None:
        """CPU of the service, so that the client's part is left out."""
        taken: dict[str, float] = {}
        for query in ("limit=100", "format=csv"):
            before_s = cpu_s(self.process)
            for _ in range(60):
                self.other.call("GET", f"/campaigns/{self.campaign}/trials?{query}").raise_for_status()
            taken[query] = cpu_s(self.process) - before_s
        ratio = taken["format=csv"] / max(taken["limit=100"], 0.01)
        said("F12 all 500 trials as CSV, as a multiple of a page of 100 as JSON, CPU", ratio, 5, "times")


def said(what: str, found: float, limit: float, unit: str) -> None:
    print(f"{what:80} {found:8.2f} {unit:6} at most {limit:g}{'' if found <= limit else ': BEYOND'}", flush=True)


def _ratio(alone: list[float], during: list[float], share: float) -> float:
    print(
        f"  {percentile(alone, share):.1f} ms alone ({len(alone)}), {percentile(during, share):.1f} ms beside it ({len(during)})"
    )
    return percentile(during, share) / percentile(alone, share)


def _is_open(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        while client.recv(2**16):
            pass
    except BlockingIOError:
        return True
    except ConnectionError:
        pass
    return False


@contextmanager
def _highest_mib(process: int) -> Iterator[Mapping[str, float]]:
    """What a process's memory rises by meanwhile, at most."""
    found = {"added": 0.0}
    before, ended = memory_mib(process), threading.Event()

    def look() -> None:
        while not ended.wait(0.005):
            with contextlib.suppress(OSError, ValueError):
                found["added"] = max(found["added"], memory_mib(process) - before)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join()


MEASURES = ("logins", "guesses", "bodies", "documents", "tables", "half_requests")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="of each measure, alone and beside the attack")
    parser.add_argument("--only", nargs="+", choices=MEASURES, default=MEASURES, help="measures to take")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-") as folder:
        settings = Settings(state_folder=Path(folder))
        database = Database(settings.database)
        upgrade(database.engine)
        password = new_token()
        secret, ids = fill(database, 50, 500, password)
        with database.writing() as session:
            session.add(User(username=_VIEWER, role=Role.VIEWER, password_hash=hash_password(password)))
        with serving(settings) as (address, process):
            other = Other(address, secret)
            for _ in range(2):
                for number in range(len(_READS)):
                    other.read(number).raise_for_status()  # what is read for the first time takes longer
            bench = Bench(address, process, other, password, options.seconds, ids[0])
            for name in options.only:
                getattr(bench, name)()
            other.close()
        database.close()


if __name__ == "__main__":
    main()
