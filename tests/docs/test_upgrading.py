# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""docs/upgrading.md has every key that was renamed, and shows the warning as it is."""

import re
from pathlib import Path

import pytest

from tuner.document_base.renames import RENAMES
from tuner.document_base.yaml_core import read_document
from tuner.errors import OldKeyWarning


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs/upgrading.md").read_text()


def test_the_table_is_that_of_the_code(page: str) -> None:
    rows = re.findall(r"^\| ([a-z ]+) \| `(\S+)` \| `(\S+)` \|$", page, re.MULTILINE)
    assert rows == [(rename.kind, rename.old, rename.new) for rename in RENAMES]


def test_the_warning_is_shown_as_it_is(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shown,) = re.findall(r"^```text\nibcc: (.*)\n```$", page, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    Path("site.yaml").write_text("ibcc_inventory: 1\nharm: {}\n")
    with pytest.warns(OldKeyWarning, match=f"^{re.escape(shown)}$"):
        read_document(Path("site.yaml"))
