# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""OpenSM as a child process: what it logs is waited for, and it never stays behind."""

import os
from pathlib import Path

import pytest

from tests.emulator.conftest import Bed
from tuner.opensm.preload import client_environment
from tuner.opensm.process import OpenSm, OpenSmError


def test_it_sweeps_again_when_told_and_ends_when_told(two_switch: Bed) -> None:
    with two_switch.clients.opensm() as opensm:
        first = len(opensm.lines)
        assert opensm.sweep() >= first
        assert opensm.stop() == 0
        assert "SUBNET UP" in opensm.log_file.read_text()
    with pytest.raises(ProcessLookupError):
        os.kill(opensm.pid, 0)


def test_options_that_it_lets_change_are_taken_at_a_sweep(two_switch: Bed) -> None:
    with two_switch.clients.opensm({"log_flags": 3}) as opensm:
        opensm.write_options({"log_flags": 7})
        before = len(opensm.lines)
        opensm.sweep()
        opensm.sweep()
        assert any(line.level == 4 for line in opensm.lines[before:])


def test_waiting_for_what_never_comes_ends_with_its_last_lines(two_switch: Bed) -> None:
    with (
        two_switch.clients.opensm() as opensm,
        pytest.raises(OpenSmError, match=r"has not logged 'never' in 0.1 s; its last lines: (.*\n)*.*SUBNET UP"),
    ):
        opensm.await_line("never", timeout_s=0.1)


def test_an_end_of_its_own_ends_the_wait(two_switch: Bed, tmp_path: Path) -> None:
    environment = client_environment(two_switch.clients.socket)
    with (
        OpenSm(tmp_path, environment, arguments=["--no-such-option"]) as opensm,
        pytest.raises(OpenSmError, match="OpenSM has ended with"),
    ):
        opensm.await_subnet_up()
