# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.cli.conftest import Command
from tuner.documents.fabric import load_fabric
from tuner.fabric.topologies.base import TOPOLOGIES, topology


def words(parameters: Mapping[str, Any]) -> list[str]:
    """Parameters as options."""
    texts = {key: ",".join(map(str, value)) if isinstance(value, list) else str(value) for key, value in parameters.items()}
    return [word for key, text in texts.items() for word in (f"--{key.replace('_', '-')}", text)]


@pytest.mark.parametrize("kind", TOPOLOGIES.names())
def test_every_kind_has_a_command_whose_options_are_its_parameters(command: Command, tmp_path: Path, kind: str) -> None:
    example = TOPOLOGIES.get(kind).examples[-1]
    common: dict[str, Any] = {"name": "a b", "mtu_bytes": 2048, "switch_rate": "4xXDR", "inject_gbps": 12.5}
    file = tmp_path / "made.yaml"
    finished = command("fabric", "generate", kind, *words({**example, **common}), "-o", file)
    made = topology(kind, {**example, **common})
    assert (finished.code, finished.out) == (0, "")
    assert load_fabric(file) == made.fabric()
    counts = made.expected()
    assert f"ibcc: a b: {counts.switches} switches, {counts.hosts} hosts, {counts.links} links" in finished.err


@pytest.mark.parametrize("kind", TOPOLOGIES.names())
def test_help_explains_every_option(command: Command, kind: str) -> None:
    out = command("fabric", "generate", kind, "--help").out
    for key in TOPOLOGIES.get(kind).own_parameters():
        assert f"--{key.replace('_', '-')}" in out
    assert "[required]" in out


def test_help_lists_the_kinds(command: Command) -> None:
    out = command("fabric", "generate", "--help").out
    assert all(f"│ {kind} " in out for kind in TOPOLOGIES.names())


def test_the_comment_holds_the_command_that_made_the_document(command: Command) -> None:
    wanted = ["leaf-spine", "--leaves", "2", "--spines", "1", "--hosts-per-leaf", "3", "--name", "it's mine", "--parallel", "1"]
    out = command("fabric", "generate", *wanted).out
    first, second, third, *_ = out.splitlines()
    assert first.startswith("# Made by: ibcc fabric generate leaf-spine --leaves 2")
    assert (second, third) == (
        "# it's mine: 3 switches, 6 hosts, 8 links; routing dmodk",
        "# over-subscription 3.00 : 1 (3 hosts of 4xNDR over 1 links of 4xNDR)",
    )
    again = shlex.split(first.removeprefix("# Made by: "))
    assert command(*again[1:]).out == out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["xgft", "--m", "3,x", "--w", "1,2"], "topology xgft: m[1] is 'x'; a whole number is expected"),
        (["xgft", "--m", "3,2"], "Missing option '--w'."),
        (["xgtf"], "topology 'xgtf' is not known; there are"),
        (["torus", "--dims", "4.5"], "topology torus: dims[0] is 4.5; a whole number is expected"),
        (["dumbbell", "--left", "1", "--right", "2", "--middle", "3"], "No such option: --middle"),
        (["dumbbell", "--left", "1", "--right", "2", "--mtu-bytes", "1500"], "topology dumbbell: mtu_bytes is 1500; it must be"),
    ],
)
def test_bad_options_are_one_sentence(command: Command, arguments: list[str], sentence: str) -> None:
    finished = command("fabric", "generate", *arguments)
    assert (finished.code, finished.out) == (2, "")
    assert finished.err.startswith(f"ibcc: {sentence}")
