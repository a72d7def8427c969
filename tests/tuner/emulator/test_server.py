# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import socket
from pathlib import Path

import pytest

from tests.tuner.emulator.conftest import Bed
from tuner.documents.fabric import load_fabric
from tuner.emulator.client import ControlClient
from tuner.emulator.fabric import EmulatedFabric
from tuner.emulator.names import control_socket, make_runtime_folder
from tuner.emulator.server import ControlServer
from tuner.errors import BadInputError, UnreachableError


def test_the_socket_is_its_owners_and_goes_with_the_server(name: str) -> None:
    with EmulatedFabric(load_fabric("two-switch"), name=name) as emulated:
        with ControlServer(emulated) as control, ControlClient(name) as client:
            assert control.path.stat().st_mode & 0o777 == 0o600
            assert client.server["name"] == name
        assert not control.path.exists()
        with pytest.raises(UnreachableError, match="there is no emulated fabric at .*; `ibcc emulate` starts one"):
            ControlClient(name)


def test_a_socket_that_a_dead_server_has_left_gives_way(name: str) -> None:
    make_runtime_folder()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(control_socket(name)))
    assert control_socket(name).exists()
    with EmulatedFabric(load_fabric("two-switch"), name=name) as emulated, ControlServer(emulated), ControlClient(name) as client:
        assert client.server["fabric"] == "two-switch"


def test_a_socket_in_use_does_not(bed: Bed) -> None:
    with pytest.raises(BadInputError, match=r"ibcc-control-.*\.sock is in use; choose another name with --socket"):
        ControlServer(bed.emulated)
    assert bed.client.status()["fabric"] == "two-switch"


def test_what_is_no_socket_is_left_alone(name: str) -> None:
    make_runtime_folder()
    control_socket(name).write_text("mine")
    with (
        EmulatedFabric(load_fabric("two-switch"), name=name) as emulated,
        pytest.raises(BadInputError, match="exists and is not a socket"),
    ):
        ControlServer(emulated)
    assert control_socket(name).read_text() == "mine"


def test_a_fabrics_name_is_its_own(bed: Bed) -> None:
    with pytest.raises(BadInputError, match=f"there is an emulated fabric called '{bed.emulated.name}' on this machine already"):
        EmulatedFabric(load_fabric("two-switch"), name=bed.emulated.name)


def test_two_fabrics_at_once(bed: Bed) -> None:
    other = f"{bed.emulated.name}-b"
    with (
        EmulatedFabric(load_fabric("two-switch"), name=other) as emulated,
        ControlServer(emulated) as control,
        ControlClient(other) as client,
    ):
        here, there = bed, Bed(emulated, control, client, bed.folder)
        there.client.remove_node("H2")
        assert here.tool("smpquery", "-D", "nodeinfo", "0,1,2").returncode == 0
        assert there.tool("smpquery", "-D", "nodeinfo", "0,1,2").returncode != 0


def test_a_server_that_goes_is_told_to_its_clients(name: str) -> None:
    with EmulatedFabric(load_fabric("two-switch"), name=name) as emulated:
        with ControlServer(emulated):
            client = ControlClient(path=Path(control_socket(name)))
        with pytest.raises(UnreachableError, match=r"the emulated fabric at .*\.sock is gone"):
            client.status()
        client.close()
