# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A table of what happened inside modelled hosts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.markup import escape

from tuner.cli import common
from tuner.cli.common import MOST_ROWS
from tuner.documents.byte_sizes import bytes_text


def host_tables(rows: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    """Yields the table of a measurement's `counters.modelled_hosts`; of more than MOST_ROWS hosts, those that waited longest for
    PCIe credits."""
    if not rows:
        return
    numbers = ("Drains Gb/s", "Lines, mean", "Without credits", "Buffer, mean", "Buffer, most", "FECN set", "Would drop")
    table = common.table("Modelled host", *numbers, right=numbers)
    for row in sorted(rows, key=lambda row: -row["without_credits_share"])[:MOST_ROWS] if len(rows) > MOST_ROWS else rows:
        table.add_row(
            escape(row["name"]),
            f"{row['drain_gbps']:.2f}",
            f"{row['occupancy_mean_lines']:.1f}",
            f"{row['without_credits_share']:.1%}",
            *(bytes_text(round(row[key])) for key in ("buffer_mean_bytes", "buffer_max_bytes")),
            f"{row['fecn_set']:.0f}",
            bytes_text(round(row["would_have_dropped_bytes"])),
        )
    yield table
