# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Numbers of bytes, for people."""


def bytes_text(number: float) -> str:
    """Returns a number of bytes with three digits and a unit, from KiB to GiB: `264 KiB`, `8.25 MiB`."""
    for factor, unit in ((2**30, "GiB"), (2**20, "MiB")):
        if number >= factor:
            return f"{number / factor:.3g} {unit}"
    return f"{number / 1024:.4g} KiB"
