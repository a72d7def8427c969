# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The folder in which checks keep their nights, as an option. Apart from `check_options`, which takes long to import."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

HISTORY_VARIABLE = "IBCC_CHECKS"
DEFAULT_HISTORY = Path("/var/lib/ibcc/checks")

HistoryOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help=f"Keep the nights below this folder; by default ${HISTORY_VARIABLE}, or {DEFAULT_HISTORY}."
    ),
]
