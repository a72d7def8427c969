# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""512 agents: all start, all stop, and nothing is left of them when their coordinator is killed."""

import uuid
from pathlib import Path

import pytest

from benchmarks.bench_launch import killed, start

AGENTS = 512


@pytest.mark.slow
def test_512_agents_start_and_stop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = start(tmp_path, AGENTS, 64, f"t{uuid.uuid4().hex}", then_wait=False)
    assert results["not_seen_to_end"] == 0
    assert capsys.readouterr().out == "started\n"


@pytest.mark.slow
def test_nothing_is_left_of_512_agents_whose_coordinator_is_killed(tmp_path: Path) -> None:
    results = killed(tmp_path, AGENTS, 64, f"t{uuid.uuid4().hex}")
    assert results["programs_before"] == AGENTS
    assert results["left"] == 0
