# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric handover`: copies of the base file that are new, old, cut, not signed, of another fabric, or cannot be had."""

import hashlib
import hmac
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.cli.conftest import Command

KEY = 0x1F2E3D
NODES = tuple(f"0x{0x2C9_0000 + i:016x}" for i in range(9))


def written(path: Path, number: int, *, key: int | None = None, nodes: tuple[str, ...] = NODES, **more: Any) -> Path:
    """A base file as the plugin writes it."""
    fabric = {"subnet_prefix": "0xfe80000000000000", "nodes": len(nodes), "digest": "0" * 64, "some": list(nodes)}
    document = {
        "number": number,
        "epoch": 2,
        "written_s": 1_790_000_000,
        "writer": NODES[0],
        "plugin": "0.2.0",
        "fabric": fabric,
        "base": {"name": "mine [1]", "since_s": 1, "text": "ibcc_profile: 1\nname: mine [1]\n"},
        "trial": None,
        "devices": [],
        "parameters": [],
    }
    body = json.dumps(document | more).encode() + b"\n"
    signature = "none" if key is None else hmac.new(key.to_bytes(8, "big"), body, hashlib.sha256).hexdigest()
    path.write_bytes(f"ibcc-base-file 1 sha256 {hashlib.sha256(body).hexdigest()} hmac-sha256 {signature}\n".encode() + body)
    return path


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    path = tmp_path / "cc_keys"
    path.write_text(f"current: {KEY:#x}\nprevious: 0x5\n")
    path.chmod(0o600)
    return path


def test_a_newer_file_is_copied_whole_and_for_root_alone(command: Command, tmp_path: Path) -> None:
    there, here = written(tmp_path / "there", 7), tmp_path / "here"
    assert command("fabric", "handover", "pull", there, here).code == 0
    assert here.read_bytes() == there.read_bytes()
    assert stat.S_IMODE(here.stat().st_mode) == 0o600
    again = command("fabric", "handover", "pull", there, here)
    assert (again.code, again.err) == (0, f"ibcc: {here} is as new already: number 7\n")
    written(there, 8)
    assert command("fabric", "handover", "push", there, here).code == 0
    assert here.read_bytes() == there.read_bytes()


def test_an_old_copy_is_left_alone(command: Command, tmp_path: Path) -> None:
    old, here = written(tmp_path / "old", 7), written(tmp_path / "here", 9)
    before = here.read_bytes()
    told = command("fabric", "handover", "pull", old, here)
    assert told.code == 1
    assert told.err == f"ibcc: {old} is older than {here} (number 7, and not 9), which is left alone\n"
    assert here.read_bytes() == before


@pytest.mark.parametrize("length", [0, 1, 40, 170, 176, 400, -1])
def test_a_copy_that_is_cut_changes_nothing(command: Command, tmp_path: Path, length: int) -> None:
    there, here = written(tmp_path / "there", 8), written(tmp_path / "here", 7)
    before = here.read_bytes()
    there.write_bytes(there.read_bytes()[:length])
    told = command("fabric", "handover", "pull", there, here)
    assert told.code == 2
    assert str(there) in told.err
    assert "cut" in told.err
    assert here.read_bytes() == before


def test_a_damaged_file_gives_way_to_a_copy(command: Command, tmp_path: Path) -> None:
    there, here = written(tmp_path / "there", 8), tmp_path / "here"
    here.write_text("nonsense")
    told = command("fabric", "handover", "pull", there, here)
    assert (told.code, "the copy takes its place" in told.err) == (0, True)
    assert here.read_bytes() == there.read_bytes()


