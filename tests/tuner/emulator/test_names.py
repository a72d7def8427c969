# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import os
import tempfile
from pathlib import Path

import pytest

from tuner.emulator.names import check_name, control_socket, make_runtime_folder, runtime_folder
from tuner.errors import BadInputError


@pytest.mark.parametrize("name", ["sim", "a", "2-b.c_d", "x" * 63])
def test_names(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize("name", ["", ".", "-a", "a/b", "a b", "x" * 64, "ä", "a\n"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(BadInputError, match="cannot name an emulated fabric; a name is"):
        check_name(name)


def test_sockets_lie_in_the_runtime_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert make_runtime_folder() == tmp_path / "ibcc"
    assert control_socket("a") == tmp_path / "ibcc" / "a.sock"
    assert (tmp_path / "ibcc").stat().st_mode & 0o777 == 0o700
    assert make_runtime_folder() == tmp_path / "ibcc"  # it may be there already


def test_without_a_runtime_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    assert runtime_folder() == Path(tempfile.gettempdir(), f"ibcc-{os.getuid()}")


def test_a_folder_that_others_can_write_to_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "ibcc").mkdir()
    (tmp_path / "ibcc").chmod(0o777)
    with pytest.raises(BadInputError, match="not a folder that only you can write to"):
        make_runtime_folder()


def test_a_link_is_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "ibcc").symlink_to("elsewhere")
    with pytest.raises(BadInputError, match="not a folder that only you can write to"):
        make_runtime_folder()


def test_no_place_for_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "not" / "there"))
    with pytest.raises(BadInputError, match="cannot make the folder .*: No such file or directory"):
        make_runtime_folder()


def test_a_path_that_sockets_cannot_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/tmp/" + "x" * 89)
    assert len(os.fsencode(control_socket("ab"))) == 107
    with pytest.raises(BadInputError, match="would have a path of 108 bytes, and sockets have 107"):
        control_socket("abc")
