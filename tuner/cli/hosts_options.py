# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The options of `ibcc hosts`, of which `ibcc --server URL hosts check` has some too."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import typer

from tuner.hosts.checked_host import PATIENCE_S

InventoryArgument: TypeAlias = Annotated[str, typer.Argument(help="Inventory document, by path or name.")]
NodesOption: TypeAlias = Annotated[str | None, typer.Option(metavar="NODESET", help="Use only these hosts, such as node[01-16].")]


@dataclass(frozen=True, kw_only=True)
class HostCheckOptions:
    """Options that choose the hosts to check and the time limit of each step."""

    nodes: NodesOption = None
    patience_s: Annotated[
        float, typer.Option(help="Time limit of each of the check's three steps, in seconds.", min=1, max=3600)
    ] = PATIENCE_S
