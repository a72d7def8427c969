# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Selectors of hosts by description: `*`, `?` and `[abc]` as in a shell, and numbers as Slurm and ClusterShell write them,
`n[001-010,12]`."""

import fnmatch
import re
from collections.abc import Callable

from tuner.errors import BadInputError

_NUMBERS = re.compile(r"\[(\d{1,9}(?:-\d{1,9})?(?:,\d{1,9}(?:-\d{1,9})?)*)\]")
"""Brackets with whole numbers and ranges of them alone."""


def selects(selector: str) -> Callable[[str], bool]:
    """Returns whether a description is selected.

    Brackets are numbers, not a set of characters, if they hold a comma or a range whose end has two digits or more: nobody means
    the characters 1 and 6 by `[1-16]`. A range that begins with 0 has numbers of that many digits, others have none in front.
    Raises BadInputError for a range that ends below its beginning.
    """
    parts: list[str] = []
    tests: list[Callable[[str], bool]] = []
    at = 0
    for found in _NUMBERS.finditer(selector):
        if "," in found[1] or ("-" in found[1] and len(found[1]) > 3):
            # A `*` in front of a number takes none of its digits.
            parts += [re.sub(r"\.\*\)$", ".*?)", _regular(selector[at : found.start()])), r"(\d+)(?!\d)"]
            tests.append(_in_ranges(found[1], selector))
            at = found.end()
    pattern = re.compile("".join([*parts, _regular(selector[at:])]), re.DOTALL)

    def is_selected(description: str) -> bool:
        match = pattern.fullmatch(description)
        return match is not None and all(test(number) for test, number in zip(tests, match.groups(), strict=True))

    return is_selected


def _regular(shell: str) -> str:
    return fnmatch.translate(shell).removesuffix(r"\Z").removesuffix(r"\z")


def _in_ranges(text: str, selector: str) -> Callable[[str], bool]:
    ranges = []
    for part in text.split(","):
        low, _, high = part.partition("-")
        width = len(low) if low.startswith("0") else 1
        ranges.append((int(low), int(high or low), width))
        if ranges[-1][1] < ranges[-1][0]:
            raise BadInputError(f"hosts '{selector}': {part} ends below its beginning; write {high}-{low}")
    return lambda number: any(low <= int(number) <= high and number == f"{int(number):0{width}d}" for low, high, width in ranges)