def test_a_copy_must_be_signed_by_a_key_of_the_key_file(command: Command, tmp_path: Path, keys: Path) -> None:
    here = tmp_path / "here"
    for key, code, word in ((None, 2, "is not signed"), (6, 2, "give that as previous"), (5, 0, ""), (KEY, 0, "")):
        there = written(tmp_path / f"by-{key}", 7 + (key or 0), key=key)
        told = command("fabric", "handover", "pull", there, here, "--key-file", keys)
        assert (told.code, word in told.err) == (code, True), told
    keys.chmod(0o644)
    told = command("fabric", "handover", "pull", there, here, "--key-file", keys)
    assert (told.code, "0600" in told.err) == (2, True)


def test_a_copy_of_another_fabric_is_refused(command: Command, tmp_path: Path) -> None:
    here = written(tmp_path / "here", 7)
    other = written(tmp_path / "other", 9, nodes=tuple(f"0x{i:016x}" for i in range(1, 10)))
    told = command("fabric", "handover", "pull", other, here)
    assert (told.code, "is of another fabric" in told.err) == (2, True)
    fewer = written(tmp_path / "fewer", 9, nodes=NODES[:3])
    assert command("fabric", "handover", "pull", fewer, here).code == 0, "hosts come and go"


def test_a_newer_format_and_nonsense_are_said(command: Command, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    there.write_text("ibcc-base-file 2 by another way\n{}")
    told = command("fabric", "handover", "pull", there, here)
    assert (told.code, "is a base file of version 2" in told.err) == (2, True)
    written(there, 3, fabric=None)
    told = command("fabric", "handover", "pull", there, here)
    assert (told.code, "makes no sense" in told.err) == (2, True)
    assert not here.exists()


def test_the_other_node_is_reached_by_a_command(command: Command, tmp_path: Path) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\n[ "$1" = sm2 ] || { echo "no host $1" >&2; exit 255; }\nshift\nexec sh -c "$*"\n')
    ssh.chmod(0o755)
    there, here = written(tmp_path / "the re", 7), tmp_path / "here"
    assert command("fabric", "handover", "pull", f"sm2:{there}", here, "--ssh", ssh).code == 0
    assert here.read_bytes() == there.read_bytes()
    told = command("fabric", "handover", "pull", f"sm3:{there}", here, "--ssh", ssh)
    assert told.code == 3
    assert f"'sm3:{there}' cannot be read by '{ssh}' (exit code 255)" in told.err
    told = command("fabric", "handover", "push", here, "sm3:/base", "--ssh", ssh)
    assert (told.code, "'sm3' cannot be reached" in told.err) == (3, True)
    told = command("fabric", "handover", "pull", "sm2:", here, "--ssh", ssh)
    assert (told.code, "HOST:PATH would be right" in told.err) == (2, True)
    told = command("fabric", "handover", "pull", "--ssh", ssh, "--", "-oProxyCommand=x:/base", here)
    assert (told.code, "HOST:PATH would be right" in told.err) == (2, True)
    told = command("fabric", "handover", "pull", "sm2:/base", here, "--ssh", tmp_path / "none")
    assert (told.code, "cannot be started" in told.err) == (3, True)


def test_what_cannot_be_read_or_written_is_said(command: Command, tmp_path: Path) -> None:
    there = written(tmp_path / "there", 7)
    assert command("fabric", "handover", "pull", tmp_path / "none", tmp_path / "here").code == 3
    told = command("fabric", "handover", "pull", there, tmp_path / "no/here")
    assert (told.code, "cannot be written" in told.err) == (3, True)


def test_show_names_what_would_be_taken_over(command: Command, tmp_path: Path) -> None:
    trial = {"name": "tried", "owner": "a campaign", "ends_s": 1_790_000_600}
    file = written(tmp_path / "base", 7, trial=trial, devices=["0x1/1", "0x2/0"])
    told = command("fabric", "handover", "show", file)
    assert told.code == 0
    for word in ("mine [1]", "tried", "9 nodes", "Epoch"):
        assert word in told.out
    assert json.loads(command("fabric", "handover", "show", file, "--output", "json").out)["devices"] == ["0x1/1", "0x2/0"]
