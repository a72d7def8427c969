# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Many people at once on the pages of a server: how long a page waits for its answers, and what memory the server takes.

Each person opens a page, which sends the requests of that page at once, looks at it for a while, and opens the next one. A page's
time is until its last answer is there. Who looks where and for how long is drawn with a fixed seed.
"""

import asyncio
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import httpx2

LOOKS_S = (5.0, 15.0)
"""Time for which a person looks at a page."""
CSV = "all trials as CSV"
_ARRIVES_S = 5.0


Page = tuple[str, int, Sequence[str]]
"""Name, weight and paths of the requests of a kind of page."""
Pages = Callable[[random.Random], Sequence[Page]]
"""All kinds of pages, of a campaign that is drawn."""


def pages_of_campaigns(ids: Sequence[str], trials: int) -> Pages:
    """Those of the web interface. `ids`: of campaigns, of `trials` trials each."""
    return lambda chance: _pages(chance.choice(ids), chance.randrange(trials))


def _pages(campaign: str, trial: int) -> list[Page]:
    one = f"/api/v1/campaigns/{campaign}"
    return [
        ("list of campaigns", 4, ["/api/v1/campaigns", "/api/v1/fabrics"]),
        ("a campaign", 8, [one, f"{one}/front", f"{one}/hypervolume", f"{one}/importance"]),
        ("explore", 2, [one, f"{one}/front?params=true"]),
        ("trials", 3, [one, f"{one}/trials?limit=50", f"{one}/front"]),
        ("a trial", 3, [one, f"{one}/trials/{trial}"]),
        (CSV, 1, [f"{one}/trials?format=csv"]),
    ]


def memory_mib(process: int) -> float:
    """Returns what a process holds of the machine's memory."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def cpu_s(process: int) -> float:
    """Returns the processor time that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def crowd(address: str, headers: Mapping[str, str], pages: Pages, *, people: int, minutes: float, process: int) -> None:
    """Prints, for each kind of page, the median and the 95th percentile of its time in ms, and the server's memory at a sixth
    of the time and at its end. `process`: the server's."""
    chance = random.Random(2)
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    took_ms: dict[str, list[float]] = {}
    begin = time.perf_counter()
    end = begin + 60 * minutes
    memory: list[float] = []
    before_s = cpu_s(process)

    async def person(seed: int, client: httpx2.AsyncClient) -> None:
        own = random.Random(seed)
        await asyncio.sleep(own.uniform(0, _ARRIVES_S))
        while time.perf_counter() < end:
            kinds = pages(own)
            ((name, _, paths),) = own.choices(kinds, [weight for _, weight, _ in kinds])
            opened = time.perf_counter()
            for answer in await asyncio.gather(*(client.get(path) for path in paths)):
                answer.raise_for_status()
            took_ms.setdefault(name, []).append(1e3 * (time.perf_counter() - opened))
            await asyncio.sleep(own.uniform(*LOOKS_S))

    async def watch() -> None:
        for share in (1 / 6, 1.0):
            await asyncio.sleep(max(0.0, begin + share * 60 * minutes - time.perf_counter()))
            memory.append(memory_mib(process))

    async with httpx2.AsyncClient(base_url=address, headers=headers, limits=limits, timeout=60) as client:
        await asyncio.gather(watch(), *(person(chance.randrange(2**32), client) for _ in range(people)))
    print(f"{people} people for {minutes:g} min, each page looked at for {LOOKS_S[0]:g} to {LOOKS_S[1]:g} s")
    for name, times_ms in sorted(took_ms.items(), key=lambda pair: (pair[0] == CSV, pair[0])):
        ordered = sorted(times_ms)
        median, high = (ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in (0.5, 0.95))
        print(f"{name:34} {median:8.1f} {high:8.1f} ms {len(ordered):8} times", flush=True)
    looked_at, spent_s = sum(map(len, took_ms.values())), cpu_s(process) - before_s
    print(f"processor time of the server: {1e3 * spent_s / looked_at:.0f} ms a page, {spent_s / 60 / minutes:.0%} of a core")
    early, late = memory
    print(
        f"memory of the server: {early:.0f} MiB after {10 * minutes:.0f} s, {late:.0f} MiB at the end, {late / early:.2f} times"
    )
