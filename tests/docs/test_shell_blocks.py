# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What README.md and docs/ tell people to type works: each block that begins with ```sh run, and each link to a file.

`make test` runs those of README.md, `.ci/run` those of docs/ too, and `make test-all` also those that begin with ```sh run slow.
"""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.opensm_plugin.conftest import library

__all__ = ["library"]

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```sh run( slow)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def blocks() -> list[Any]:
    return [
        pytest.param(script, id=f"{document.relative_to(ROOT)}-{number}", marks=marks(document, bool(slow)))
        for document in DOCUMENTS
        for number, (slow, script) in enumerate(BLOCK.findall(document.read_text()), start=1)
    ]


def marks(document: Path, slow: bool) -> list[pytest.MarkDecorator]:
    if slow:
        return [pytest.mark.slow]
    return [] if document.parent == ROOT else [pytest.mark.thorough]


@pytest.mark.long
@pytest.mark.parametrize("script", blocks())
def test_block_runs(script: str, ibcc: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if "ibcc emulate" in script or "ccsimd" in script or "backend=emulated" in script:
        request.getfixturevalue("infiniband_programs")
    if "--plugin" in script or "backend=emulated" in script:
        request.getfixturevalue("library")
    environment = os.environ | {"PATH": f"{ibcc.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"


def test_there_are_blocks() -> None:
    assert len(blocks()) > 0


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    dead = [link for link in LINK.findall(CODE.sub("", document.read_text())) if not (document.parent / link).exists()]
    assert dead == []
