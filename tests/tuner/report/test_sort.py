# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The script that sorts tables, in a real browser."""

import re
import subprocess
from importlib import resources
from pathlib import Path

import pytest

from tests.browser import required, sandbox

pytestmark = [pytest.mark.long, pytest.mark.browser]

ROWS = (
    ("0 ★", "13.0", "kept"),
    ("1", "2.5", "short by 3 %"),
    ("2 ●", "–", "kept"),
    ("10", "1e-05", "kept"),
    ("9", "not in the run", "kept"),
)


@pytest.mark.parametrize(
    ("column", "clicks", "order"),
    [
        (0, 0, ["0", "1", "2", "10", "9"]),
        (0, 1, ["0", "1", "2", "9", "10"]),
        (0, 2, ["10", "9", "2", "1", "0"]),
        (1, 1, ["10", "1", "0", "2", "9"]),
        (1, 2, ["0", "1", "10", "2", "9"]),  # what has no value is last either way
        (2, 1, ["0", "2", "10", "9", "1"]),  # equal ones stay in order
    ],
)
def test_a_click_sorts(tmp_path: Path, column: int, clicks: int, order: list[str]) -> None:
    chromium = required()
    script = resources.files("tuner.report").joinpath("templates/sort.js").read_text(encoding="utf-8")
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in ROWS)
    page = tmp_path / "page.html"
    page.write_text(
        "<!DOCTYPE html><meta charset='utf-8'><table class='sortable'>"
        "<thead><tr><th>trial</th><th>value</th><th>kept</th></tr></thead>"
        f"<tbody>{body}</tbody></table><script>{script}</script>"
        f"<script>for (let i = 0; i < {clicks}; i++) document.querySelectorAll('th button')[{column}].click();</script>",
        encoding="utf-8",
    )
    command = [chromium, *sandbox(), "--headless", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run([*command, page.as_uri()], capture_output=True, text=True, timeout=120, check=True)
    assert re.findall(r"<tr><td>(\d+)", done.stdout) == order
    assert done.stdout.count('aria-sort="') == min(clicks, 1)
