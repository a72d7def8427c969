# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Each mutant still applies to the sources as they are: else `make mutants`, which takes long, would be the first to say so."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/mutants"
PLUGIN: list[dict[str, Any]] = yaml.safe_load((HERE / "plugin.yaml").read_text())


@pytest.mark.skipif(shutil.which("git") is None and "CI" not in os.environ, reason="no git: Debian's package of that name has it")
@pytest.mark.parametrize("patch", sorted(HERE.glob("*.patch")), ids=lambda patch: patch.stem)
def test_a_patch_applies(patch: Path) -> None:
    done = subprocess.run(["git", "apply", "--check", patch], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("row", PLUGIN, ids=lambda row: row["name"])
def test_what_a_row_replaces_stands_once_in_its_file(row: dict[str, Any]) -> None:
    for edit in row["edits"]:
        assert (ROOT / "opensm_plugin/src" / edit["file"]).read_text().count(edit["from"]) == 1, edit
