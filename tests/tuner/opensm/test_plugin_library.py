# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tuner.errors import BadInputError
from tuner.opensm.plugin_library import PluginSetup, find_plugin


def test_the_library_that_is_named_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "libibcc.so"
    library.touch()
    monkeypatch.setenv("IBCC_PLUGIN", str(library))
    assert find_plugin() == library


def test_one_that_is_named_and_missing_is_not_replaced_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IBCC_PLUGIN", "/nowhere/libibcc.so")
    with pytest.raises(BadInputError, match="IBCC_PLUGIN is '/nowhere/libibcc.so', and there is no such file"):
        find_plugin()


def test_what_opensm_is_told() -> None:
    setup = PluginSetup(Path("/lib/libibcc.so"), Path("/run/x"), Path("/etc/ibcc/my profile.yaml"), "--retries 3")
    assert setup.opensm_options() == {
        "event_plugin_name": "ibcc",
        "event_plugin_options": (
            'ibcc --socket /run/x/opensm.sock --state-dir /run/x/state --profile "/etc/ibcc/my profile.yaml" --retries 3'
        ),
    }


def test_its_folder_is_searched_first() -> None:
    setup = PluginSetup(Path("/opt/ibcc/libibcc.so"), Path("/run/x"))
    assert setup.environment({"A": "b"}) == {"A": "b", "LD_LIBRARY_PATH": "/opt/ibcc"}
    assert setup.environment({"LD_LIBRARY_PATH": "/a:/b"})["LD_LIBRARY_PATH"] == "/opt/ibcc:/a:/b"


def test_a_path_that_no_socket_can_have_is_refused() -> None:
    with pytest.raises(BadInputError, match="is too long for a socket: at most 107 bytes would be right"):
        PluginSetup(Path("/lib/libibcc.so"), Path("/" + "x" * 100)).opensm_options()
