# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sends a fabric's files to a service; what is too large for it is read here, and the service gets the fabric document."""

import gzip
import io
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

from api.base.problems import TooLarge
from api.client import Client, RefusedError
from api.documents.fabric_imports import ImportOut
from api.documents.jobs import JobDocument
from tuner.cli import common
from tuner.documents.congestion_control import Dialect
from tuner.errors import BadInputError
from tuner.fabric.importers.unpacked import GZIP, PACKED_LIMIT_BYTES, UNPACKED_LIMIT_BYTES

_STEP_BYTES = 2**20
_EFFORT = 6


def sent(
    service: Client,
    file: Path,
    routes: Path | None,
    names: Path | None = None,
    *,
    name: str | None,
    fabric: str | None,
    mtu: int,
    routing: str | None = None,
    subnet: int | None = None,
    congestion_control: Dialect | None = None,
    strict: bool = False,
) -> ImportOut:
    """The import when the service has read it. What is too large for the service is read here first."""
    where: dict[str, Any] = {
        "name": name if fabric is None else None,
        "fabric": fabric,
        "routing": routing,
        "congestion_control": congestion_control,
    }
    try:
        topology = _packed(file)
        tables, name_map = (None if path is None else _packed(path) for path in (routes, names))
        one = service.import_fabric(topology, file_name=file.name, mtu_bytes=mtu, subnet=subnet, strict=strict, **where)
        if names is not None and name_map is not None:
            service.await_import(one, StepTeller())
            one = service.put_import_names(one.id, name_map, file_name=names.name)
        if routes is not None and tables is not None:
            service.await_import(one, StepTeller())
            one = service.put_import_routes(one.id, tables, file_name=routes.name)
    except (_TooLargeError, RefusedError) as error:
        if isinstance(error, RefusedError) and error.status != TooLarge.status:
            raise
        if not file.is_file():
            raise BadInputError(f"{error}; save it as a file, which is read here") from error
        common.note(f"{error}; it is read here, and the service gets the fabric document")
        # Slow to import, and rarely needed.
        from tuner.documents.fabric_text import fabric_text
        from tuner.fabric.importers.base import import_fabric
        from tuner.fabric.rerouting import rerouted_as_advised

        imported = import_fabric(file, mtu_bytes=mtu, routes=routes, names=names, subnet=subnet, strict=strict)
        if congestion_control is not None:
            imported = imported.with_congestion_control(congestion_control)
        fabric_document, advice = rerouted_as_advised(imported.fabric)
        document = fabric_text(fabric_document, (*imported.sentences, *advice.sentences()))
        one = service.import_fabric(gzip.compress(document.encode()), file_name=file.name, mtu_bytes=mtu, **where)
    return service.await_import(one, StepTeller())


class _TooLargeError(Exception):
    """A file is larger than the service reads."""


def _packed(path: Path) -> bytes:
    """A file packed by gzip. Raises _TooLargeError, and BadInputError for one that cannot be read."""
    try:
        if path.is_file() and path.stat().st_size > UNPACKED_LIMIT_BYTES:
            raise _TooLargeError(
                f"{path} has {path.stat().st_size:,} bytes, and the service reads at most {UNPACKED_LIMIT_BYTES:,}"
            )
        raw = path.read_bytes()  # once: it may be a pipe
        content = raw if raw.startswith(GZIP) else gzip.compress(raw, _EFFORT)
        if len(content) > PACKED_LIMIT_BYTES:
            raise _TooLargeError(f"{path} has {len(content):,} bytes packed, and the service takes {PACKED_LIMIT_BYTES:,}")
        if content is raw:
            _require_unpacked_size(path, raw)
    except OSError as error:
        raise BadInputError(f"cannot be read: {error.strerror or error}", source=str(path)) from error
    return content


def _require_unpacked_size(path: Path, content: bytes) -> None:
    """Raises _TooLargeError. What is damaged, the service tells better."""
    size = 0
    with suppress(EOFError, OSError, zlib.error), gzip.open(io.BytesIO(content)) as file:
        while chunk := file.read(_STEP_BYTES):
            size += len(chunk)
            if size > UNPACKED_LIMIT_BYTES:
                raise _TooLargeError(
                    f"{path} has more than {UNPACKED_LIMIT_BYTES:,} bytes unpacked, the most that the service reads"
                )


class StepTeller:
    """Tells each step of a job once."""

    def __init__(self) -> None:
        self._told = ""

    def __call__(self, job: JobDocument) -> None:
        if job.progress.text and job.progress.text != self._told:
            self._told = job.progress.text
            common.note(self._told)
