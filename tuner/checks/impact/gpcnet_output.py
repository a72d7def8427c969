# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads what GPCNeT's network_load_test, version 1.x, has printed into a file, plain or built with -DVERBOSE.

It prints tables between bars: the canaries alone, the canaries with the congestors, and the Congestion Impact Factors. Columns
are found by their headings, so other lines of the job, and a word before each line such as srun's, do no harm.
"""

import math
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tuner.checks.impact.metrics import ALLREDUCE, BANDWIDTH, CANARIES, LATENCY, Figures, impact_of
from tuner.errors import BadInputError, UnreachableError

_MOST_BYTES = 16 << 20
_AHEAD = timedelta(hours=1)
"""Clocks of file servers may be ahead by less."""

_VERSION = re.compile(r"NetworkLoad Tests v(\d+)\.(\d+)")
_OTHER_PROGRAM = re.compile(r"(?<!Isolated )\bNetwork Tests v\d")
_TOO_FEW = "this application must be run on at least"
_COUNTS = {
    "ranks": re.compile(r"Test with (\d+) MPI ranks"),
    "hosts": re.compile(r"MPI ranks \((\d+) nodes\)"),
    "canaries": re.compile(r"(\d+) nodes running Network Tests"),
}
_ISOLATED = "Isolated Network Tests"
_LOADED = "Network Tests running with Congestion Tests"
_FACTORS = "Network Tests running with Congestion Tests - Key Results"
_ROWS = {LATENCY: "RR Two-sided Lat (8 B)", BANDWIDTH: "RR Two-sided BW+Sync (131072 B)", ALLREDUCE: "Multiple Allreduce (8 B)"}
_COLUMNS = {"average": "Avg", "p99": "99%"}
_ROUNDED = 0.051
"""Figures and factors are printed with one decimal."""


@dataclass(frozen=True, kw_only=True)
class GpcnetRun:
    """`figures`: by canary, without those that GPCNeT printed as 0 or infinite. `left_out`: sentences about these. `written`:
    when the file was, in UTC."""

    version: str
    ranks: int
    hosts: int
    canaries: int
    figures: Mapping[str, Figures]
    left_out: tuple[str, ...]
    written: datetime


def read_output(path: str | Path, *, max_age_h: float, now: datetime) -> GpcnetRun:
    """Reads the last run in the file. Raises UnreachableError for a file that is missing, too old, or not there yet as a whole,
    and BadInputError for one that is something else."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:  # a pipe without a writer must not hold us up
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise BadInputError("is no file; GPCNeT's standard output as a file would be right", source=str(path))
            if found.st_size > _MOST_BYTES:
                raise BadInputError(f"has {found.st_size} bytes; at most {_MOST_BYTES} are read", source=str(path))
            text = file.read(_MOST_BYTES).decode(errors="replace")
    except OSError as error:
        raise UnreachableError(f"{path} cannot be read: {error.strerror}; GPCNeT's job must write its output there") from error
    written = datetime.fromtimestamp(found.st_mtime, UTC)
    if written > now + _AHEAD:
        raise UnreachableError(f"{path} was written at {written:%Y-%m-%d %H:%M} UTC, which is later than now; set the clocks")
    if now - written > timedelta(hours=max_age_h):
        hours = (now - written).total_seconds() / 3600
        raise UnreachableError(
            f"{path} is {hours:.0f} h old, and max_age_h is {max_age_h:g}: GPCNeT's job has written nothing since "
            f"{written:%Y-%m-%d %H:%M} UTC"
        )
    return parse_output(text, source=str(path), written=written)


def parse_output(text: str, *, source: str, written: datetime) -> GpcnetRun:
    """Reads the last of the runs that a text has. Raises BadInputError and UnreachableError as read_output."""
    versions = list(_VERSION.finditer(text))
    if not versions:
        raise _no_run(text, source)
    version = f"{versions[-1][1]}.{versions[-1][2]}"
    if versions[-1][1] != "1":
        raise BadInputError(f"is of GPCNeT {version}; the output of versions 1.x can be read", source=source)
    own = text[versions[-1].start() :]
    tables = _tables(own)
    for title in (_ISOLATED, _LOADED, _FACTORS):
        if title not in tables:
            raise UnreachableError(f"{source}: the table '{title}' is missing: GPCNeT's job did not end, or still runs")
    figures: dict[str, Figures] = {}
    left_out: list[str] = []
    for canary in CANARIES:
        rows = [_row(tables, title, canary, source) for title in (_ISOLATED, _LOADED, _FACTORS)]
        sound = [name for name in _COLUMNS if all(row[name] is not None for row in rows)]
        left_out += [_sentence(tables, canary, name) for name in _COLUMNS if name not in sound]
        isolated, loaded, factors = ({name: row[name] or 0.0 for name in sound} for row in rows)
        figures[canary] = Figures(isolated=isolated, loaded=loaded)
        _compare(figures[canary], factors, canary, source)
    if not any(one.loaded for one in figures.values()):
        raise BadInputError(f"has no figure above 0; {left_out[0]}", source=source)
    counts = {name: _count(own, name, pattern, source) for name, pattern in _COUNTS.items()}
    return GpcnetRun(version=version, **counts, figures=figures, left_out=tuple(left_out), written=written)


