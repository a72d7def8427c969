# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What `ibcc hosts ping` has found: tables, matrices and JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.hostping.baselines import Confidence
from tuner.hostping.diagnosis import HostVerdict
from tuner.hostping.matrix import Cell, Matrix
from tuner.hostping.path_states import path_states
from tuner.hostping.ping import HostPing
from tuner.hostping.published import LinkMark, published

if TYPE_CHECKING:
    from tuner.report.plots.host_matrix import MatrixPanel

CELL_COLUMNS = [
    "node", "verdict", "adapter", "endpoint", "bandwidth_gbps", "latency_us", "baseline_bandwidth_gbps", "baseline_latency_us",
]  # fmt: skip
VERDICTS = {
    HostVerdict.NORMAL: "normal",
    HostVerdict.SLOW: "slow",
    HostVerdict.UNFIT: "unfit",
    HostVerdict.NOT_MEASURED: "not measured",
}


def exit_code(rows: Sequence[HostPing]) -> int:
    """1 if a host has a slow link, 3 if none has and one was not judged, 0 if all are normal."""
    if any(row.verdict is HostVerdict.SLOW for row in rows):
        return 1
    return 0 if all(row.verdict is HostVerdict.NORMAL for row in rows) else 3


def tables(rows: Sequence[HostPing]) -> Iterator[RenderableType]:
    """A line a host; below it the matrices of hosts that are not normal, or of the only one, and what else is known of hosts."""
    table = common.table("node", "paths", "slow", "verdict", "", right=["paths", "slow"])
    for row in rows:
        slow = len(row.diagnosis.slow_paths) if row.diagnosis is not None else 0
        table.add_row(
            escape(row.measured.host.node),
            str(len(row.measured.cells)),
            str(slow) if row.measured.cells else "",
            VERDICTS[row.verdict],
            escape(row.sentence),
        )
    yield table
    for row in rows:
        if row.matrix is not None and row.measured.cells and (row.verdict is not HostVerdict.NORMAL or len(rows) == 1):
            yield _matrix(row, row.matrix)
        yield from (escape(sentence) for sentence in _remarks(row))


def _matrix(row: HostPing, matrix: Matrix) -> RenderableType:
    assert row.measured.inside is not None
    topology = row.measured.inside.topology
    states = path_states(topology, matrix)
    title = f"{row.measured.host.node}: Gb/s, µs; * abnormal, ? uncertain" + (
        ""
        if row.baseline is None or row.confidence is Confidence.NONE
        else f"; baseline of {row.baseline.hosts} hosts, {row.baseline.date}"
    )
    drawn = common.table("adapter", *topology.endpoints, right=list(topology.endpoints), title=escape(title))
    for adapter in topology.adapter_names:
        cells = []
        for endpoint in topology.endpoints:
            cell = matrix.cells.get((adapter, endpoint))
            state = states.get((adapter, endpoint))
            sign = {"abnormal": " *", "uncertain": " ?"}.get(state.value if state is not None else "", "")
            cells.append("not measured" if cell is None else f"{_numbers(cell)}{sign}")
        drawn.add_row(escape(adapter), *cells)
    return drawn


def _numbers(cell: Cell) -> str:
    return f"{cell.bandwidth_gbps:.1f}, {cell.latency_us:.2f}"


def _remarks(row: HostPing) -> Iterator[str]:
    node, measured = row.measured.host.node, row.measured
    for name, why in measured.not_measured.items():
        yield f"{node}: {name} was not measured: {why}."
    if measured.inside is None:
        return
    gpus = len(measured.inside.topology.gpus)
    if gpus and row.matrix is not None:
        yield f"{node}: its {gpus} GPUs were not measured: loop-back tests use the memory of NUMA nodes alone."
    if row.verdict is HostVerdict.SLOW:
        yield from (f"{node}: {sentence}." for sentence in (*measured.inside.degraded, *measured.inside.redirected))
        yield from (f"{node}: {one['what']}: not readable; as root: {one['command']}" for one in measured.inside.not_readable)


