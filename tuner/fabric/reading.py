# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads what somebody uploaded in a process of its own, bounded in memory and time (`tuner.bounded_process`)."""

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from tuner.bounded_process import Bounds, run_bounded
from tuner.documents.congestion_control import Dialect
from tuner.errors import BadInputError

OnStep: TypeAlias = Callable[[str, float], None]
"""Told the step of the work, and the part of it that is done, 0 to 1."""

_ELSEWHERE = "'ibcc fabric import' has no such limit, and the service imports the fabric document that it makes"


class UnreadableError(BadInputError):
    """The upload makes no fabric; the sentence says why."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """A topology to read, and the limits of reading it."""

    topology: bytes
    """File as it was uploaded; gzip is unpacked."""
    source: str
    """Name of the topology in errors and comments, such as the file's."""
    name: str
    """Name of the fabric in its document."""
    mtu_bytes: int = 4096
    routes: bytes | None = None
    """Forwarding tables, perhaps packed."""
    routes_source: str = "forwarding tables"
    names: bytes | None = None
    """Node name map, perhaps packed."""
    names_source: str = "node name map"
    subnet: int | None = None
    """Subnet to take of a fabric that has several."""
    congestion_control: Dialect | None = None
    """Dialect of all devices; None: as their ids, names and speeds tell."""
    strict: bool = False
    """Whether the first odd row is refused."""
    routing: str | None = None
    """Routing of the simulator that replaces the one that was read."""
    before: str | None = None
    """Document to compare with."""
    memory_bytes: int
    time_s: float
    unpacked_limit_bytes: int


@dataclass(frozen=True)
class Reading:
    """A fabric document, and the preview of `tuner.fabric.preview`."""

    document: str
    preview: dict[str, Any]


def read(order: Order, *, on_step: OnStep, should_stop: Callable[[], bool]) -> Reading | None:
    """Returns None soon after `should_stop()` is true. Raises UnreadableError with a sentence for people, and IbccError if the
    process ended for no reason that it gave."""
    with tempfile.TemporaryDirectory(prefix="ibcc-import-") as place:
        folder = Path(place)
        _write(order, folder)

        def on_told(told: dict[str, Any]) -> None:
            on_step(told["step"], told["fraction"])

        if not run_bounded("tuner.fabric.reading_process", folder, _bounds(order), on_told=on_told, should_stop=should_stop):
            return None
        preview = json.loads((folder / "preview.json").read_text(encoding="utf-8"))
        return Reading((folder / "document.yaml").read_text(encoding="utf-8"), preview)


def _bounds(order: Order) -> Bounds:
    return Bounds(
        time_s=order.time_s,
        too_long=f"was not read within {order.time_s:,.0f} s, the setting import_time_s; {_ELSEWHERE}",
        too_much=(
            f"{order.source}: needs more than {order.memory_bytes / 2**20:,.0f} MiB of memory to read, the setting "
            f"import_memory_bytes; {_ELSEWHERE}"
        ),
        process=f"{order.source}: the process that reads it",
        refusal=UnreadableError,
    )


def _write(order: Order, folder: Path) -> None:
    plain = {key: value for key, value in vars(order).items() if key not in ("topology", "routes", "names", "before")}
    (folder / "order.json").write_text(json.dumps(plain), encoding="utf-8")
    (folder / "topology").write_bytes(order.topology)
    if order.routes is not None:
        (folder / "routes").write_bytes(order.routes)
    if order.names is not None:
        (folder / "names").write_bytes(order.names)
    if order.before is not None:
        (folder / "before.yaml").write_text(order.before, encoding="utf-8")
