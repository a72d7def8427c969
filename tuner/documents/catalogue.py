# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds documents by path or by name: what comes with ibcc, in `configs/`, and what people keep in files."""

import os
from importlib import resources
from pathlib import Path
from typing import Literal, TypeAlias

from tuner.document_base.model import unknown_name
from tuner.errors import BadInputError

Kind: TypeAlias = Literal["profile", "fabric", "workload", "campaign", "inventory", "check"]

_FOLDERS: dict[Kind, str] = {"inventory": "inventories"}  # where an s at the end does not do
_PACKAGE = "ibcc_configs"  # what setup.py installs the folder configs/ as
_SUFFIXES = (".yaml", ".yml", ".json")


def is_path(reference: str | os.PathLike[str]) -> bool:
    """True if a reference is a path: it has a folder or a document's suffix. Everything else is a packaged document's name."""
    text = os.fspath(reference)
    return isinstance(reference, os.PathLike) or "/" in text or text.endswith(_SUFFIXES)


def find(kind: Kind, reference: str | os.PathLike[str]) -> Path:
    """The file that a path or name stands for. Raises BadInputError if there is none."""
    if is_path(reference):
        path = Path(reference)
        if not path.is_file():
            raise BadInputError(
                f"{kind} '{reference}' does not exist" if not path.exists() else f"{kind} '{reference}' is not a file"
            )
        return path
    packaged = names(kind)
    if reference not in packaged:
        if (path := Path(reference)).is_file():  # such as site.conf: what is in it decides
            return path
        raise BadInputError(unknown_name(kind, os.fspath(reference), packaged))
    return folder(kind) / f"{reference}.yaml"


def names(kind: Kind) -> list[str]:
    """The packaged documents of a kind, alphabetically."""
    return sorted(path.stem for path in folder(kind).glob("*.yaml"))


def anchored(reference: str, folder: Path) -> str:
    """A reference inside a document in `folder`, as one that holds everywhere."""
    return str((folder / reference).absolute()) if is_path(reference) else reference


def folder(kind: Kind) -> Path:
    """Returns the folder of the packaged documents of a kind."""
    return Path(str(resources.files(_PACKAGE))) / _FOLDERS.get(kind, f"{kind}s")
