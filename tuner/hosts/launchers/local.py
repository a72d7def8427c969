# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Agents as processes of this machine: for a single machine with several ports, and for trying things."""

import shutil
from collections.abc import Mapping, Sequence

from tuner.documents.launchers import Local, filled_in
from tuner.errors import UnreachableError
from tuner.hosts.launchers.agent_set import ClusterShellAgents
from tuner.hosts.launchers.base import LAUNCHERS, AgentSet, Launcher, Request
from tuner.hosts.launchers.clients import ArgvWorker


def open_local(options: Local, command: Sequence[str]) -> Launcher:
    if shutil.which(command[0]) is None:
        raise UnreachableError(f"the agent's program '{command[0]}' (agent.command) does not exist, or may not be run")
    return _LocalLauncher(tuple(command), options.fanout)


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


LAUNCHERS.add("local", open_local)
