# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tables of a fabric's levels and rates, for a document here and for an import in a service."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from rich.table import Table

from tuner.cli import common


class LevelRow(Protocol):
    """One level of a tree: `tuner.fabric.summary.Level` and what a service returns have these fields."""

    @property
    def tree(self) -> bool: ...
    @property
    def level(self) -> int | None: ...
    @property
    def switches(self) -> int: ...
    @property
    def hosts(self) -> int: ...
    @property
    def links_up(self) -> int: ...
    @property
    def oversubscription(self) -> float | None: ...


def level_table(levels: Sequence[LevelRow]) -> Table:
    """Returns a table with the highest level first."""
    table = common.table("Level", "Switches", "Hosts", "Links up", "Oversubscription", right=["Switches", "Hosts", "Links up"])
    for level in reversed(levels):
        first = "1 (leaves)" if level.tree else "1 (with hosts)"
        name = "no hosts in reach" if level.level is None else first if level.level == 1 else str(level.level)
        ratio = "" if level.oversubscription is None else f"up to {level.oversubscription:.2f} : 1"
        table.add_row(name, str(level.switches), str(level.hosts), str(level.links_up), ratio)
    return table


def rate_table(rates: Iterable[tuple[str, int, float]]) -> Table:
    """Returns a table of rates, with their numbers of links and data rates in Gb/s."""
    table = common.table("Links", "Rate", "Data Gb/s", right=["Links", "Data Gb/s"])
    for rate, count, data_gbps in rates:
        table.add_row(str(count), rate, f"{data_gbps:g}")
    return table
