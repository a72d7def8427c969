# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What it costs that an answered write outlives a power cut: `POST /tokens` with SQLite's `synchronous = FULL`, as the service
has it, and with `NORMAL`, in turns, by one client on loopback. `python -m benchmarks.bench_durability`.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import httpx2

from api.access.roles import Role
from api.base.times import now, rfc3339
from api.configuration.settings import Settings
from benchmarks.bench_service import percentile, serving
from tests.api.service import Service

_SERVE = {
    "FULL": "from api.cli.serve import app; app()",
    "NORMAL": "from api.database import engine\nfrom api.cli.serve import app\nengine.DURABLE = 'NORMAL'; app()",
}


@contextmanager
def _client(folder: Path, synchronous: str) -> Iterator[httpx2.Client]:
    """Yields a client of a service that runs in a process of its own."""
    folder = folder / synchronous
    settings = Settings(state_folder=folder, workers=0)
    made = Service(settings)
    secret = made.add_token(made.add_person(Role.ADMIN), Role.ADMIN)
    made.close()
    with serving(settings, _SERVE[synchronous]) as (address, _), httpx2.Client(base_url=address, timeout=60) as client:
        client.headers["Authorization"] = f"Bearer {secret}"
        yield client


def _post_ms(client: httpx2.Client, number: int) -> float:
    body = {"name": f"n{number}", "role": "viewer", "expires_at": rfc3339(now() + timedelta(hours=1))}
    began = time.perf_counter()
    client.post("/api/v1/tokens", json=body).raise_for_status()
    return 1e3 * (time.perf_counter() - began)


def _sync_ms(file: int) -> float:
    os.write(file, bytes(8192))
    began = time.perf_counter()
    os.fdatasync(file)
    return 1e3 * (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=300, help="calls of each kind")
    parser.add_argument("--folder", type=Path, help="folder on the disk to measure; by default that for temporary files")
    options = parser.parse_args()
    taken: dict[str, list[float]] = {"synchronous = FULL": [], "synchronous = NORMAL": [], "fdatasync of 8 KiB alone": []}
    with (
        tempfile.TemporaryDirectory(dir=options.folder, prefix="ibcc-bench-") as folder,
        _client(Path(folder), "FULL") as full,
        _client(Path(folder), "NORMAL") as normal,
        open(Path(folder, "alone"), "wb", buffering=0) as alone,
    ):
        for number in range(options.calls):
            taken["synchronous = FULL"].append(_post_ms(full, number))
            taken["synchronous = NORMAL"].append(_post_ms(normal, number))
            taken["fdatasync of 8 KiB alone"].append(_sync_ms(alone.fileno()))
    print(f"{'ms of a write':28} {'median':>8} {'95 %':>8}")
    for name, times_ms in taken.items():
        print(f"{name:28} {percentile(times_ms, 0.5):8.1f} {percentile(times_ms, 0.95):8.1f}")


if __name__ == "__main__":
    main()
