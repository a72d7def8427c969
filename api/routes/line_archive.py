# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The files of a line of OpenSM as one ZIP archive."""

from typing import Annotated, Any, TypeAlias

from fastapi import Query, Response

from api.routes.fields import Text
from api.services import fabric_routing
from tuner.fabric.opensm_line import OpensmLine

LineFolder: TypeAlias = Annotated[
    Text,
    Query(
        pattern=r"^/[A-Za-z0-9._/-]*$",
        max_length=200,
        description="Folder that OpenSM's machine has the files in.",
        examples=["/etc/opensm"],
    ),
]
LINE_ARCHIVE: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
        "description": "A ZIP archive of the files that the advised line names, and opensm.conf.",
    }
}


def line_archive(line: OpensmLine, folder: str, name: str) -> Response:
    """`folder`: the one that opensm.conf names; `name`: of the fabric."""
    headers = {"Content-Disposition": f'attachment; filename="{name}-opensm.zip"'}
    return Response(fabric_routing.line_archive(line, folder), media_type="application/zip", headers=headers)
