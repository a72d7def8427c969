# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`hosts:` of a check: which hosts of a cluster it may use, when, and how much of them."""

from typing import Annotated, TypeAlias

from pydantic import Field

from tuner.document_base.model import DocumentModel, Within
from tuner.documents.inventory import NodeSetText

SlurmName: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]

LEAST_PRIORITY = 2147483645
"""Greatest value of sbatch's --nice, by which a job starts after all others of its partition."""


class SlurmJob(DocumentModel):
    """Job of Slurm's in which the hosts are used. It takes whole nodes that are idle."""

    partition: SlurmName | None = None
    """Partition: best one with the lowest PriorityTier, whose nodes jobs of users take back. Without it, the default one."""
    account: SlurmName | None = None
    qos: SlurmName | None = None
    reservation: SlurmName | None = None
    nice: Annotated[int, Within(0, LEAST_PRIORITY)] = LEAST_PRIORITY
    """Number by which the job's priority is lower than usual."""
    wait_s: Annotated[int, Within(1, 86400)] = 120
    """Seconds that the job may wait for its nodes, which were idle when it was submitted."""


class CheckHosts(DocumentModel):
    """Hosts that a check may use."""

    inventory: Annotated[str, Field(min_length=1)]
    """Inventory, by path or name."""
    nodes: NodeSetText | None = None
    """Nodes of the inventory that may be used, such as `node[01-16]`; without it, all."""
    most_hosts: Annotated[int, Within(2, 4096)] = 16
    """Greatest number of hosts that are used in a night."""
    most_gbps: Annotated[float | int, Within(0, 1e6, above=True)] | None = None
    """Greatest load in Gb/s that may be offered at a time, over all hosts together."""
    most_s: Annotated[int, Within(10, 86400)] = 600
    """Greatest number of seconds for which hosts are used in a night. It is also the time limit of a job."""
    lead_s: Annotated[float | int, Within(0.5, 600)] = 10.0
    """Seconds that hosts get to connect before traffic begins; more if that was not enough."""
    windows: bool = True
    """False to use hosts outside the inventory's maintenance windows too, as where Slurm says which are idle."""
    rotate: bool = True
    """False to take the same hosts each night for all entries, as long as they are idle; otherwise, all hosts take turns in
    entries without a workload, whose nights are not compared."""
    slurm: SlurmJob | None = None
    """Job to submit; without it, hosts are used without asking anybody."""

    @property
    def private(self) -> tuple[str, ...]:
        """Names of accounts and reservations, which what Slurm answers may have; only operators may read them."""
        names = () if self.slurm is None else (self.slurm.account, self.slurm.reservation)
        return tuple(name for name in names if name is not None)
