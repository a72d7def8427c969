# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Options that name a stored campaign."""

from typing import Annotated, TypeAlias

import typer

StorageArgument: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="STORAGE", help="As for `ibcc tune --storage`: an SQLite file, or postgresql://USER@HOST/DATABASE."),
]
CampaignOption: TypeAlias = Annotated[
    str | None, typer.Option("--campaign", metavar="NAME", help="Name of the campaign, if the storage has several.")
]
