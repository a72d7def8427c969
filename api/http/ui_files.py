# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The web UI's files, as they were built into `api/ui/dist`, and its page at the paths of the page's router: a link to
/campaigns/… opens the page, which shows the campaign. At all other paths the answer is 404: for browsers with the page, which
says so, and else as a problem document.

The page gets a nonce, new each time, for the style element that its components write; the policy allows no other.
"""

import functools
import gzip
import mimetypes
import re
import secrets
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse

from api.base.problems import NotFound
from api.middleware.security_headers import CONTENT_SECURITY_POLICY

FOLDER = Path(__file__).parents[1] / "ui" / "dist"

NONCE = "__CSP_NONCE__"
"""Placeholder in the built index.html, which the answer replaces by the nonce."""

_PACKED = (".js", ".css", ".svg", ".json", ".webmanifest")
"""Files hold no secrets, so that packing them tells nobody anything; answers of the API are not packed."""

_YEAR = "public, max-age=31536000, immutable"

PATHS = (
    "/",
    "/login",
    "/welcome",
    "/setup",
    "/fabrics",
    "/fabrics/import",
    "/fabrics/import/:id",
    "/fabrics/:fabric/versions/:version",
    "/fabrics/:fabric",
    "/fabrics/:fabric/devices/:guid",
    "/hosts",
    "/checks",
    "/checks/new",
    "/checks/:name",
    "/checks/:name/edit",
    "/checks/:name/nights/:date",
    "/profiles",
    "/profiles/new",
    "/profiles/suggest",
    "/profiles/:name",
    "/profiles/:name/edit",
    "/workloads",
    "/workloads/new",
    "/workloads/:name",
    "/workloads/:name/edit",
    "/campaigns",
    "/campaigns/new",
    "/campaigns/:id",
    "/campaigns/:id/edit",
    "/campaigns/:id/compare",
    "/campaigns/:id/trials/:number",
    "/promote",
    "/events",
    "/settings",
)
"""Paths of the page's router, `api/ui/src/app/routes.tsx`; tests/api/http/test_ui_files.py compares the two."""

_PAGES = re.compile("|".join(re.sub(r":[a-z]+", "[^/]+", path) for path in PATHS), re.IGNORECASE)

_NOT_BUILT = """<!doctype html><html lang="en"><title>ibcc</title><h1>ibcc</h1>
<p>The service runs, but its web interface was not built into this installation. The API is at
<a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</p></html>
"""


def install(app: FastAPI, folder: Path = FOLDER) -> None:
    files = _files(folder)

    async def page(request: Request) -> Response:
        path = request.url.path.removeprefix("/")
        if path.split("/")[0] in ("api", "problems"):
            raise NotFound(f"There is nothing at {request.url.path}.")
        if (file := files.get(path)) is not None and path != "index.html":
            return _file(file, path, _takes_gzip(request.headers.get("accept-encoding", "")))
        known = _PAGES.fullmatch("/" + path.rstrip("/")) is not None
        if not known and (path.startswith("assets/") or "text/html" not in request.headers.get("accept", "")):
            raise NotFound(f"There is nothing at {request.url.path}.")
        return _index(files.get("index.html"), 200 if known else 404)

    app.add_route("/{path:path}", page, methods=["GET"], include_in_schema=False)


def _files(folder: Path) -> dict[str, Path]:
    """Listed once: a request can name nothing that was not there at the start, whatever its path looks like."""
    return {str(file.relative_to(folder)): file for file in sorted(folder.rglob("*")) if file.is_file()}


def _takes_gzip(accepted: str) -> bool:
    """True if an Accept-Encoding takes gzip; a weight of 0 in it means that a coding is refused (RFC 9110, 12.5.3)."""
    weights = {}
    for accepted_coding in accepted.lower().split(","):
        coding, _, weight = accepted_coding.partition(";")
        weights[coding.strip()] = weight.strip().removeprefix("q=").strip() or "1"
    return weights.get("gzip", weights.get("*", "0")).rstrip("0.") != ""


def _file(file: Path, path: str, packed: bool) -> Response:
    media_type = mimetypes.guess_type(path)[0] or "application/octet-stream"
    # The names of assets hold a digest of what is in them.
    cache = _YEAR if path.startswith("assets/") else "no-cache"
    headers = {"Cache-Control": cache, "Vary": "Accept-Encoding"}
    if packed and file.suffix in _PACKED:
        return Response(_gzip(file), media_type=media_type, headers=headers | {"Content-Encoding": "gzip"})
    return Response(file.read_bytes(), media_type=media_type, headers=headers)


@functools.cache
def _gzip(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), mtime=0)


def _index(file: Path | None, status: int) -> Response:
    nonce = secrets.token_urlsafe(16)
    policy = CONTENT_SECURITY_POLICY.replace("style-src 'self'", f"style-src 'self' 'nonce-{nonce}'")
    page = _NOT_BUILT if file is None else file.read_text(encoding="utf-8").replace(NONCE, nonce)
    return HTMLResponse(page, status, headers={"Cache-Control": "no-cache", "Content-Security-Policy": policy})
