# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Agents through ssh: the machine's own OpenSSH with its configuration, keys and known hosts, driven by ClusterShell.

ssh hands the other side one line for its shell. That line is the agent's command from the inventory, quoted, and the same for all
nodes and requests; what is to be done goes through standard input. With a forced command in authorized_keys not even that line
is looked at.
"""

import shlex
import shutil
from collections.abc import Mapping, Sequence

from tuner.documents.launchers import Ssh, filled_in
from tuner.errors import UnreachableError
from tuner.hosts.launchers.agent_set import ClusterShellAgents
from tuner.hosts.launchers.base import LAUNCHERS, AgentSet, Launcher, Request
from tuner.hosts.launchers.clients import AgentSshWorker

# A connection of its own for each agent, whose end is the agent's end; it notices within 30 s that a node is gone.
_OPTIONS = (
    "-oControlMaster=no",
    "-oControlPath=none",
    "-oServerAliveInterval=10",
    "-oServerAliveCountMax=3",
    "-oClearAllForwardings=yes",
    "-oPermitLocalCommand=no",
    "-oLogLevel=ERROR",
    "-T",
)


def open_ssh(options: Ssh, command: Sequence[str]) -> Launcher:
    if shutil.which(options.program) is None:
        raise UnreachableError(f"launcher 'ssh' needs the program '{options.program}', which is not installed here")
    return _SshLauncher(options, shlex.join(command))


class _SshLauncher:
    def __init__(self, options: Ssh, command: str) -> None:
        self._options, self._command = options, command

    def start(self, requests: Mapping[str, Request]) -> AgentSet:
        options = self._options
        info = {
            "ssh_path": shlex.quote(options.program),
            "ssh_options": shlex.join((*options.options, *_OPTIONS)),  # ssh takes the first value that it is told
            "ssh_user": options.user,
            "connect_timeout": options.connect_timeout_s,
        }
        return ClusterShellAgents(
            requests,
            lambda node, handler: AgentSshWorker(node, filled_in(options.target, node), self._command, handler),
            fanout=options.fanout,
            info=info,
        )


LAUNCHERS.add("ssh", open_ssh)
