# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Agents inside a Slurm allocation: one step a node, each with its own request on its own standard input.

One step for all nodes would be fewer processes, but srun's `--input` is either the same for all tasks or that of one task;
requests differ, and so does the moment at which each agent has to end.
"""

import os
import shutil
from collections.abc import Mapping, Sequence

from tuner.documents.launchers import Srun
from tuner.errors import UnreachableError
from tuner.hosts.launchers.agent_set import ClusterShellAgents
from tuner.hosts.launchers.base import LAUNCHERS, AgentSet, Launcher, Request
from tuner.hosts.launchers.clients import ArgvWorker


def open_srun(options: Srun, command: Sequence[str]) -> Launcher:
    if shutil.which(options.program) is None:
        raise UnreachableError(f"launcher 'srun' needs the program '{options.program}', which is not installed here")
    if options.job is None and "SLURM_JOB_ID" not in os.environ:
        raise UnreachableError("launcher 'srun' works only inside an allocation, such as salloc makes: SLURM_JOB_ID is not set")
    return _SrunLauncher(options, tuple(command))


class _SrunLauncher:
    def __init__(self, options: Srun, command: tuple[str, ...]) -> None:
        self._options, self._command = options, command

    def start(self, requests: Mapping[str, Request]) -> AgentSet:
        return ClusterShellAgents(
            requests,
            lambda node, handler: ArgvWorker(node, self._argv(node), handler),
            fanout=self._options.fanout,
            info={},
        )

    def _argv(self, node: str) -> list[str]:
        # --overlap: receivers' and senders' agents share a node. --kill-on-bad-exit=0: an agent's exit code is a result.
        # --unbuffered would use a pseudo-terminal's line discipline; agents write whole lines at once instead.
        step = ["--nodes=1", "--ntasks=1", f"--nodelist={node}", "--overlap", "--quiet", "--export=NONE", "--kill-on-bad-exit=0"]
        job = () if self._options.job is None else (f"--jobid={self._options.job}",)
        return [self._options.program, *job, *step, *self._options.options, *self._command]


LAUNCHERS.add("srun", open_srun)
