# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc upgrade`: gives the keys of documents their new names."""

import contextlib
import difflib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tuner.cli import common
from tuner.document_base.renames import Change, kind_of
from tuner.document_base.rewriting import upgraded
from tuner.document_base.yaml_core import parse_as_written, read_text
from tuner.errors import BadInputError

app = typer.Typer()

KINDS = ("campaign", "fabric", "inventory", "profile", "workload")


@dataclass(frozen=True)
class _Upgrade:
    """A file that has old keys, and what becomes of its text."""

    path: Path
    old: str
    new: str
    changes: list[Change]

    def describe(self) -> str:
        return ", ".join(dict.fromkeys(f"'{one.rename.old}' is now '{one.rename.new}'" for one in self.changes))

    def diff(self) -> Iterator[str]:
        old, new = (text.splitlines(keepends=True) for text in (self.old, self.new))
        return difflib.unified_diff(old, new, str(self.path), str(self.path))


@app.command()
def upgrade(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="Documents: profiles, fabrics, workloads, campaigns, inventories.")
    ],
    check: Annotated[bool, typer.Option("--check", help="Change no file; exit with 1 if one has old keys.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Change no file; print what would change.")] = False,
) -> None:
    """Give the keys of documents their new names, in place.

    Comments, order and layout stay. The former text of a file that changes is kept beside it, as `FILE~`; a file without old keys
    is not touched. If one of the files cannot be read, none is changed.

    Example: `ibcc upgrade site.yaml fabrics/*.yaml`
    """
    found = [one for one in map(_upgrade, dict.fromkeys(files)) if one is not None]
    for one in found:
        if diff:
            sys.stdout.writelines(one.diff())
        if not check and not diff:
            _replace(one.path, one.new)
        common.note(f"{one.path}: {one.describe()}")
    if check and found:
        raise typer.Exit(1)


def _upgrade(path: Path) -> _Upgrade | None:
    """None for a file without old keys. Raises BadInputError."""
    text = read_text(path, newline="")
    new, changes = upgraded(text, source=str(path))
    if (kind := kind_of(parse_as_written(new, source=str(path))[0].value)) not in KINDS:
        known = ", ".join(f"ibcc_{one}" for one in KINDS)
        sentence = f"has the key 'ibcc_{kind}'" if kind else "is no document of ibcc"
        raise BadInputError(f"{sentence}; a document has one of the keys {known}", source=str(path))
    return _Upgrade(path, text, new, changes) if changes else None


def _replace(path: Path, text: str) -> None:
    """Writes the new text beside the file and renames it, so that there is the old one or the new one at any moment."""
    path = path.resolve()
    try:
        shutil.copy2(path, f"{path}~")
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            shutil.copystat(path, name)
            with contextlib.suppress(PermissionError):  # of somebody else's file: it becomes one's own
                os.chown(name, path.stat().st_uid, path.stat().st_gid)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise BadInputError(f"cannot be rewritten: {error.strerror}", source=str(path)) from error
