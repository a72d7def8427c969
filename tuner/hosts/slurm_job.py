# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A job of Slurm's that holds nodes as long as this process says so, and ends by itself when it does not.

The job's script ends when it has got no signal for a minute. scancel sends it, so neither a connection nor a common file system
is needed, and nothing that dies leaves nodes taken: not this process, nor its machine, nor the network between. A job that has
not begun is removed by Slurm at its deadline.
"""

import math
import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from tuner.documents.check_hosts import SlurmJob
from tuner.documents.node_sets import fold
from tuner.errors import UnreachableError

BEAT_S, POLL_S = 10.0, 3.0
"""Seconds between signals to the job, and between looks at it."""
PATIENCE_S = 60
"""Seconds without a signal after which the job ends by itself."""
_COMMAND_S = 60.0
"""Time limit of a command of Slurm's, whose own time-outs are shorter."""
_ENDING_S = 30.0
_SPARE_S = 30

# URG is ignored by whoever does not expect it, as a script that has not begun.
_SCRIPT = f"""#!/bin/bash
# Holds these nodes for ibcc, and gives them back when ibcc has sent no signal for {PATIENCE_S} s.
trap 'last=$SECONDS' URG
last=$SECONDS
while ((SECONDS - last < {PATIENCE_S})); do sleep 1 & wait $!; done
"""
_OFF_MARKS = "~#!%$^"
"""Powered off, powering up, about to power down, powering down, in a maintenance reservation, rebooting (sinfo(1), NODE STATE
CODES)."""
_OFF = frozenset(
    {
        "drained",
        "draining",
        "down",
        "maint",
        "powered_down",
        "powering_down",
        "powering_up",
        "reboot",
        "fail",
        "failing",
        "future",
    }
)
_COMING = frozenset({"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT"})
_MEANINGS = {
    "PREEMPTED": "was preempted: Slurm has given its nodes to a job of higher priority",
    "SUSPENDED": "was suspended: Slurm has given its nodes to a job of higher priority",
    "TIMEOUT": "reached its time limit",
    "NODE_FAIL": "lost a node",
    "CANCELLED": "was cancelled by somebody else",
    "DEADLINE": "was not started in time",
}


def node_states(options: SlurmJob) -> dict[str, str]:
    """Returns the state of each node of the partition, in Slurm's words. Raises UnreachableError, also for a partition without
    nodes."""
    return {node: state for node, (state, _) in node_reports(options).items()}


def node_reports(options: SlurmJob) -> dict[str, tuple[str, str]]:
    """Returns state and reason of each node of the partition, in Slurm's words; the reason is empty where nobody gave one.
    Raises as node_states."""
    where = [] if options.partition is None else [f"--partition={options.partition}"]
    rows = [line.split("|", 2) for line in _run("sinfo", "--noheader", "--Node", *where, "--format=%N|%T|%E").splitlines()]
    reports = {row[0].strip(): (row[1].strip(), _reason(row[2])) for row in rows if len(row) == 3}
    if not reports:
        raise UnreachableError(
            f"Slurm has no nodes{'' if options.partition is None else f' in a partition {options.partition!r}'}"
        )
    return reports


def _reason(text: str) -> str:
    """sinfo prints "none" where there is no reason."""
    return "" if text.strip() in ("none", "(null)") else " ".join(text.split())


def is_off(state: str) -> bool:
    """True for a node on which no job can run, as somebody has drained it, or it is down, in maintenance or powered off: the last
    two stand in the mark behind a state, such as `idle~`. Other marks say that the node does not respond, or is planned for."""
    bare = state.rstrip(_OFF_MARKS + "*@-+")
    return bare.lower() in _OFF or not set(_OFF_MARKS).isdisjoint(state[len(bare) :])


def free_states(options: SlurmJob) -> frozenset[str]:
    """The states of nodes on which no job runs, and which respond."""
    return frozenset({"idle"} if options.reservation is None else {"idle", "reserved"})


def submission(options: SlurmJob, nodes: Sequence[str], *, name: str, limit_s: float) -> list[str]:
    """Returns the command that submits the job, as it would be run."""
    minutes = math.ceil(limit_s / 60)
    asked = ("partition", "account", "qos", "reservation")
    chosen = [f"--{key}={value}" for key in asked if (value := getattr(options, key)) is not None]
    return [
        "sbatch",
        "--parsable",
        f"--job-name={name}",
        *chosen,
        f"--nice={options.nice}",
        f"--nodes={len(nodes)}",
        f"--nodelist={fold(nodes)}",
        "--exclusive",
        "--mem=0",  # all that a node has
        f"--time={minutes}",
        f"--deadline=now+{options.wait_s + 60 * minutes + _SPARE_S}seconds",
        "--no-requeue",
        "--chdir=/",
        "--input=/dev/null",
        "--output=/dev/null",
        "--error=/dev/null",
        "--export=NIL",
    ]


