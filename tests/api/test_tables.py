# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""CSV: what spreadsheets read is what was meant."""

import csv

import pytest

from api.tables import csv_lines


def test_cells() -> None:
    rows: list[list[object]] = [["a,b", 'c"d', "e\nf"], [None, True, 1.5], [-3, 0, "ä"]]
    read = list(csv.reader("".join(csv_lines(["x", "y", "z"], rows)).splitlines(keepends=True)))
    assert read == [["x", "y", "z"], ["a,b", 'c"d', "e\nf"], ["", "true", "1.5"], ["-3", "0", "ä"]]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_text_is_no_formula(text: str) -> None:
    (_, cell) = csv_lines(["x"], [[text]])
    assert next(csv.reader([cell], strict=True))[0].startswith("'")
