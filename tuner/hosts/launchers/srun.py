# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Agents inside a Slurm allocation: one step a node, each with its own request on its own standard input.

One step for all nodes would be fewer processes, but srun's `--input` is either the same for all tasks or that of one task;
requests differ, and so does the moment at which each agent has to end.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tuner.document_base.model import ListOf
from tuner.errors import UnreachableError
from tuner.hosts.launchers.agent_set import ClusterShellAgents
from tuner.hosts.launchers.base import LAUNCHERS, AgentSet, Launcher, LauncherOptions, Request
from tuner.hosts.launchers.clients import ArgvWorker


class Srun(LauncherOptions):
    """By srun, inside an allocation that salloc or sbatch has made."""

    chosen_here: ClassVar[tuple[str, ...]] = ("program", "options")

    kind: Literal["srun"]
    program: Annotated[str, Field(min_length=1)] = "srun"
    options: ListOf[Annotated[str, Field(pattern="^-")]] = ()
    """More options of srun's, one each: `--cpu-bind=none`."""

    def open(self, command: Sequence[str]) -> Launcher:
        if shutil.which(self.program) is None:
            raise UnreachableError(f"launcher 'srun' needs the program '{self.program}', which is not installed here")
        if "SLURM_JOB_ID" not in os.environ:
            raise UnreachableError(
                "launcher 'srun' works inside an allocation of Slurm's only, such as salloc makes: SLURM_JOB_ID is not set"
            )
        return _SrunLauncher(self, tuple(command))


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
        return [self._options.program, *step, *self._options.options, *self._command]


LAUNCHERS.add("srun", Srun)
