# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The option `--congestion-control` of commands that import fabrics."""

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer


class CongestionControlKind(StrEnum):
    """The dialects of fabric documents."""

    A10 = "a10"
    NVIDIA_DCQCN = "nvidia-dcqcn"
    NVIDIA_PPCC = "nvidia-ppcc"
    BOTH = "both"
    NONE = "none"


CongestionControlOption: TypeAlias = Annotated[
    CongestionControlKind | None,
    typer.Option(help="Congestion control of all devices; by default a guess by their device ids, names and speeds."),
]
