# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tables of a scheme's resources: what it used in a run, and the memory that switches need for it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType

from tuner.cli import common
from tuner.documents.byte_sizes import bytes_text
from tuner.simulation.scheme_resources import has_own_memory, resource_label


def scheme_tables(scheme: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Yields the tables of a measurement's `counters.scheme` that say something: resources if the scheme counts any, and memory
    if it needs other memory than the buffer of the model."""
    if resources := scheme.get("resources"):
        yield _resources(scheme["name"], resources)
    memory = scheme.get("memory")
    if memory and has_own_memory(memory):
        yield _memory(scheme["name"], memory)


def _resources(name: str, rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    table = common.table(f"Resource of {name}, whole fabric", "Mean", "Most", "Total", right=["Mean", "Most", "Total"])
    for row in rows:
        table.add_row(resource_label(row["name"]), *(_number(row.get(key)) for key in ("mean", "most", "total")))
    return table


def _memory(name: str, memory: Mapping[str, Any]) -> RenderableType:
    line, port, fabric = memory["line"], memory["input_port"], memory["fabric"]
    columns = [f"Memory of switches for {name}", "CAM line", "Input port", f"{fabric['input_ports']:,} input ports"]
    table = common.table(*columns, right=columns[1:])
    table.add_row("packet buffer", "", bytes_text(port["buffer_bytes"]), bytes_text(fabric["buffer_bytes"]))
    if port["buffer_bytes"] != port["plain_buffer_bytes"]:
        plain = port["plain_buffer_bytes"]
        of_all = plain * fabric["input_ports"]
        table.add_row("packet buffer of other schemes", "", bytes_text(plain), bytes_text(of_all))
    if line is not None:
        table.add_row("CAM lines", "1", _number(port["lines"]), _number(fabric["cam_cells"] // line["cam_cells"]))
        for label, key in (("CAM cells (bits)", "cam_cells"), ("SRAM cells (bits)", "sram_cells")):
            table.add_row(label, *(_number(part[key]) for part in (line, port, fabric)))
    return table


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