def cell_rows(rows: Sequence[HostPing]) -> list[list[object]]:
    """For CSV: a line a cell; of hosts without cells, one without numbers."""
    found: list[list[object]] = []
    for row in rows:
        cells = row.matrix.cells if row.matrix is not None else {}
        if not cells:
            found.append([row.measured.host.node, row.verdict.value, *[""] * 6])
        for (adapter, endpoint), cell in cells.items():
            found.append([row.measured.host.node, row.verdict.value, adapter, endpoint, *_values(cell).values()])
    return found


def document(inventory: str, rows: Sequence[HostPing]) -> dict[str, Any]:
    return {"inventory": inventory, "hosts": [_host(row) for row in rows]}


def _host(row: HostPing) -> dict[str, Any]:
    measured, found = row.measured, row.diagnosis
    return {
        "node": measured.host.node,
        "host": measured.host.host,
        "verdict": row.verdict.value,
        "sentence": row.sentence,
        "confidence": row.confidence.value,
        "model": None if measured.inside is None else measured.inside.model,
        "baseline": None if row.baseline is None else {"hosts": row.baseline.hosts, "date": row.baseline.date},
        "cells": [
            {"adapter": adapter, "endpoint": endpoint, **_values(cell)}
            for (adapter, endpoint), cell in (row.matrix.cells if row.matrix is not None else {}).items()
        ],
        "slow_paths": [] if found is None else [list(place) for place in found.slow_paths],
        "links": []
        if found is None
        else [
            {
                "link": link.link,
                "state": link.state.value,
                "others": list(link.others),
                "cause": None if link.cause is None else link.cause.value,
                "advice": link.advice,
            }
            for link in found.links.values()
        ],
        "algorithm_1": _by_algorithm_1(row),
        "not_measured": dict(measured.not_measured),
        "not_readable": [] if measured.inside is None else [dict(one) for one in measured.inside.not_readable],
        "redirected": [] if measured.inside is None else list(measured.inside.redirected),
        "degraded": [] if measured.inside is None else list(measured.inside.degraded),
        "busy": [] if row.matrix is None else sorted(row.matrix.busy),
    }


def _values(cell: Cell) -> Mapping[str, float | None]:
    names = ("bandwidth_gbps", "latency_us", "baseline_bandwidth_gbps", "baseline_latency_us")
    return {name: None if (value := getattr(cell, name)) is None else round(value, 4) for name in names}


def _by_algorithm_1(row: HostPing) -> dict[str, Any] | None:
    """What the paper's algorithm names, beside ibcc's rule."""
    if row.matrix is None or row.measured.inside is None:
        return None
    found = published(row.measured.inside.topology, row.matrix)
    grey = sorted(link for link, mark in found.marks.items() if mark is LinkMark.GREY)
    return {"named": list(found.named), "grey": grey, "adapters": dict(found.counts)}


def panels(rows: Sequence[HostPing]) -> "list[MatrixPanel]":
    """For the plot: hosts with cells."""
    from tuner.report.plots.host_matrix import MatrixCell, MatrixPanel  # slow to import

    found = []
    for row in rows:
        if row.matrix is None or row.measured.inside is None or not row.matrix.cells:
            continue
        topology = row.measured.inside.topology
        found.append(
            MatrixPanel(
                title=f"{row.measured.host.node}: {VERDICTS[row.verdict]}",
                adapters=topology.adapter_names,
                endpoints=topology.endpoints,
                cells={
                    place: MatrixCell(
                        text=f"{cell.bandwidth_gbps:.0f} Gb/s\n{cell.latency_us:.2f} µs",
                        share=None
                        if not cell.baseline_bandwidth_gbps or cell.bandwidth_gbps is None
                        else cell.bandwidth_gbps / cell.baseline_bandwidth_gbps,
                        is_slow=bool(cell.is_slow),
                    )
                    for place, cell in row.matrix.cells.items()
                },
            )
        )
    return found
