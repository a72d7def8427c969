# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How fast the service answers with many campaigns in its database, and how many event streams it feeds. `make bench-service`.

A database of its own is filled with campaigns and trials as they are after a search, the service runs in a process of its own on
loopback, and each call is made one after the other by one client. The 95th percentile is of a call's whole time, at the client.
At the end a browser opens the pages, with nothing in its cache.
"""

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
from sqlalchemy import insert

from api.access.passwords import hash_password
from api.access.principal import system
from api.access.roles import Role
from api.access.tokens import new_token
from api.base.identifiers import digest, new_id
from api.base.times import now
from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.campaign import StoredCampaign, Trial
from api.database.models.token import Token
from api.database.models.user import User
from api.database.upgrade import upgrade
from api.services.campaigns.asked import CampaignRequest
from api.services.campaigns.creation import create_campaign
from api.services.fabric_access import publish_change
from api.services.fabrics import DEFAULT_FABRIC, ensure_default, get_fabric
from benchmarks.first_paint import measure_paint
from benchmarks.service_people import crowd, pages_of_campaigns
from tests.postgresql import binaries, running

PAGES = [
    ("page: overview", "/"),
    ("page: fabric", f"/fabrics/{DEFAULT_FABRIC}"),
    ("page: list of campaigns", "/campaigns"),
    ("page: a campaign", "/campaigns/{id}"),
    ("page: profiles", "/profiles"),
    ("page: events", "/events"),
]

_SERVE = "from api.cli.serve import app; app()"


def fill(database: Database, campaigns: int, trials: int, password: str) -> tuple[str, list[str]]:
    """A token's secret, and the campaigns' ids. They are of the user `bench`, who has that password."""
    chance = random.Random(1)
    secret = new_token()
    with database.writing() as session:
        ensure_default(session, system("benchmark"))
        user = User(username="bench", role=Role.ADMIN, password_hash=hash_password(password))
        session.add(user)
        session.flush()
        session.add(
            Token(name="bench", digest=digest(secret), role=Role.ADMIN, user_id=user.id, expires_at=now() + timedelta(hours=2))
        )
        request = CampaignRequest(
            name="bench 0",
            fabric=get_fabric(session, DEFAULT_FABRIC),
            template="scenario-1",
            settings={"budget.trials": trials},
        )
        first = create_campaign(session, system("benchmark"), request)
        same = {
            column.name: getattr(first, column.name)
            for column in StoredCampaign.__table__.columns
            if column.name not in ("id", "name")
        }
        same |= {"state": "finished", "trials_done": trials, "started_at": now(), "ended_at": now()}
        session.delete(first)
        rows = [same | {"id": new_id(), "name": f"bench {number}"} for number in range(campaigns)]
        session.execute(insert(StoredCampaign), rows)
    for row in rows:
        with database.writing() as session:
            session.execute(insert(Trial), list(trial_rows(chance, row["id"], trials)))
    return secret, [row["id"] for row in rows]


def trial_rows(chance: random.Random, campaign: str, count: int) -> Iterator[dict[str, Any]]:
    """Rows of the table of trials, as after a search."""
    volume = 0.0
    for number in range(count):
        victim, variation = chance.uniform(2, 13), chance.lognormvariate(-4, 1)
        volume = max(volume, victim / (1 + variation))
        feasible = chance.random() < 0.7
        yield {
            "campaign": campaign,
            "number": number,
            "origin": "sampler",
            "state": "complete",
            "feasible": feasible,
            "on_front": feasible and chance.random() < 0.02,
            "params": {
                "switch.marking_rate": chance.randrange(5),
                "ca.ccti_timer": chance.randrange(10, 400),
                "ca.ccti_increase": chance.randrange(1, 3),
                "cct.curve.full_scale_us": chance.uniform(7, 60),
                "cct.curve.exponent": chance.uniform(0.5, 3),
            },
            "outcomes": {"victim_throughput": victim, "treatment_variation": variation},
            "violations": {"contributor_total": chance.uniform(-0.1, 0.1), "spread": chance.uniform(-1, 1)},
            "metrics": {"victim_throughput_gbps": victim, "treatment_variation_gbps2": variation, "spread_gbps": 0.2},
            "hypervolume": volume,
            "duration_s": chance.uniform(1, 3),
            "reused": False,
            "reason": "",
            "ended_at": now(),
        }


@contextmanager
def serving(settings: Settings, program: str = _SERVE) -> Iterator[tuple[str, int]]:
    """The service's address and process. `program`: in Python, with its flags."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("IBCC_")}
    environment |= {
        "IBCC_LOG_LEVEL": "error",
        "IBCC_STATE_FOLDER": str(settings.state_folder),
        "IBCC_DATABASE_URL": settings.database,
    }
    command = [sys.executable, "-c", program, "--port", "0", "--workers", "0"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip().partition("/setup")[0]
        with httpx2.Client(base_url=address) as client:
            while True:
                try:
                    client.get("/health").raise_for_status()
                    break
                except httpx2.TransportError:
                    time.sleep(0.05)
        yield address, process.pid
    finally:
        process.terminate()
        process.wait()


def percentile(times_ms: list[float], share: float) -> float:
    ordered = sorted(times_ms)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def measure(name: str, calls: int, call: Callable[[int], httpx2.Response]) -> None:
    times_ms = []
    size = 0
    for number in range(calls):
        begin = time.perf_counter()
        answer = call(number)
        times_ms.append(1e3 * (time.perf_counter() - begin))
        answer.raise_for_status()
        size = max(size, len(answer.content))
    print(f"{name:34} {percentile(times_ms, 0.5):8.1f} {percentile(times_ms, 0.95):8.1f} ms {size / 1024:8.0f} KiB", flush=True)


async def streams(address: str, secret: str, database: Database, count: int, events: int) -> None:
    """Measures with `count` clients that listen to a fabric while `events` things happen to it; each must receive all of them."""
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    headers = {"Authorization": f"Bearer {secret}"}
    async with httpx2.AsyncClient(base_url=address, headers=headers, limits=limits, timeout=60) as client:
        ready, heard = asyncio.Semaphore(0), [0] * count
        delays_ms: list[float] = []
        sent: dict[str, float] = {}

        async def listen(number: int) -> None:
            async with client.stream("GET", "/api/v1/events", params={"topics": f"fabric:{DEFAULT_FABRIC}"}) as answer:
                answer.raise_for_status()
                first = True
                async for line in answer.aiter_lines():
                    if first:
                        ready.release()
                        first = False
                    if line.startswith("data:") and '"mark"' in line:
                        mark = line.partition('"mark"')[2].strip(': "}').split('"')[0]
                        delays_ms.append(1e3 * (time.perf_counter() - sent[mark]))
                        heard[number] += 1
                        if heard[number] == events:
                            return

        tasks = [asyncio.create_task(listen(number)) for number in range(count)]
        for _ in range(count):
            await ready.acquire()
        begin = time.perf_counter()
        for number in range(events):
            sent[str(number)] = time.perf_counter()
            await asyncio.to_thread(_publish, database, number)
            await asyncio.sleep(0.05)
        await asyncio.wait_for(asyncio.gather(*tasks), 60)
    elapsed_s = time.perf_counter() - begin
    print(
        f"{count} event streams: each heard all {events} events in {elapsed_s:.1f} s; "
        f"from the write to a client {percentile(delays_ms, 0.5):.0f} ms, 95 % within {percentile(delays_ms, 0.95):.0f} ms",
        flush=True,
    )


def _publish(database: Database, number: int) -> None:
    with database.writing() as session:
        publish_change(session, DEFAULT_FABRIC, "state", {"mark": str(number)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=200)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--events", type=int, default=20)
    parser.add_argument("--people", type=int, default=0, help="instead: so many people at once on the pages, for --minutes")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--paints", type=int, default=5, help="number of times that each page is opened in a browser; 0: none is")
    parser.add_argument(
        "--database",
        choices=["sqlite", "postgresql", "both"],
        default="sqlite",
        help="of its own: a file, or a server of Debian's",
    )
    parser.add_argument("--database-url", default="", help="instead: one that exists; it has to be empty")
    options = parser.parse_args()
    if options.database in ("sqlite", "both"):
        measure_all(options, options.database_url)
    if options.database in ("postgresql", "both"):
        programs = binaries()
        if programs is None:
            sys.exit("no PostgreSQL here: Debian's package postgresql has it")
        with running(programs) as server:
            measure_all(options, server.address("bench"))


def measure_all(options: argparse.Namespace, url: str) -> None:
    """`url`: of an empty database; empty: an SQLite file."""
    with tempfile.TemporaryDirectory(prefix="ibcc-bench-") as folder:
        settings = Settings(state_folder=Path(folder), database_url=url)
        database = Database(settings.database)
        upgrade(database.engine)
        password = new_token()
        secret, ids = fill(database, options.campaigns, options.trials, password)
        print(f"# {options.campaigns} campaigns of {options.trials} trials each, {database.engine.dialect.name}")
        print(f"{'call':34} {'median':>8} {'95 %':>8}")
        with serving(settings) as (address, process), httpx2.Client(base_url=f"{address}/api/v1", timeout=60) as client:
            client.headers["Authorization"] = f"Bearer {secret}"
            if options.people:
                one = crowd(
                    address,
                    {"Authorization": f"Bearer {secret}"},
                    pages_of_campaigns(ids, options.trials),
                    people=options.people,
                    minutes=options.minutes,
                    process=process,
                )
                asyncio.run(one)
                return
            calls(options, client, ids)
            asyncio.run(streams(address, secret, database, options.streams, options.events))
            if options.paints:
                pages = [(name, path.format(id=ids[0])) for name, path in PAGES]
                measure_paint(address, "bench", password, pages, options.paints)
        database.close()


def calls(options: argparse.Namespace, client: httpx2.Client, ids: list[str]) -> None:
    """Each kind of call, one after the other."""

    def one(path: str) -> Callable[[int], httpx2.Response]:
        return lambda number: client.get(f"/campaigns/{ids[number % len(ids)]}{path}")

    client.get("/campaigns")
    measure("list of campaigns, 50", options.calls, lambda number: client.get("/campaigns"))
    measure("list of campaigns, 200", options.calls, lambda number: client.get("/campaigns", params={"limit": 200}))
    measure("a campaign", options.calls, one(""))
    measure("trials, 50", options.calls, one("/trials"))
    measure("trials, 200", options.calls, one("/trials?limit=200"))
    measure("trials by an objective, 50", options.calls, one("/trials?sort=-victim_throughput"))
    measure("a trial", options.calls, one("/trials/500" if options.trials > 500 else "/trials/0"))
    measure("front, all trials", options.calls, one("/front"))
    measure("hypervolume, all trials", options.calls, one("/hypervolume"))
    measure("importance", options.calls, one("/importance"))
    measure("state of a fabric", options.calls, lambda number: client.get(f"/fabrics/{DEFAULT_FABRIC}/state"))
    measure("topology of a fabric", options.calls, lambda number: client.get(f"/fabrics/{DEFAULT_FABRIC}/topology"))


if __name__ == "__main__":
    main()
