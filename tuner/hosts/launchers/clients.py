# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ClusterShell's workers, made fit for agents: programs that run long, are talked to, and are on machines that may misbehave.

ClusterShell forks in Python and keeps lines of any length. Both matter in a service with threads that a compute node can write
to, so processes are made by `subprocess` here, in sessions of their own (Ctrl-C in a terminal is for us to hand on, in order),
and a line has an end.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ClusterShell.Event import EventHandler
from ClusterShell.Worker.EngineClient import EngineClientEOF
from ClusterShell.Worker.Exec import ExecClient, ExecWorker
from ClusterShell.Worker.Ssh import SshClient

MAX_LINE_BYTES = 1 << 20
READ, WRITE = 0x1, 0x2  # ClusterShell's E_READ and E_WRITE


class _AgentClient(ExecClient):
    """Overrides how ClusterShell starts a process and cuts its output into lines, and nothing else."""

    def _exec_nonblock(
        self, commandlist: Sequence[str], shell: bool = False, env: Mapping[str, str] | None = None
    ) -> "subprocess.Popen[bytes]":
        assert not shell, "a launcher gives a list of arguments"
        process = subprocess.Popen(
            commandlist,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=None if env is None else {**os.environ, **env},
            start_new_session=True,
            bufsize=0,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        ends = ((self.worker.SNAME_STDERR, process.stderr, READ, True), (self.worker.SNAME_STDOUT, process.stdout, READ, True))
        for name, pipe, events, retain in (*ends, (self.worker.SNAME_STDIN, process.stdin, WRITE, False)):
            fd = os.dup(pipe.fileno())  # ClusterShell closes it by number
            pipe.close()
            os.set_blocking(fd, False)
            self.streams.set_stream(name, fd, events, retain=retain)
        return process

    def _readlines(self, sname: str) -> Iterator[bytes]:
        stream = self.streams[sname]
        *lines, stream.rbuf = (stream.rbuf + self._read(sname)).split(b"\n")
        yield from lines
        if len(stream.rbuf) > MAX_LINE_BYTES:
            yield stream.rbuf[:100]  # which is no event: the set gives this node up
            raise EngineClientEOF


class ArgvClient(_AgentClient):
    """A local process from a list of arguments."""

    def _build_cmd(self) -> tuple[list[str], None]:
        return list(self.worker.argv), None


class ArgvWorker(ExecWorker):
    """One local process that stands for a node."""

    SHELL_CLASS = ArgvClient

    def __init__(self, node: str, argv: Sequence[str], handler: EventHandler) -> None:
        self.argv = argv
        super().__init__(node, handler, command="", stderr=True)


class AgentSshClient(_AgentClient, SshClient):
    """ClusterShell's ssh, to a host that may be called otherwise than the node."""

    def _build_cmd(self) -> tuple[list[str], None]:
        command, environment = SshClient._build_cmd(self)
        *options, _node, remote = command
        return [*options, self.worker.target, remote], environment


class AgentSshWorker(ExecWorker):
    """One ssh to a node."""

    SHELL_CLASS = AgentSshClient

    def __init__(self, node: str, target: str, command: str, handler: EventHandler) -> None:
        self.target = target
        super().__init__(node, handler, command=command, stderr=True)


Info = Mapping[str, Any]
"""Settings of a ClusterShell task that its workers look at: `ssh_options`, `connect_timeout`, ..."""
