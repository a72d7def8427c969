# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Values of the option `--congestion-control`."""

from enum import StrEnum


class CongestionControlKind(StrEnum):
    """The dialects that somebody can say devices have."""

    A10 = "a10"
    NVIDIA_DCQCN = "nvidia-dcqcn"
    NVIDIA_PPCC = "nvidia-ppcc"
    BOTH = "both"
    NONE = "none"
