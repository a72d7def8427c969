# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Experiment on how well nightly checks find what goes wrong, and how often they find what did not."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments._common.findings import Findings
from experiments.nightly_checks import detection, false_alarms, hundred, tables, year
from experiments.nightly_checks.beds import BEDS, Bed
from experiments.nightly_checks.claims import claims
from experiments.nightly_checks.detection import Nights
from experiments.registry import Experiment, Options
from tuner.atomic_file import write_atomically
from tuner.backends.emulated_host import require_programs
from tuner.errors import UnreachableError

QUICK = Nights(baseline=6, quiet=2, faults=frozenset({"no throttling"}))
QUICK_YEARS = 20
_DETECTION, _YEARS = 0.7, 0.2
"""About the parts of the time."""


def run(options: Options) -> Findings:
    """Beds whose programs or fabric are missing are left out, and the tables say so."""
    beds, without = _beds(options)
    with _folder(options.folder) as folder:
        cells = detection.measure(
            beds,
            folder,
            streams=1 if options.quick else None,
            fabric=options.fabric,
            nights=QUICK if options.quick else None,
            workers=options.workers,
            on_progress=_part(options.on_progress, 0, _DETECTION),
        )
        rows = false_alarms.rows(
            folder / "false-alarms.json",
            years=QUICK_YEARS if options.quick else None,
            workers=options.workers,
            on_progress=_part(options.on_progress, _DETECTION, _YEARS),
        )
        if not options.quick:
            lines = year.lines(_part(options.on_progress, _DETECTION + _YEARS, 1 - _DETECTION - _YEARS))
            write_atomically(folder / year.FILE, "".join(f"{line}\n" for line in lines))
    return Findings(
        claims=claims(cells, rows, quick=options.quick),
        tables=[
            *tables.detection(beds, cells),
            tables.quiet(beds, cells, without),
            tables.noise(hundred.stored(), cells),
            tables.false_alarms(rows),
        ],
        figures={},
        data={
            "without": without,
            "cells": [asdict(cell) for cell in cells],
            "years": [asdict(row) for row in rows],
        },
    )


def _beds(options: Options) -> tuple[list[Bed], dict[str, str]]:
    """Returns those to measure, and why others are left out, by name."""
    try:
        require_programs()
        no_programs = None
    except UnreachableError as error:
        no_programs = str(error)
    chosen, without = [], {}
    for bed in BEDS.values():
        if options.quick and (bed.emulated or bed.needs_fabric or bed.name != "two-switch"):
            without[bed.name] = "this is a quick run"
        elif bed.needs_fabric and options.fabric is None:
            without[bed.name] = "no --fabric was given"
        elif bed.emulated and no_programs is not None:
            without[bed.name] = no_programs
        else:
            chosen.append(bed)
    return chosen, without


def _part(on_progress: Callable[[float], None], begin: float, part: float) -> Callable[[float], None]:
    return lambda fraction: on_progress(begin + part * fraction)


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    """Yields the folder for what is measured; another run goes on with one that is kept."""
    if kept is not None:
        folder = kept / "nights"
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    with TemporaryDirectory() as name:
        yield Path(name)


EXPERIMENT = Experiment(
    name="nightly_checks",
    question="Do nightly checks find faults, after how many nights and by their causes, and how often do they find none?",
    source="our own; the faults are those that administrators name",
    minutes=25,
    run=run,
    takes_fabric=True,
)
