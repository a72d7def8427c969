# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Congestion at each port of a fabric, from a measurement, as the drawing shows it."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import ccsim
from tuner.documents.fabric import End, FabricDocument
from tuner.errors import BadInputError
from tuner.measuring.measurement import SCHEMA
from tuner.report.plots.fabric_by import By
from tuner.report.plots.fabric_roots import PortUse, Roots, roots

Row: TypeAlias = Mapping[str, float]
"""A port's counters."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One way to say how congested a port is."""

    title: str
    """Meaning of a number."""
    unit: str
    counters: tuple[str, ...]
    of: Callable[[Row, float, float], float]
    """From a port's counters, the length of the run in ns and the data rate of its link in Gb/s."""
    full: float | None = None
    """End of the scale, so that figures can be compared; None: the highest value."""


def _marked_percent(row: Row, duration_ns: float, data_gbps: float) -> float:
    return 100 * row["fecn_marked"] / row["xmit_packets"] if row["xmit_packets"] else 0.0


MEASURES: Mapping[By, Measure] = {
    By.XMIT_WAIT: Measure(
        title="time in which a port with packets waited for credits",
        unit="% of the run",
        counters=("xmit_wait_ns",),
        of=lambda row, duration_ns, data_gbps: 100 * row["xmit_wait_ns"] / duration_ns,
        full=100,
    ),
    By.FECN: Measure(
        title="packets that a port marked (FECN)",
        unit="% of those it sent",
        counters=("fecn_marked", "xmit_packets"),
        of=_marked_percent,
    ),
    By.QUEUE: Measure(
        title="most that was queued for a port",
        unit="KiB",
        counters=("max_queued_bytes",),
        of=lambda row, duration_ns, data_gbps: row["max_queued_bytes"] / 1024,
    ),
    By.UTILISATION: Measure(
        title="time in which a port was sending",
        unit="% of the run",
        counters=("xmit_bytes",),
        of=lambda row, duration_ns, data_gbps: 100 * row["xmit_bytes"] * 8 / data_gbps / duration_ns,
        full=100,
    ),
}


@dataclass(frozen=True, kw_only=True)
class Congestion:
    """One measure at each port with a link."""

    measure: Measure
    profile: str
    duration_s: float
    values: Mapping[End, float]
    """In the measure's unit."""
    roots: Roots

    @property
    def full(self) -> float:
        """End of the scale."""
        return self.measure.full or max(self.values.values(), default=0.0) or 1.0


# Counters that identify the roots of congestion trees; they are read for every measure.
_ALWAYS = ("fecn_marked", "max_queued_bytes", "xmit_bytes", "xmit_wait_ns")


def read_congestion(file: Path, document: FabricDocument, by: By = By.XMIT_WAIT) -> Congestion:
    """From the JSON of `ibcc simulate --output json`. Raises BadInputError if it is none, or of another fabric."""
    return congestion_of(_read(file), document, by, file=file)


def congestion_of(
    result: Mapping[str, Any], document: FabricDocument, by: By = By.XMIT_WAIT, *, file: Path | str = "the measurement"
) -> Congestion:
    """From a measurement's JSON; `file` names it in errors. Raises BadInputError if it is of another fabric."""
    if result.get("fabric") != document.name:
        raise _wrong(file, f"is a result of fabric '{result.get('fabric')}', not of '{document.name}'")
    measure = MEASURES[by]
    rows = _rows(file, result, {*_ALWAYS, *measure.counters})
    try:
        duration_s = float(result["duration_s"])
        if not duration_s > 0:
            raise _wrong(file, f"has a duration_s of {duration_s:g}; a run takes more than 0 s")
        duration_ns = duration_s * 1e9
        values, uses = {}, {}
        for end, row, data_gbps in _ports(file, document, rows):
            values[end] = measure.of(row, duration_ns, data_gbps)
            uses[end] = PortUse(
                sent=row["xmit_bytes"] * 8 / data_gbps / duration_ns,
                waited=row["xmit_wait_ns"] / duration_ns,
                marked=int(row["fecn_marked"]),
                most_queued_bytes=int(row["max_queued_bytes"]),
            )
        return Congestion(
            measure=measure,
            profile=str(result["profile"]),
            duration_s=duration_s,
            values=values,
            roots=roots(document, uses),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _wrong(file, f"is not a whole measurement: {error!r}") from error


def _read(file: Path) -> dict[str, Any]:
    try:
        result = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInputError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise _wrong(file, f"is not JSON ({error}); a result is what `ibcc simulate --output json` writes") from error
    if not isinstance(result, dict) or result.get("schema") != SCHEMA:
        raise _wrong(file, f"is not a measurement of schema {SCHEMA}; a result is what `ibcc simulate --output json` writes")
    return result


def _rows(file: Path | str, result: Mapping[str, Any], needed: set[str]) -> list[dict[str, Any]]:
    counters = result.get("counters")
    rows = counters.get("ports") if isinstance(counters, dict) else None
    if not isinstance(rows, list) or not rows:
        raise _wrong(file, "has no counters of ports, from which the drawing takes its colors")
    for row in rows:
        if lacking := sorted(({"guid", "port"} | needed) - set(row if isinstance(row, dict) else ())):
            raise _wrong(file, f"has no '{lacking[0]}' in its counters of ports")
        for name in needed:
            if not _is_count(row[name]):
                raise _wrong(file, f"has a counter '{name}' of {row[name]!r}; counters are numbers from 0")
    return rows


def _is_count(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value) and value >= 0


def _ports(file: Path | str, document: FabricDocument, rows: list[dict[str, Any]]) -> Iterator[tuple[End, Row, float]]:
    """Each row with its port and the data rate of the port's link in Gb/s."""
    rates = {end: ccsim.link_data_gbps(link.rate) for link, *ends in document.ends() for end in ends}
    node_of = {f"0x{document.guid_of(i):016x}": i for i in range(len(document.nodes))}
    other = f"so it is a result of another fabric than this '{document.name}'"
    seen = set()
    for row in rows:
        end = End(node_of.get(row["guid"], -1), row["port"])
        seen.add(end)
        if end not in rates:
            name = row.get("node", row["guid"])
            raise _wrong(file, f"has counters of port {row['port']} of '{name}', which has no link here; {other}")
        if "node" in row and row["node"] != document.nodes[end.node].name:
            raise _wrong(file, f"calls a node '{row['node']}' that is '{document.nodes[end.node].name}' here; {other}")
        yield end, row, rates[end]
    if seen != set(rates):
        raise _wrong(file, f"has counters of {len(seen)} ports where {len(rates)} have links here; {other}")


def _wrong(file: Path | str, sentence: str) -> BadInputError:
    return BadInputError(f"{file} {sentence}")
