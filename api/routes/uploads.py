# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Bodies that are files, as they are or packed by gzip: `upload: Upload` in a route, before its session, since a body may take
minutes to arrive and a transaction would hold up all others meanwhile."""

import zlib
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, Request

from api.access.dependencies import Admin
from api.base.problems import InvalidInput, UnsupportedMedia
from tuner.fabric.importers.unpacked import GZIP

MEDIA_TYPES = ("application/octet-stream", "application/gzip", "application/yaml", "text/plain")
"""What the files are: printed text, YAML, either packed. A page of another site can have a browser send `text/plain` without
asking, but not with the header that a session needs to change something (`api.access.dependencies`)."""

BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The file. gzip may have packed it, whatever its media type.",
        "content": {name: {"schema": {"type": "string", "format": "binary", "minLength": 1}} for name in MEDIA_TYPES},
    }
}
"""For `openapi_extra` of a route with an upload."""

_QUICK = 1


async def _upload(request: Request, principal: Admin) -> bytes:
    """The body, packed by gzip. It is read only once the principal is known; `api.middleware.body_limit` counts it."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in MEDIA_TYPES:
        raise UnsupportedMedia(f"The body is {media_type[:80] or 'of no type'!r}; a file is sent as {' or '.join(MEDIA_TYPES)}.")
    content = bytearray()
    packer = None
    async for chunk in request.stream():
        if not content and not chunk.startswith(GZIP[:1]) and packer is None and chunk:
            packer = zlib.compressobj(_QUICK, wbits=16 + zlib.MAX_WBITS)
        content += chunk if packer is None else packer.compress(chunk)
    if packer is not None:
        content += packer.flush()
    if not content:
        raise InvalidInput.of_field("body", "is empty; the output of ibnetdiscover, for example, would be right")
    return bytes(content)


Upload: TypeAlias = Annotated[bytes, Depends(_upload)]
"""A file, packed by gzip."""
