# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What is said to whoever asks for lanes."""


class LanesError(Exception):
    """One sentence says what is wrong, and what would be right."""
