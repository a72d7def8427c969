# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""libyaml's sources arrive whole, or not at all."""

import subprocess
from pathlib import Path

import pytest

from build_tools import libyaml


def test_the_folder_is_whole_and_stays(root: Path) -> None:
    folder = libyaml.sources_folder()
    assert folder.parent == root / "build"
    assert {p.name for p in folder.iterdir()} == {*libyaml.SOURCES, *libyaml.HEADERS, "LICENSE"}
    before = (folder / "yaml.h").stat()
    assert libyaml.sources_folder() == folder
    assert (folder / "yaml.h").stat() == before


@pytest.mark.long
def test_other_bytes_than_the_pinned_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requirement = tmp_path / "libyaml.txt"
    requirement.write_text(libyaml.REQUIREMENT.read_text().replace(libyaml.pinned_hash(), "0" * 64))
    monkeypatch.setattr(libyaml, "ROOT", tmp_path)
    monkeypatch.setattr(libyaml, "REQUIREMENT", requirement)
    with pytest.raises(subprocess.CalledProcessError):
        libyaml.sources_folder()
    assert list((tmp_path / "build").iterdir()) == []
