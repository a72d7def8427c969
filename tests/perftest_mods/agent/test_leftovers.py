# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""However it ends, no process that the agent has started is left, not even one that ignores SIGTERM and has left its session."""

import os
import signal
import subprocess
import uuid
from pathlib import Path

import pytest

from tests.perftest_mods.agent.agent_process import (
    AGENT,
    PATIENCE_S,
    PYTHON,
    Agent,
    Event,
    configuration,
    process,
    require_begun,
    require_gone,
    run_request,
    tagged,
)

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the agent is for Linux"),
]


def stubborn(tag: str, **values: object) -> bytes:
    return run_request(process(id=tag, program="stubborn", stop_s=600), process(id=f"{tag}.2", stop_s=600), **values)


def started(agent: Agent, tag: str) -> None:
    """Returns when both programs and the one that got away from them run."""
    lines: list[Event] = []
    while len(lines) < 2:
        event = agent.until("meter")
        if event["line"]["kind"] == "start":
            lines.append(event)
    require_begun(tag, 3)


@pytest.fixture
def tag() -> str:
    return f"t{uuid.uuid4().hex}"


def test_the_coordinator_goes(tmp_path: Path, tag: str) -> None:
    with Agent(configuration(tmp_path), stubborn(tag)) as agent:
        started(agent, tag)
        agent.hang_up()
        events = agent.rest()
        assert agent.code() == 1
    assert events[-1] == {"ibcc_agent": 1, "event": "done", "left": 0}
    assert tagged(tag) == set()  # gone when it says so
    ended = {event["id"]: event["signal"] for event in events if event["event"] == "ended"}
    assert ended == {tag: "SIGKILL", f"{tag}.2": "SIGTERM"}


def test_the_time_limit(tmp_path: Path, tag: str) -> None:
    with Agent(configuration(tmp_path), stubborn(tag, time_limit_s=2)) as agent:
        events = agent.rest()
        assert agent.code() == 1
    assert "the time limit of 2 s is over" in [event["sentence"] for event in events if event["event"] == "error"]
    assert events[-1]["left"] == 0
    assert tagged(tag) == set()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("whom", ["guard", "worker"])
def test_a_signal_to_the_agent(tmp_path: Path, tag: str, number: signal.Signals, whom: str) -> None:
    with Agent(configuration(tmp_path), stubborn(tag)) as agent:
        started(agent, tag)
        os.kill(agent.popen.pid if whom == "guard" else agent.seen[0]["pid"], number)
        assert agent.rest()[-1] == {"ibcc_agent": 1, "event": "done", "left": 0}
        assert agent.code() == 1
    assert tagged(tag) == set()


def test_the_guard_is_killed(tmp_path: Path, tag: str) -> None:
    with Agent(configuration(tmp_path), stubborn(tag)) as agent:
        started(agent, tag)
        agent.popen.kill()
        assert agent.rest()[-1]["left"] == 0
    require_gone(tag)
    require_gone(str(tmp_path))


def test_the_worker_is_killed(tmp_path: Path, tag: str) -> None:
    with Agent(configuration(tmp_path), stubborn(tag)) as agent:
        started(agent, tag)
        os.kill(agent.seen[0]["pid"], signal.SIGKILL)
        agent.rest()
        assert agent.code() == 1
    assert tagged(tag) == set()


def test_whoever_runs_the_agent_is_killed(tmp_path: Path, tag: str) -> None:
    """The pipes of a coordinator that is killed are closed by the kernel."""
    config = configuration(tmp_path)
    coordinator = subprocess.Popen(
        [PYTHON, "-c", COORDINATOR, str(AGENT), str(config), stubborn(tag).decode()], stdout=subprocess.PIPE
    )
    assert coordinator.stdout is not None
    assert coordinator.stdout.readline() == b"runs\n"
    require_begun(tag, 2)  # itself, and what it has begun
    coordinator.kill()
    coordinator.wait(PATIENCE_S)
    coordinator.stdout.close()
    require_gone(tag)
    require_gone(str(config))


COORDINATOR = """
import json, subprocess, sys
command = [sys.executable, "-IS", sys.argv[1], "--config", sys.argv[2]]
agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
agent.stdin.write(sys.argv[3].encode())
agent.stdin.flush()
starts = 0
while starts < 2:
    event = json.loads(agent.stdout.readline())
    starts += event["event"] == "meter" and event["line"]["kind"] == "start"
print("runs", flush=True)
agent.wait()
"""


def test_a_coordinator_that_does_not_read_holds_nothing_up(tmp_path: Path, tag: str) -> None:
    with Agent(configuration(tmp_path), run_request(process(id=tag, program="flood", stop_s=600))) as agent:
        agent.until("meter")
        assert agent.code() == 1  # by itself: it keeps at most MAX_UNREAD_BYTES unread
    assert tagged(tag) == set()
