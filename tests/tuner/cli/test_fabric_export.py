# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

from tests.tuner.cli.conftest import Command
from tuner.fabric.importers.base import import_fabric


def test_a_net_file_is_written_and_can_be_imported(command: Command, tmp_path: Path) -> None:
    net = tmp_path / "two-switch.net"
    finished = command("fabric", "export", "two-switch", "--format", "ibsim", "-o", net)
    assert (finished.code, finished.out) == (0, "")
    assert "net file of ibsim" in finished.err
    assert len(import_fabric(net).fabric.hosts) == 7


def test_a_seed_of_a_torus_goes_to_standard_output(command: Command, tmp_path: Path) -> None:
    torus = tmp_path / "torus.yaml"
    command("fabric", "generate", "torus", "--dims", "3,3", "-o", torus)
    finished = command("fabric", "export", torus, "--format", "torus-2qos")
    assert finished.code == 0
    assert finished.out.startswith("torus 3t 3t 1\n")
    assert "Start OpenSM with -Q" in finished.err


def test_an_unknown_format_ends_with_the_known_ones(command: Command) -> None:
    finished = command("fabric", "export", "two-switch", "--format", "dot")
    assert finished.code == 2
    assert "'dot' is not known; there are host-guids, ibsim, root-guids, torus-2qos" in finished.err
