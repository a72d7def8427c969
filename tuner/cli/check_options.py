# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parts that the commands of `ibcc check` share: their options, and the history of a check."""

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from tuner.checks.store.history import KEEP_NIGHTS, History
from tuner.cli.history_option import DEFAULT_HISTORY, HISTORY_VARIABLE
from tuner.documents.check import Check, load_check


class CheckOutput(StrEnum):
    TABLE = "table"
    JSON = "json"


class RunOutput(StrEnum):
    TABLE = "table"
    JSON = "json"
    MAIL = "mail"


CheckArgument: TypeAlias = Annotated[
    str, typer.Argument(help="Check by path, or by the name of one in the history, or of a packaged one.")
]
CheckOutputOption: TypeAlias = Annotated[CheckOutput, typer.Option("--output", help="Print the result in this format.")]
FabricOption: TypeAlias = Annotated[str | None, typer.Option(help="Fabric, by path or name, instead of the check's own.")]


def loaded(name: str, fabric: str | None, history: Path | None) -> Check:
    """`name`: a path, the name of a check of which `history` has nights, or of a packaged one. Raises BadInputError."""
    check = load_check(_document_of(name, history) or name)
    return check if fabric is None else check.model_copy(update={"fabric": fabric})


def _document_of(name: str, history: Path | None) -> Path | None:
    """Commands that a check prints name it by its name, from wherever they are run."""
    if Path(name).name != name or Path(name).exists():
        return None
    return History(history_folder(history), name).document


def history_folder(folder: Path | None) -> Path:
    return folder or Path(os.environ.get(HISTORY_VARIABLE) or DEFAULT_HISTORY)


def history_of(check: Check, folder: Path | None, keep_nights: int = KEEP_NIGHTS) -> History:
    return History(history_folder(folder), check.name, keep_nights=keep_nights)
