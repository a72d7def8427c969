# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The error of this package."""


class LanesError(Exception):
    """One sentence says what is wrong, and what would be right."""
