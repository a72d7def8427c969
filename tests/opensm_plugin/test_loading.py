# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What OpenSM makes of the plugin; whatever goes wrong, OpenSM comes up and the fabric is as it was."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.opensm_plugin.devices import wanted
from tests.opensm_plugin.plugin_process import PluginBed


def test_it_exports_one_symbol(library: Path) -> None:
    listed = subprocess.run(
        ["nm", "--dynamic", "--defined-only", "--format=just-symbols", library], check=True, capture_output=True, text=True
    )
    assert listed.stdout.split() == ["osm_event_plugin"]


def test_it_says_what_it_will_do(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010") as process:
        does = f"brings switches and adapters to profile {plugin_bed.profile}, state in {process.setup.state}"
        process.await_line(rf"version \S+ for OpenSM \S+: {does}$")


def test_without_a_profile_it_writes_nothing(plugin_bed: PluginBed) -> None:
    before = plugin_bed.held()
    with plugin_bed.opensm() as process:
        process.await_line(r"version \S+ for OpenSM \S+: writes nothing until a profile is applied")
        process.opensm.sweep()
        assert process.errors == []
    assert plugin_bed.held() == before


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            "--max-outstanding 0",
            r"not loaded: event_plugin_options: --max-outstanding is '0', but must be a number from 1 to 4096$",
        ),
        ("--colour red", r"not loaded: event_plugin_options: ibcc has no option '--colour'; it has --profile, "),
        ("--key-file", r"not loaded: event_plugin_options: --key-file lacks its value: write --key-file FILE$"),
        ("--state-dir /proc/nowhere", r"not loaded: .*/proc/nowhere"),
    ],
)
def test_what_it_cannot_load_with_is_one_sentence_and_opensm_goes_on(plugin_bed: PluginBed, options: str, sentence: str) -> None:
    before = plugin_bed.held()
    with plugin_bed.opensm(opensm_options={"event_plugin_options": f"ibcc {options}"}) as process:
        process.await_line(sentence)
        assert len(process.errors) == 1
        process.opensm.sweep()
        assert "cannot load plugin 'ibcc'" in "".join(process.opensm.errors)
    assert plugin_bed.held() == before


def test_opensm_refuses_one_that_was_built_for_another(plugin_bed: PluginBed, library: Path, tmp_path: Path) -> None:
    code = library.read_bytes()
    assert code.count(b"OpenSM 3.") >= 1
    (tmp_path / "libibcc.so").write_bytes(code.replace(b"OpenSM 3.", b"OpenSM 9."))
    with plugin_bed.opensm("gran-2010", environment={"LD_LIBRARY_PATH": str(tmp_path)}) as process:
        process.opensm.await_line("OpenSM version mismatch - plugin was built against OpenSM 9")
        assert process.lines == []


def test_it_refuses_to_act_beside_opensms_own_manager(plugin_bed: PluginBed) -> None:
    before = plugin_bed.held()
    with plugin_bed.opensm("gran-2010", opensm_options={"congestion_control": True}) as process:
        process.await_line(r".*congestion_control")
        process.opensm.sweep()
        assert plugin_bed.held() == before, "OpenSM's manager clears what it is given no values for; nobody sets any"
        # The option can be changed while OpenSM runs.
        process.opensm.write_options({"congestion_control": False})
        after = len(process.opensm.lines)
        process.opensm.sweep()
        process.await_done(after=after)
        assert plugin_bed.held() == wanted(plugin_bed.wanted("gran-2010"))


def test_a_socket_that_cannot_be_opened_stops_nothing(plugin_bed: PluginBed) -> None:
    occupied = plugin_bed.folder / "plugin" / "opensm.sock"
    occupied.parent.mkdir()
    occupied.write_text("a file of somebody's")
    with plugin_bed.opensm("gran-2010") as process:
        process.await_line(rf"no control socket: .*{occupied}")
        process.await_done()
        assert plugin_bed.held() == wanted(plugin_bed.wanted("gran-2010"))
    assert occupied.read_text() == "a file of somebody's"


def test_opensm_ends_well_with_it(plugin_bed: PluginBed) -> None:
    with plugin_bed.opensm("gran-2010") as process:
        process.await_done()
        assert process.opensm.stop() == 0
        assert not process.setup.socket.exists()
        assert process.errors == []


def test_it_is_loaded_by_name_from_the_library_path(plugin_bed: PluginBed, library: Path, tmp_path: Path) -> None:
    """A path that OpenSM's loader finds as it finds any library."""
    shutil.copy(library, tmp_path)
    with plugin_bed.opensm(environment={"LD_LIBRARY_PATH": str(tmp_path)}) as process:
        process.await_line("version")
        maps = Path(f"/proc/{process.opensm.pid}/maps").read_text()
    assert os.fspath(tmp_path / "libibcc.so") in maps
