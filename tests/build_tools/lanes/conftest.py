# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A small repository in the shape of ours."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from build_tools.lanes import built
from build_tools.lanes.names import NATIVE

FILES = {
    "pyproject.toml": '[project.scripts]\nibcc = "tuner.cli.main:main"\n[project.entry-points."ibcc.commands"]\n'
    'run = "tuner.cli.run:app"\n',
    "tuner/cli/main.py": "import tuner.errors",
    "tuner/cli/run.py": "from tuner import kinds",
    "tuner/errors.py": "",
    "tuner/registry.py": "",
    "tuner/kinds/__init__.py": "",
    "tuner/kinds/base.py": 'KINDS = Registry("kind", "tuner.kinds")',
    "tuner/kinds/fast.py": "from tuner.kinds.base import KINDS\nfrom tuner.speed import FASTEST",
    "tuner/speed.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from tuner import unused\n",
    "tuner/unused.py": "",
    "tests/conftest.py": "import tuner.errors",
    "tests/tuner/conftest.py": "",
    "tests/tuner/test_errors.py": "def test_it():\n    from tuner.errors import BadInputError",
    "tests/tuner/kinds/test_kinds.py": "from tuner.kinds.base import KINDS",
    "tests/tuner/cli/test_main.py": "from tuner.cli import main",
    "docs/kinds.md": "",
}


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def git(root: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "core.hooksPath=/dev/null", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    write(tmp_path, FILES)
    return tmp_path


@pytest.fixture
def clone(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same in git, with one commit. Test programs are built, from sources of others."""
    monkeypatch.setattr(built, "sources", lambda root: {lane: frozenset({f"{lane}.cc"}) for lane in NATIVE})
    (repository / ".gitignore").write_text("/build/\n")
    git(repository, "init", "--quiet")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "The first")
    return repository
