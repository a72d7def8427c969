# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures by which a drawing of a fabric may be colored; the command line offers these before it knows whether anything is
drawn."""

from enum import StrEnum


class By(StrEnum):
    """Measures of a port's congestion."""

    XMIT_WAIT = "xmit-wait"
    FECN = "fecn"
    QUEUE = "queue"
    UTILISATION = "utilisation"
