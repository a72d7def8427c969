# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

from tests.tuner.cli.conftest import Command
from tests.tuner.nvidia.test_policy_file import profile


def test_the_policy_goes_to_standard_output_and_what_is_left_out_to_standard_error(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(profile({"algorithm": "ZTR", "parameters": {"AI": 36}}).to_yaml())
    finished = command("profile", "policy", path, "--algorithm-file", "ZTR=ztr.algo", "--fabric", "two-switch")
    assert finished.code == 0
    assert "        parameters: (AI,36)\n" in finished.out
    assert f"ibcc: {path}: left out: nvidia.adapter.ppcc.0.sls: " in finished.err
    assert "left out" not in finished.out


def test_options_that_are_wrong(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(profile({"algorithm": "ZTR"}).to_yaml())
    finished = command("profile", "policy", path, "--algorithm-file", "ztr.algo")
    assert (finished.code, finished.out) == (2, "")
    assert "--algorithm-file ztr.algo is not ALGORITHM=FILE" in finished.err
    assert command("profile", "policy", "gran-2010").code == 2
