# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What loop-back tests of hosts have found: tables, matrices and JSON, from the rows of `tuner.hostping.ping_document`, whether
this machine has measured them or a service."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import typer
from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.cli.common import Output
from tuner.hostping.ping_document import fleet_document

if TYPE_CHECKING:
    from tuner.report.plots.host_matrix import MatrixPanel

Row: TypeAlias = Mapping[str, Any]
CELL_VALUES = ("bandwidth_gbps", "latency_us", "baseline_bandwidth_gbps", "baseline_latency_us")
CELL_COLUMNS = ["node", "verdict", "adapter", "endpoint", *CELL_VALUES]
VERDICTS = {"normal": "normal", "slow": "slow", "unfit": "unfit", "not-measured": "not measured"}
_SIGNS = {"abnormal": " *", "uncertain": " ?"}


def show(inventory: str, rows: Sequence[Row], output: Output, output_file: Path | None) -> None:
    """Prints the rows of a run. `inventory`: its name. Raises typer.Exit with the exit code, unless all hosts are normal."""
    match output:
        case Output.JSON:
            common.write_json(fleet_document(inventory, rows), output_file)
        case Output.CSV:
            common.write_csv(CELL_COLUMNS, cell_rows(rows), output_file)
        case Output.TABLE:
            common.write_rich(tables(rows), output_file)
    if code := exit_code(rows):
        raise typer.Exit(code)


def exit_code(rows: Sequence[Row]) -> int:
    """1 if a host has a slow link, 3 if none has and one was not judged, 0 if all are normal."""
    if any(row["verdict"] == "slow" for row in rows):
        return 1
    return 0 if all(row["verdict"] == "normal" for row in rows) else 3


def tables(rows: Sequence[Row]) -> Iterator[RenderableType]:
    """A line a host; below it the matrices of hosts that are not normal, or of the only one, and what else is known of hosts."""
    table = common.table("node", "paths", "slow", "verdict", "", right=["paths", "slow"])
    for row in rows:
        measured = bool(row["cells"])
        slow = str(len(row["slow_paths"])) if measured else ""
        table.add_row(escape(row["node"]), str(len(row["cells"])), slow, VERDICTS[row["verdict"]], escape(row["sentence"]))
    yield table
    for row in rows:
        if row["cells"] and (row["verdict"] != "normal" or len(rows) == 1):
            yield _matrix(row)
        yield from (escape(sentence) for sentence in _remarks(row))


def _matrix(row: Row) -> RenderableType:
    baseline = row["baseline"]
    title = f"{row['node']}: Gb/s, µs; * abnormal, ? uncertain" + (
        "" if baseline is None or row["confidence"] == "none" else f"; baseline of {baseline['hosts']} hosts, {baseline['date']}"
    )
    drawn = common.table("adapter", *row["endpoints"], right=list(row["endpoints"]), title=escape(title))
    cells = {(cell["adapter"], cell["endpoint"]): cell for cell in row["cells"]}
    for adapter in row["adapters"]:
        shown = [
            "not measured" if (cell := cells.get((adapter, endpoint))) is None else _numbers(cell) + _SIGNS.get(cell["state"], "")
            for endpoint in row["endpoints"]
        ]
        drawn.add_row(escape(adapter), *shown)
    return drawn


def _numbers(cell: Row) -> str:
    return f"{_rate(cell['bandwidth_gbps'])}, {cell['latency_us']:.2f}"


def _rate(gbps: float) -> str:
    """Soft RoCE sends less than a tenth of a Gb/s."""
    return f"{gbps:.1f}" if gbps >= 1 else f"{gbps:.2g}"


def _remarks(row: Row) -> Iterator[str]:
    node = row["node"]
    for name, why in row["not_measured"].items():
        yield f"{node}: {name} was not measured: {why}."
    if row["cells"] and (open_gpus := row["gpus"] - len({cell["endpoint"] for cell in row["cells"]} - _memories(row))) > 0:
        yield f"{node}: {open_gpus} of its {row['gpus']} GPUs were not measured; the inventory's `gpus` names a program for them."
    if row["verdict"] == "slow":
        yield from (f"{node}: {sentence}." for sentence in (*row["degraded"], *row["redirected"]))
        yield from (f"{node}: {part['what']}: not readable; as root: {part['command']}" for part in row["not_readable"])


def _memories(row: Row) -> set[str]:
    """Endpoints begin with the memories; GPUs follow."""
    return set(row["endpoints"][: len(row["endpoints"]) - row["gpus"]])


def cell_rows(rows: Sequence[Row]) -> list[list[object]]:
    """For CSV: a line a cell; of hosts without cells, one without numbers."""
    found: list[list[object]] = []
    for row in rows:
        if not row["cells"]:
            found.append([row["node"], row["verdict"], *[""] * 6])
        for cell in row["cells"]:
            values = (cell[name] for name in CELL_VALUES)
            found.append([row["node"], row["verdict"], cell["adapter"], cell["endpoint"], *values])
    return found


def panels(rows: Sequence[Row]) -> "list[MatrixPanel]":
    """For the plot: hosts with cells."""
    from tuner.report.plots.host_matrix import MatrixCell, MatrixPanel  # slow to import

    return [
        MatrixPanel(
            title=f"{row['node']}: {VERDICTS[row['verdict']]}",
            adapters=row["adapters"],
            endpoints=row["endpoints"],
            cells={
                (cell["adapter"], cell["endpoint"]): MatrixCell(
                    text=f"{_rate(cell['bandwidth_gbps'])} Gb/s\n{cell['latency_us']:.2f} µs",
                    share=None
                    if not cell["baseline_bandwidth_gbps"]
                    else cell["bandwidth_gbps"] / cell["baseline_bandwidth_gbps"],
                    is_slow=(cell["adapter"], cell["endpoint"]) in {tuple(place) for place in row["slow_paths"]},
                )
                for cell in row["cells"]
            },
        )
        for row in rows
        if row["cells"]
    ]
