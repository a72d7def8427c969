# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A check that could not be run as a whole."""

from tuner.errors import IbccError


class CouldNotRunError(IbccError):
    """The sentence says why, and what would help."""

    exit_code = 3

    def __init__(self, sentence: str) -> None:
        super().__init__(f"could not be run: {sentence}")
