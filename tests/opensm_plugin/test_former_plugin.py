# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A plugin of before base files and revision 0 is the other node of the fabric: what each leaves to the other."""

import subprocess
from pathlib import Path

import pytest

from tests.opensm_plugin.plugin_process import SOON_TAKEN_OVER, PluginBed
from tests.opensm_plugin.test_experiments import begin
from tests.opensm_plugin.test_nvidia import WRITE, await_that, both_kinds, holds, is_off, mixed, rows_of
from tests.opensm_plugin.test_takeover import base_file, holds_a10, take_over
from tests.tuner.cli.conftest import Command, command

__all__ = ["command", "mixed"]

FORMER = "e50cc8d0"
"""The commit of that plugin."""


@pytest.fixture(scope="module")
def former(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns that plugin's library, built from the history of this tree."""
    if subprocess.run(
        ["git", "-C", str(root), "cat-file", "-e", f"{FORMER}^{{commit}}"], check=False, capture_output=True
    ).returncode:
        pytest.skip(f"the history of this tree has no commit {FORMER}")
    folder = tmp_path_factory.mktemp("former")
    packed = subprocess.run(["git", "-C", str(root), "archive", FORMER], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=packed, check=True)
    programs = root / ".venv/bin"
    cmake = str(programs / "cmake")
    options = [
        "-G",
        "Ninja",
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
        "-DIBCC_TESTS=OFF",
        f"-DCMAKE_MAKE_PROGRAM={programs / 'ninja'}",
    ]
    python = f"-DPython3_EXECUTABLE={programs / 'python'}"
    subprocess.run([cmake, "-S", str(folder), "-B", str(folder / "build"), *options, python], check=True, capture_output=True)
    subprocess.run([cmake, "--build", str(folder / "build"), "--target", "ibcc"], check=True, capture_output=True)
    [library] = list((folder / "build").rglob("libibcc.so"))
    return library


@pytest.mark.slow
def test_the_newer_one_takes_over(mixed: PluginBed, former: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the former one has switched on is foreign until somebody has it cleared, and nothing is written there before."""
    with (
        mixed.opensm("gran-2010", options=WRITE, more_options=SOON_TAKEN_OVER, node="H1", state="old", library=former) as old,
        mixed.opensm(
            options=f"{WRITE} {base_file(mixed)}", more_options=SOON_TAKEN_OVER, node="H7", state="new", up=False
        ) as new,
    ):
        old.await_done()
        new.await_line("standby: another subnet manager is MASTER")
        begin(old, both_kinds(), ttl_s=600)
        take_over(old, new)
        states = {name: row["state"] for name, row in rows_of(new).items()}
        assert {name for name, state in states.items() if state == "foreign"} == {"S1", "S2", "H1", "H2", "H3", "H5", "H6"}
        monkeypatch.setenv("IBCC_SOCKET", str(new.setup.socket))
        assert command("profile", "verify").code == 1
        assert command("profile", "clear-foreign").code == 0
        await_that(lambda: is_off(mixed))
        assert holds_a10(mixed, "gran-2010")


@pytest.mark.slow
def test_the_former_one_takes_over(mixed: PluginBed, former: Path) -> None:
    """It does not read the file, which stays as it was, and leaves NVIDIA's values of the trial run, as docs/operate/handover.md
    says. When the newer one is master again, it ends them."""
    options = f"{WRITE} {base_file(mixed)}"
    file = mixed.folder / "handover" / "base"
    with (
        mixed.opensm("gran-2010", options=options, more_options=SOON_TAKEN_OVER, node="H1", state="new") as new,
        mixed.opensm(options=WRITE, more_options=SOON_TAKEN_OVER, node="H7", state="old", up=False, library=former) as old,
    ):
        new.await_done()
        old.await_line("standby: another subnet manager is MASTER")
        begin(new, both_kinds(), ttl_s=600)
        assert holds(mixed, both_kinds())
        content = file.read_bytes()
        take_over(new, old)
        assert file.read_bytes() == content
        assert not is_off(mixed), "as docs/operate/handover.md says of a former release"
    with mixed.opensm(options=options, node="H1", state="new") as new:
        new.await_done()
        await_that(lambda: is_off(mixed))
        assert holds_a10(mixed, "gran-2010")