def _no_run(text: str, source: str) -> BadInputError | UnreachableError:
    if _TOO_FEW in text:
        return UnreachableError(f"{source}: GPCNeT was started on too few hosts; it needs at least 10")
    if _OTHER_PROGRAM.search(text):
        return BadInputError("is of GPCNeT's network_test, which runs no congestors; network_load_test does", source=source)
    if not text.strip():
        return UnreachableError(f"{source} is empty: GPCNeT's job has written nothing yet")
    return BadInputError("is no output of network_load_test; a line such as 'NetworkLoad Tests v1.3' is missing", source=source)


def _tables(text: str) -> dict[str, dict[str, dict[str, str]]]:
    """Cells by table, row and heading. With -DVERBOSE, the canaries that run with congestors have a table each."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    table: dict[str, dict[str, str]] = {}
    headings: list[str] = []
    for cells in _lines_of_cells(text):
        if len(cells) == 1:
            title = _title(cells[0])
            table = {} if title is None else found.setdefault(title, {})
            headings = []
        elif _COLUMNS["average"] in cells and _COLUMNS["p99"] in cells:
            headings = cells
        elif len(cells) == len(headings) and cells[0]:
            table[cells[0]] = dict(zip(headings, cells, strict=True))
    return found


def _lines_of_cells(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        first, last = line.find("|"), line.rfind("|")
        if first < last:
            yield [cell.strip() for cell in line[first + 1 : last].split("|")]


def _title(cell: str) -> str | None:
    """None for a table that is not needed."""
    for title in (_FACTORS, _LOADED, _ISOLATED):
        if cell.startswith(title):
            return title
    return None


def _row(tables: Mapping[str, Mapping[str, Mapping[str, str]]], title: str, canary: str, source: str) -> dict[str, float | None]:
    """None for what is no number above 0: a rate too small for one decimal is printed as 0.0, and its factor as inf."""
    name = _ROWS[canary]
    if name not in tables[title]:
        raise UnreachableError(f"{source}: row '{name}' of table '{title}' is missing: GPCNeT's job did not end, or still runs")
    return {statistic: _number(tables[title][name][heading]) for statistic, heading in _COLUMNS.items()}


def _sentence(tables: Mapping[str, Mapping[str, Mapping[str, str]]], canary: str, statistic: str) -> str:
    name, heading = _ROWS[canary], _COLUMNS[statistic]
    cells = [tables[title][name][heading] for title in (_ISOLATED, _LOADED, _FACTORS)]
    alone, loaded, factor = (f"'{cell[:20]}'" for cell in cells)
    return f"{heading} of row '{name}' is left out: {alone} alone, {loaded} loaded, factor {factor}; they must be above 0"


def _number(cell: str) -> float | None:
    try:
        value = float(cell.removesuffix("X"))
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None


def _compare(figures: Figures, factors: Mapping[str, float], canary: str, source: str) -> None:
    """The factors that were printed are those of the figures, or something is not what it seems to be."""
    for statistic, printed in factors.items():
        isolated, loaded = figures.isolated[statistic], figures.loaded[statistic]
        computed = impact_of(canary, isolated, loaded)
        least, most = sorted(
            impact_of(canary, max(0.0, isolated + sign * _ROUNDED), max(0.0, loaded - sign * _ROUNDED)) or math.inf
            for sign in ((-1, 1) if canary == BANDWIDTH else (1, -1))
        )
        if not least - _ROUNDED <= printed <= most + _ROUNDED:
            raise BadInputError(
                f"the impact factor {printed:g} of row '{_ROWS[canary]}', {_COLUMNS[statistic]}, is not that of its figures, "
                f"{computed or 0:.1f}; the file must have one whole run",
                source=source,
            )


def _count(text: str, name: str, pattern: re.Pattern[str], source: str) -> int:
    match = pattern.search(text)
    if match is None:
        raise BadInputError(f"the number of {name} is missing below the line with GPCNeT's version", source=source)
    return int(match[1])
