# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics that a scheme cannot carry are refused by a sentence before the run."""

from pathlib import Path

import pytest

import ccsim
from tests.tuner.cli.conftest import Command
from tuner.documents import catalogue

ONE_VL = [row["name"] for row in ccsim.schemes() if row["one_vl"]]
SEVERAL = ", ".join(row["name"] for row in ccsim.schemes() if not row["one_vl"])


def run(command: Command, scheme: str, *arguments: object) -> tuple[int, str]:
    """The exit code and the sentence of a short run under congestion control, which some schemes need."""
    words = ("simulate", "scenario-1", "--time-scale", "0.02", "--profile", "gran-2010", "--set", f"model.scheme={scheme}")
    finished = command(*words, *arguments)
    assert finished.code == 0 or (finished.out, finished.err.count("\n")) == ("", 1)
    return finished.code, finished.err


def two_switch(tmp_path: Path, more: str) -> Path:
    file = tmp_path / "bed.yaml"
    file.write_text(catalogue.find("fabric", "two-switch").read_text() + more)
    return file


def test_there_are_schemes_of_both_kinds() -> None:
    assert ONE_VL
    assert SEVERAL


@pytest.mark.parametrize("scheme", [row["name"] for row in ccsim.schemes()])
def test_several_vls_are_refused_by_the_schemes_that_say_so(command: Command, scheme: str) -> None:
    code, sentence = run(command, scheme, "--set", "model.num_vls=2")
    if scheme not in ONE_VL:
        assert code == 0
        return
    assert code == 2
    assert f"model.scheme.name is '{scheme}', which carries 1 VL, and the fabric needs 2 (model.num_vls, " in sentence
    assert sentence.endswith(f"; 1 to 15 VLs are carried by {SEVERAL}\n")


@pytest.mark.parametrize("scheme", ONE_VL)
def test_shared_buffers_are_refused(command: Command, scheme: str) -> None:
    code, sentence = run(command, scheme, "--set", "model.switch.buffer_sharing=shared")
    assert code == 2
    assert f"'{scheme}', which carries 1 VL, and model.switch.buffer_sharing is 'shared'; choose 'partitioned'" in sentence


@pytest.mark.parametrize("scheme", ONE_VL)
def test_sl_to_vl_tables_are_refused(command: Command, tmp_path: Path, scheme: str) -> None:
    needs_two = two_switch(tmp_path, f"sl_to_vl: {{vls: {[0, 1] * 8}}}\n")
    code, sentence = run(command, scheme, "--fabric", needs_two)
    assert code == 2
    assert f"'{scheme}', which carries 1 VL, and the fabric needs 2 (" in sentence
    code, sentence = run(command, scheme, "--fabric", two_switch(tmp_path, f"sl_to_vl: {{vls: {[0] * 16}}}\n"))
    assert code == 0, sentence  # all SLs on VL 0 is what one VL does anyway


@pytest.mark.parametrize("scheme", ["1q", "ccfit", "voqnet"])
def test_a_routing_that_needs_several_vls_is_refused(command: Command, tmp_path: Path, scheme: str) -> None:
    torus = tmp_path / "torus.yaml"
    assert command("fabric", "generate", "torus", "--dims", "4,4", "-o", torus).code == 0
    code, sentence = run(command, scheme, "--fabric", torus)
    assert code == 2
    assert f"'{scheme}', which carries 1 VL, and the fabric needs " in sentence


@pytest.mark.parametrize("scheme", ["1q", "ccfit", "voqnet"])
def test_vl_arbitration_among_one_vl_changes_nothing(command: Command, tmp_path: Path, scheme: str) -> None:
    tables = "vl_arbitration: {low: [{vl: 0, weight: 64}]}\n"
    assert run(command, scheme, "--fabric", two_switch(tmp_path, tables))[0] == 0
    code, sentence = run(command, scheme, "--fabric", two_switch(tmp_path, tables), "--set", "model.num_vls=2")
    assert code == 2
    assert "which carries 1 VL, and the fabric needs 2" in sentence
