# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Agents that do not behave as ours does, and places where there is none."""

import sys
from pathlib import Path

import pytest

from tests.tuner.hosts.launchers import ssh_server
from tests.tuner.hosts.launchers.conftest import require
from tuner.documents.launchers import Local, Srun, Ssh
from tuner.errors import UnreachableError
from tuner.hosts.launchers import agent_set
from tuner.hosts.launchers.base import AgentSet, open_launcher

HELLO = 'print(\'{"ibcc_agent":1,"event":"hello"}\', flush=True)\n'


def started(program: str, *nodes: str) -> AgentSet:
    launcher = open_launcher(Local(kind="local"), [sys.executable, "-c", program])
    return launcher.start({node: {"op": "check"} for node in nodes or ("n1",)})


def failed(program: str) -> str:
    agents = started(program)
    list(agents.events())
    return agents.failed["n1"]


@pytest.mark.parametrize(
    "text", ["rubbish", "{}", "[1]", '{"ibcc_agent":2,"event":"hello"}', '{"ibcc_agent":1,"event":3}', "[" * 100_000, "\\xff"]
)
def test_what_is_no_event_ends_the_agent_that_told_it(text: str) -> None:
    sentence = failed(HELLO + f"print({text!r}, flush=True)\nimport time\ntime.sleep(600)")
    assert "which is not an event of an agent" in sentence
    assert len(sentence) < 200


def test_a_line_without_end_is_not_kept() -> None:
    assert "is not an event" in failed(HELLO + "import sys\nwhile True: sys.stdout.write('x' * 65536)")


def test_an_end_without_done_is_told_with_the_last_words() -> None:
    assert failed("import sys; print('Permission denied', file=sys.stderr); sys.exit(255)") == "Permission denied"
    assert failed(HELLO + "import sys; sys.exit(4)") == "its agent ended with exit code 4"


def test_an_agent_that_does_not_end_is_killed_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_set, "GRACE_S", 0.2)
    agents = started(HELLO + "import time\ntime.sleep(600)")
    assert next(item for item in agents.events() if item is not None)[1]["event"] == "hello"
    assert agents.stop() == {"n1"}


def test_what_cannot_be_started_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreachableError, match="'/nonexistent/agent' .* does not exist"):
        open_launcher(Local(kind="local"), ["/nonexistent/agent"])
    with pytest.raises(UnreachableError, match="needs the program 'no-such-ssh', which is not installed here"):
        open_launcher(Ssh(kind="ssh", program="no-such-ssh"), ["agent"])
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    with pytest.raises(UnreachableError, match="only inside an allocation"):
        open_launcher(Srun(kind="srun", program=sys.executable), ["agent"])


def test_a_host_that_is_not_there_is_told_by_ssh(tmp_path: Path) -> None:
    require(ssh_server.missing())
    ssh = Ssh(kind="ssh", target="127.0.0.1", options=("-F/dev/null", "-p1"))
    agents = open_launcher(ssh, ["agent"]).start({"n1": {"op": "check"}, "n2": {"op": "check"}})
    list(agents.events())
    assert sorted(agents.failed) == ["n1", "n2"]
    assert "127.0.0.1 port 1: Connection refused" in agents.failed["n1"]


def test_the_line_for_the_other_sides_shell_is_the_inventorys_command_quoted(tmp_path: Path) -> None:
    told = tmp_path / "told"
    fake = tmp_path / "ssh"
    fake.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{told}\n')
    fake.chmod(0o755)
    launcher = open_launcher(
        Ssh(kind="ssh", program=str(fake), user="ibcc", target="{node}-mgmt"), ["/opt/my agent", "--config", "a;b"]
    )
    agents = launcher.start({"n1": {"op": "check"}})
    list(agents.events())
    arguments = told.read_text().splitlines()
    assert arguments[-2:] == ["n1-mgmt", "'/opt/my agent' --config 'a;b'"]
    assert "-oBatchMode=yes" in arguments
    assert "-oConnectTimeout=10" in arguments
    assert arguments[arguments.index("-l") + 1] == "ibcc"
