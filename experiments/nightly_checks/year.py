# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A year of the check of the two-switch bed in the simulator, one line a night, with faults that are repaired."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments.nightly_checks.beds import BEDS, Ground
from experiments.nightly_checks.faults import FAULTS
from experiments.nightly_checks.nights import Stream, living
from experiments.nightly_checks.story import Event, line, told

FILE = "year.txt"
FIRST = date(2025, 12, 12)
"""20 nights before the year 2026."""
BASELINE, NIGHTS = 20, 365
SEED = 4
TIME_SCALE = 0.1
EVENTS = (
    Event(fault="degraded link", strength=0, first=60, last=66, accepted=10),
    Event(fault="aggressive tenant", strength=0, first=150, last=153, accepted=10),
    Event(fault="slow host", strength=1, first=250, last=255, accepted=10),
    Event(fault="no throttling", strength=0, first=330, last=331, accepted=10),
)


def lines(on_progress: Callable[[float], None] = lambda fraction: None, nights: int = NIGHTS) -> Iterator[str]:
    with TemporaryDirectory(prefix="ibcc-nights-") as name:
        ground = Ground(BEDS["two-switch"], Path(name), time_scale=TIME_SCALE)
        nature = ground.nature(SEED, BASELINE + NIGHTS)
        with living(ground) as fabric:
            stream = Stream(fabric, Path(name), nature, seed=SEED, first=FIRST, name="site")
            for done, outcome in enumerate(told(stream, FAULTS, EVENTS, baseline=BASELINE, nights=nights), 1):
                yield line(outcome)
                on_progress(done / nights)