class HeldJob:
    """One job, from `start` to `release`. Not for several threads at once, but for `lost`."""

    def __init__(self, options: SlurmJob, nodes: Sequence[str], *, name: str, limit_s: float) -> None:
        self._options, self._nodes, self._limit_s = options, tuple(nodes), limit_s
        self._command = submission(options, nodes, name=name, limit_s=limit_s)
        self._lost: str | None = None
        self._released = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="ibcc slurm job", daemon=True)
        self.id: int | None = None

    def start(self) -> datetime:
        """Submits the job, waits until it runs, and returns when its time ends. Raises UnreachableError if Slurm refuses it or
        does not start it in time; then there is no job."""
        words = _run(*self._command, text=_SCRIPT).strip().partition(";")[0]
        if not words.isdigit():
            raise UnreachableError(f"sbatch answered '{words[:100]}', which is no number of a job")
        self.id = int(words)
        try:
            began = self._await_start()
        except BaseException:
            self.release()
            raise
        self._keeper.start()
        return began + timedelta(seconds=self._limit_s)

    def lost(self) -> str | None:
        """Returns a sentence if the nodes are no longer the job's, as it was seen last; None while they are."""
        return self._lost

    def look(self) -> str | None:
        """Returns what `lost` is now, if Slurm responds. It can take some seconds."""
        until_s = time.monotonic() + _ENDING_S
        with suppress(UnreachableError):
            while self._look() == "COMPLETING" and time.monotonic() < until_s:  # why it ends is said when it has
                time.sleep(0.5)
        return self._lost

    def release(self) -> None:
        """Returns when the job has ended, or Slurm does not respond; then it ends by itself. Idempotent."""
        if self.id is None or self._released.is_set():
            return
        self._released.set()
        if self._keeper.ident is not None:
            self._keeper.join()
        with suppress(UnreachableError):
            _run("scancel", "--quiet", str(self.id))
            until_s = time.monotonic() + _ENDING_S
            while self._state()[0] in {"RUNNING", "COMPLETING", *_COMING} and time.monotonic() < until_s:
                time.sleep(0.2)

    def _await_start(self) -> datetime:
        until_s = time.monotonic() + self._options.wait_s
        while True:
            state, reason = self._state()
            if state == "RUNNING":
                return datetime.now(UTC)
            if state not in _COMING:
                raise UnreachableError(self._sentence(state))
            if time.monotonic() > until_s:
                raise UnreachableError(
                    f"Slurm has not started job {self.id} on {fold(self._nodes)} within {self._options.wait_s} s ({reason}); the "
                    "job was withdrawn"
                )
            time.sleep(0.5)

    def _keep(self) -> None:
        seen_s = beaten_s = time.monotonic()
        while not self._released.wait(POLL_S):
            now_s = time.monotonic()
            with suppress(UnreachableError):
                self._look()
                seen_s = now_s
                if now_s - beaten_s >= BEAT_S:
                    _run("scancel", "--quiet", "--batch", "--signal=URG", str(self.id))
                    beaten_s = now_s
            if self._lost is None and now_s - min(seen_s, beaten_s) > PATIENCE_S:
                self._lost = f"Slurm has not responded for {PATIENCE_S} s, so job {self.id} has ended"

    def _look(self) -> str:
        state = self._state()[0]
        if state != "RUNNING":
            self._lost = self._sentence(state)
        return state

    def _state(self) -> tuple[str, str]:
        """Returns the job's state, and why it is pending. Raises UnreachableError."""
        try:
            line = _run("squeue", "--noheader", "--states=all", f"--jobs={self.id}", "--format=%T|%r").strip()
        except UnreachableError as error:
            if "Invalid job id" not in str(error):
                raise
            line = ""
        state, _, reason = line.partition("|")
        return (state or "UNKNOWN"), reason

    def _sentence(self, state: str) -> str:
        return f"job {self.id} on {fold(self._nodes)} {_MEANINGS.get(state, f'has ended ({state.lower()})')}"


def _run(*command: str, text: str = "") -> str:
    """Returns what a command of Slurm's prints. Raises UnreachableError with what it complains about."""
    if shutil.which(command[0]) is None:
        raise UnreachableError(f"hosts.slurm needs the program '{command[0]}', which is not installed here")
    try:
        # A session of its own: Ctrl-C in a terminal is for us, who end the job in order.
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=_COMMAND_S, check=False, start_new_session=True
        )
    except subprocess.TimeoutExpired as error:
        raise UnreachableError(f"{command[0]} has not ended within {_COMMAND_S:.0f} s") from error
    if done.returncode != 0:
        words = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise UnreachableError(f"{command[0]} failed: {words[-1].removeprefix(f'{command[0]}: ').removeprefix('error: ')}")
    return done.stdout
