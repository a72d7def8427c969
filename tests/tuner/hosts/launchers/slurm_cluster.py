# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A real Slurm of this user on this machine: Debian's slurmctld, a slurmd a node, and munged, all on loopback.

Jobs of users run in partition `all`, which takes nodes back from partition `checks`.
"""

import getpass
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE_S = 120.0
_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
_PROGRAMS = ("munged", "slurmctld", "slurmd", "sinfo", "salloc", "sbatch", "scancel", "squeue", "srun")

_CONF = """
ClusterName=ibcc-test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
CryptoType=crypto/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
SchedulerParameters=sched_min_interval=0,sched_interval=2
"""


def missing() -> str | None:
    """Why there can be no Slurm here."""
    absent = [program for program in _PROGRAMS if shutil.which(program, path=_PATH) is None]
    return f"no {', '.join(absent)}: Debian's packages slurm-wlm and munge have them" if absent else None


@contextmanager
def running(nodes: int) -> Iterator[dict[str, str]]:
    """Environment variables by which Slurm's commands reach nodes n1, n2, ..., all of them idle, until the end of the `with`."""
    with tempfile.TemporaryDirectory(prefix="ibcc-slurm-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # munged does not trust a socket that others cannot reach
        environment = {"SLURM_CONF": str(_configured(folder, nodes)), "PATH": _PATH}
        daemons: list[subprocess.Popen[bytes]] = []

        def start(*words: str) -> None:
            with (folder / f"log-{len(daemons)}").open("wb") as log:
                daemons.append(subprocess.Popen(words, env={**os.environ, **environment}, stdout=log, stderr=log))

        try:
            files = {"key-file": "key", "socket": "sock", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
            start("munged", "-F", "--force", *(f"--{option}={folder}/munge.{end}" for option, end in files.items()))
            _wait_for(lambda: (folder / "munge.sock").exists(), folder)
            start("slurmctld", "-D", "-f", environment["SLURM_CONF"])
            for number in range(1, nodes + 1):
                start("slurmd", "-D", "-N", f"n{number}", "-f", environment["SLURM_CONF"])
            _wait_for(lambda: _idle(environment) == nodes, folder)
            yield environment
        finally:
            for daemon in reversed(daemons):
                daemon.terminate()
                try:
                    daemon.wait(10)
                except subprocess.TimeoutExpired:
                    daemon.kill()
                    daemon.wait()


@contextmanager
def allocation(nodes: int) -> Iterator[dict[str, str]]:
    """Environment variables by which srun runs in an allocation of nodes n1, n2, ... until the end of the `with`."""
    with running(nodes) as environment:
        command = ["salloc", "--no-shell", f"--nodes={nodes}", "--overcommit"]
        done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=PATIENCE_S)
        granted = re.search(r"Granted job allocation (\d+)", done.stderr)
        assert granted is not None, done.stderr
        try:
            yield {**environment, "SLURM_JOB_ID": granted[1]}
        finally:
            subprocess.run(["scancel", granted[1]], env={**os.environ, **environment}, timeout=PATIENCE_S, check=False)


def _configured(folder: Path, nodes: int) -> Path:
    with (folder / "munge.key").open("wb") as key:
        key.write(os.urandom(1024))
    (folder / "munge.key").chmod(0o600)
    (folder / "state").mkdir()
    ports = _free_ports(nodes + 1)
    lines = [_CONF.format(controller_port=ports[0], folder=folder, user=getpass.getuser())]
    for number, port in enumerate(ports[1:], start=1):
        (folder / f"spool-n{number}").mkdir()
        lines.append(f"NodeName=n{number} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} State=UNKNOWN\n")
    lines.append(f"PartitionName=all Nodes=n[1-{nodes}] Default=YES State=UP PriorityTier=10 PreemptMode=OFF\n")
    lines.append(f"PartitionName=checks Nodes=n[1-{nodes}] State=UP PriorityTier=1 PreemptMode=CANCEL\n")
    path = folder / "slurm.conf"
    path.write_text("".join(lines))
    return path


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()


def _idle(environment: dict[str, str]) -> int:
    command = ["sinfo", "--noheader", "--partition=all", "--states=idle", "--format=%D"]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=PATIENCE_S)
    return sum(int(line) for line in done.stdout.split() if line.isdigit())


def _wait_for(is_so: Callable[[], bool], folder: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while not is_so():
        if time.monotonic() > until:
            logs = "\n".join(path.read_text(errors="replace")[-500:] for path in sorted(folder.glob("log-*")))
            raise AssertionError(f"Slurm did not come up:\n{logs}")
        time.sleep(0.1)
