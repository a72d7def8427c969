# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sends a fabric's files to a service; what is too large for it is read here, and the service gets the fabric document."""

import gzip
from pathlib import Path
from typing import Any

from api.client import Client, RefusedError
from api.documents.fabric_imports import ImportOut
from api.documents.jobs import JobDocument
from api.problems import TooLarge
from tuner.cli import common
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.importers.unpacked import GZIP, PACKED_LIMIT_BYTES, UNPACKED_LIMIT_BYTES

_STEP_BYTES = 2**20


def sent(service: Client, file: Path, routes: Path | None, *, name: str | None, fabric: str | None, mtu: int) -> ImportOut:
    """The import when the service has read it. What is too large for the service is read here first."""
    where: dict[str, Any] = {"name": name if fabric is None else None, "fabric": fabric}
    try:
        contents = [_packed(path) for path in (file, *([] if routes is None else [routes]))]
        one = service.import_fabric(contents[0], file_name=file.name, mtu_bytes=mtu, **where)
        if routes is not None:
            service.await_import(one, StepTeller())
            one = service.put_import_routes(one.id, contents[1], file_name=routes.name)
    except (_TooLargeError, RefusedError) as error:
        if isinstance(error, RefusedError) and error.status != TooLarge.status:
            raise
        common.note(f"{error}; it is read here, and the service gets the fabric document")
        imported = import_fabric(file, mtu_bytes=mtu, routes=routes)
        document = fabric_text(imported.fabric, imported.notes)
        one = service.import_fabric(gzip.compress(document.encode()), file_name=file.name, mtu_bytes=mtu, **where)
    return service.await_import(one, StepTeller())


class _TooLargeError(Exception):
    """A file is larger than the service reads."""


def _packed(path: Path) -> bytes:
    """A file packed by gzip. Raises _TooLargeError, and BadInputError for one that cannot be read."""
    try:
        with path.open("rb") as file:
            packed = file.read(len(GZIP)) == GZIP
        size = path.stat().st_size
        if not packed and size > UNPACKED_LIMIT_BYTES:
            raise _TooLargeError(f"{path} has {size:,} bytes, and the service reads at most {UNPACKED_LIMIT_BYTES:,}")
        content = path.read_bytes() if packed else gzip.compress(path.read_bytes(), 6)
        if len(content) > PACKED_LIMIT_BYTES:
            raise _TooLargeError(f"{path} has {len(content):,} bytes packed, and the service takes {PACKED_LIMIT_BYTES:,}")
        if packed:
            _require_unpacked_size(path)
    except (OSError, EOFError) as error:
        raise BadInputError(f"cannot be read: {error}", source=str(path)) from error
    return content


def _require_unpacked_size(path: Path) -> None:
    size = 0
    with gzip.open(path) as file:
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
