# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A twin in a process of its own, bounded in memory and time (`tuner.bounded_process`).

The process leaves nothing behind if this one is killed: its standard input ends then, and it ends OpenSM and deletes its folder
(`twin_process.py`).
"""

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from tuner.bounded_process import Bounds, run_bounded

OnStep: TypeAlias = Callable[[str, float], None]
"""Told what is done, with the seconds that are left, and the part of all that is done, 0 to 1."""

_END_S = 20.0
"""Time that the process gets to end OpenSM before it is killed; its guard then ends OpenSM."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """A fabric to make the twin of, and the limits of the process."""

    document: str
    """Fabric document as YAML."""
    name: str
    """Name of the fabric."""
    source: str
    """Name of the file that it came from."""
    read: dict[str, Any]
    """`format`, `notes` and `remarks` of the import, where known."""
    memory_bytes: int
    time_s: float


@dataclass(frozen=True)
class Made:
    document: dict[str, Any]
    page: str


def make(order: Order, *, on_step: OnStep, should_stop: Callable[[], bool]) -> Made | None:
    """Returns None soon after `should_stop()` is true. Raises BadInputError with a sentence for people, and IbccError if the
    process ended for no reason that it gave."""
    with tempfile.TemporaryDirectory(prefix="ibcc-twin-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        (folder / "fabric.yaml").write_text(order.document, encoding="utf-8")
        plain = {key: value for key, value in vars(order).items() if key != "document"}
        (folder / "order.json").write_text(json.dumps(plain), encoding="utf-8")

        def on_told(told: dict[str, Any]) -> None:
            on_step(f"{told['step']}, about {told['left_s']:,} s left", told["fraction"])

        if not run_bounded("tuner.twin.twin_process", folder, _bounds(order), on_told=on_told, should_stop=should_stop):
            return None
        document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        return Made(document, (folder / "report.html").read_text(encoding="utf-8"))


def _bounds(order: Order) -> Bounds:
    return Bounds(
        time_s=order.time_s,
        end_s=_END_S,
        too_long=f"the twin was not made within {order.time_s:,.0f} s, the setting twin_time_s; 'ibcc twin' has no limit",
        too_much=(
            f"the twin of {order.source} needs more than {order.memory_bytes / 2**20:,.0f} MiB of memory, the setting "
            "twin_memory_bytes; 'ibcc twin' has no such limit"
        ),
        process=f"the process that makes the twin of {order.source}",
    )
