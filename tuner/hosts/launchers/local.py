# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Agents as processes of this machine: for a single machine with several ports, and for trying things."""

import shutil
from collections.abc import Mapping, Sequence
from typing import Literal

from tuner.errors import UnreachableError
from tuner.hosts.launchers.agent_set import ClusterShellAgents
from tuner.hosts.launchers.base import LAUNCHERS, AgentSet, Launcher, LauncherOptions, Request, filled_in
from tuner.hosts.launchers.clients import ArgvWorker


class Local(LauncherOptions):
    """On this machine. `{node}` and `{number}` in the agent's command stand for the node."""

    kind: Literal["local"]

    def open(self, command: Sequence[str]) -> Launcher:
        if shutil.which(command[0]) is None:
            raise UnreachableError(f"the agent's program '{command[0]}' (agent.command) is not there, or may not be run")
        return _LocalLauncher(tuple(command), self.fanout)


class _LocalLauncher:
    def __init__(self, command: tuple[str, ...], fanout: int) -> None:
        self._command, self._fanout = command, fanout

    def start(self, requests: Mapping[str, Request]) -> AgentSet:
        return ClusterShellAgents(
            requests,
            lambda node, handler: ArgvWorker(node, [filled_in(part, node) for part in self._command], handler),
            fanout=self._fanout,
            info={},
        )


LAUNCHERS.add("local", Local)
