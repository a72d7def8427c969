# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Removes places of this machine from sentences for people, so that no answer shows where the service keeps its files.

What is stored for people to read has no path in it: columns marked `info=PATH_FREE` pass through `without_paths`, whoever writes
them (`api.database.base`). Problem documents (`api.http.problem_answers`) pass through `api.access.redaction.redacted`: admins
see paths that they, or another admin, typed, such as a plugin's socket; nobody sees the service's own folders.
"""

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

_KNOWN = "bin boot dev etc home lib lib64 media mnt nix opt proc root run sbin snap srv sys tmp usr var"

_own = {sys.prefix, sys.base_prefix, str(Path(__file__).parents[2])} - {"/", "/usr"}
_roots: set[str] = set(_KNOWN.split()) | set(os.listdir("/"))

_CHARACTERS = r"[^\s'\"`,;:()\[\]{}<>|*]"
_PATH = re.compile(rf"(?<![\w.…~-])/+(?!api/v1|problems/)(?P<root>[^/\s'\"`,;:()\[\]{{}}<>|*]+){_CHARACTERS}*")
_QUOTED = re.compile(r"(?P<mark>['\"`])(?P<path>/+[^'\"`\n]*\s[^'\"`\n]*)(?P=mark)")
"""With a space in it, of which only the marks around it tell where it ends."""
_TEMPORARY = re.compile(rf"/*{re.escape(tempfile.gettempdir().lstrip('/'))}/ibcc-{_CHARACTERS}*")
"""Path of a temporary file of the service, such as an emulated fabric's socket."""
_BEGINS = r"(?<![\w.…~/-])"
"""A path, and not in the middle of one: the service may live in `/ibcc`, and somebody else in `/home/x/ibcc`."""
_CAMPAIGN = r"(?:campaigns/[0-9a-f]+/)?"


def add_own_folder(folder: Path) -> None:
    """One of the service's own: no answer names it, not even to admins."""
    for place in {str(folder), str(folder.absolute()), str(folder.resolve())} - {"/", ".", ""}:
        _own.add(place)
        if (parts := Path(place).parts)[0] == "/":
            _roots.add(parts[1])


for _folder in (tempfile.gettempdir(), str(Path.cwd())):
    _roots.add(Path(_folder).parts[min(1, len(Path(_folder).parts) - 1)])


def without_own_places(text: str) -> str:
    """Replaces the service's folders in paths by `…`, as in `…/ibcc.db`; a path in a campaign's folder becomes relative to it."""
    for folder in sorted(_own, key=len, reverse=True):
        if folder in text:
            text = re.sub(rf"{_BEGINS}/+{re.escape(folder.lstrip('/'))}/{_CAMPAIGN}", _shortened, text)
            text = re.sub(rf"{_BEGINS}{re.escape(folder)}(?![\w-])", "…", text)
    return _TEMPORARY.sub(lambda match: f"…/{match.group().rstrip('/').rpartition('/')[2]}", text)


def without_paths(text: str, *, but: str = "") -> str:
    """Returns the text with only the last part of each absolute path, unless the path stands in `but`."""

    def shorter(match: re.Match[str]) -> str:
        path = match.group()
        # A single name is a place where this machine has it. What has several may be one of another machine, or of a disk that
        # is not there now.
        is_url = path.startswith("//") and match.string[: match.start()].endswith(":")
        is_place = match["root"] in _roots or ("/" in path.strip("/") and not is_url)
        return _name_of(path) if is_place and path.rstrip(".") not in but else path

    def shorter_in_marks(match: re.Match[str]) -> str:
        mark, path = match["mark"], match["path"]
        return match.group() if path in but else f"{mark}{_name_of(path)}{mark}"

    return _PATH.sub(shorter, _QUOTED.sub(shorter_in_marks, without_own_places(text)))


def without_paths_in(value: Any) -> Any:
    """Shortens the paths in all texts of a JSON document in the same way; names of members stay."""
    if isinstance(value, str):
        return without_paths(value)
    if isinstance(value, dict):
        return {name: without_paths_in(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [without_paths_in(one) for one in value]
    return value


def _name_of(path: str) -> str:
    return f"…/{path.rstrip('/').rpartition('/')[2]}"


def _shortened(match: re.Match[str]) -> str:
    return "" if "campaigns/" in match.group() else "…/"
