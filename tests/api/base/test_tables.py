# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""CSV: what spreadsheets read is what was meant."""

import csv

import pytest

from api.base.tables import csv_chunks


def test_cells() -> None:
    rows: list[list[object]] = [["a,b", 'c"d', "e\nf"], [None, True, 1.5], [-3, 0, "ä"]]
    read = list(csv.reader("".join(csv_chunks(["x", "y", "z"], rows)).splitlines(keepends=True)))
    assert read == [["x", "y", "z"], ["a,b", 'c"d', "e\nf"], ["", "true", "1.5"], ["-3", "0", "ä"]]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_text_is_no_formula(text: str) -> None:
    (table,) = csv_chunks(["x"], [[text]])
    (cell,) = next(csv.reader([table.partition("\r\n")[2]], strict=True))
    assert cell.startswith("'")


def test_lines_are_sent_together() -> None:
    rows = [[number, "x" * 50] for number in range(10_000)]
    chunks = list(csv_chunks(["number", "text"], rows))
    assert len(chunks) < 20
    assert max(map(len, chunks)) < 2**17
    assert list(csv.reader("".join(chunks).splitlines()))[1:] == [[str(number), text] for number, text in rows]
