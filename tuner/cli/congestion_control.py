# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The option `--congestion-control` of commands that import fabrics."""

from enum import StrEnum
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
