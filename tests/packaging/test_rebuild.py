# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An object is compiled again when, and only when, something that it was made from has changed."""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import setuptools

pytestmark = pytest.mark.thorough


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """setup.py as a module, and in `tmp_path` an object that was made a minute ago from files an hour old."""
    monkeypatch.setattr(setuptools, "setup", lambda **arguments: None)
    module = importlib.import_module("setup")
    for name, age_s in {"a.cpp": 3600, "b c.hpp": 3600, "setup.py": 3600, "a.o": 60, "a.d": 60}.items():
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1e9 - age_s, 1e9 - age_s))
    (tmp_path / "a.d").write_text(f"a.o: {tmp_path}/a.cpp \\\n {tmp_path}/b\\ c.hpp\n")
    monkeypatch.setattr(module, "__file__", str(tmp_path / "setup.py"))
    return module


def is_stale(build: Any, folder: Path) -> bool:
    return bool(build.is_stale(str(folder / "a.o"), str(folder / "a.cpp")))


def test_nothing_changed(build: Any, tmp_path: Path) -> None:
    assert not is_stale(build, tmp_path)


@pytest.mark.parametrize("changed", ["a.cpp", "b c.hpp", "setup.py"])
def test_something_changed(build: Any, tmp_path: Path, changed: str) -> None:
    os.utime(tmp_path / changed, (1e9, 1e9))
    assert is_stale(build, tmp_path)


@pytest.mark.parametrize("gone", ["b c.hpp", "a.o", "a.d"])
def test_something_is_gone(build: Any, tmp_path: Path, gone: str) -> None:
    (tmp_path / gone).unlink()
    assert is_stale(build, tmp_path)


def test_a_module_is_linked_again_when_a_library_has_changed(build: Any, tmp_path: Path) -> None:
    module, library = tmp_path / "module.so", tmp_path / "library.a"
    for file, age_s in ((module, 60), (library, 3600)):
        file.touch()
        os.utime(file, (1e9 - age_s, 1e9 - age_s))
    assert not build.is_older(module, [library])
    os.utime(library, (1e9, 1e9))
    assert build.is_older(module, [library])


@pytest.mark.slow
def test_who_waits_sees_each_file_that_is_compiled(root: Path, tmp_path: Path) -> None:
    command = [sys.executable, "setup.py", "--quiet", "build_clib"]
    environment = os.environ | {"IBCC_OBJECTS": str(tmp_path / "objects")}

    def told() -> list[str]:
        done = subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True, text=True)
        return [line for line in done.stdout.splitlines() if "Compiling [" in line]

    first = told()
    assert sum("ccpolicy/src/" in line for line in first) == len(list((root / "ccpolicy/src").rglob("*.c")))
    assert told() == []
