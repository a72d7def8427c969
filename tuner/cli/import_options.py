# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Options of commands that import fabrics, here or in the service."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer


class CongestionControlKind(StrEnum):
    """The dialects that somebody can say devices have."""

    A10 = "a10"
    NVIDIA_DCQCN = "nvidia-dcqcn"
    NVIDIA_PPCC = "nvidia-ppcc"
    BOTH = "both"
    NONE = "none"


CongestionControlOption: TypeAlias = Annotated[
    CongestionControlKind | None,
    typer.Option(
        help="Congestion control of all devices; by default as their ids, names and speeds tell, and `unknown` where these "
        "tell nothing, until somebody says it."
    ),
]

RoutesOption: TypeAlias = Annotated[
    Path | None, typer.Option(help="Forwarding tables: opensm-lfts.dump, or output of `dump_fts` or `ibroute`.")
]
NamesOption: TypeAlias = Annotated[
    Path | None, typer.Option(help="Name nodes by this node name map: a GUID and a name a line, as OpenSM reads it.")
]
SubnetOption: TypeAlias = Annotated[
    int | None, typer.Option(min=1, help="Take this subnet of a fabric that has several, such as planes or rails.")
]
StrictOption: TypeAlias = Annotated[
    bool, typer.Option("--strict", help="Refuse the first odd row instead of keeping what is sound without it.")
]
