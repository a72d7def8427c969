# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hosts of one night: taken before the first entry that needs some, and given back after the last, whatever happens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from types import TracebackType

from tuner.checks.hosts.choice import Choice
from tuner.checks.hosts.need import HostNeed
from tuner.checks.hosts.plan import HostPlan
from tuner.checks.hosts.tonight import TonightHosts
from tuner.documents.check import Check
from tuner.documents.inventory import Inventory
from tuner.documents.launchers import Srun
from tuner.documents.node_sets import fold
from tuner.errors import IbccError, UnreachableError
from tuner.hosts.host_state import HostStates, look_at_hosts
from tuner.hosts.launchers.base import open_launcher
from tuner.hosts.maintenance import open_until
from tuner.hosts.plan import PROGRAMS
from tuner.hosts.slurm_job import HeldJob

ROUNDS = 3
"""Number of times that hosts are chosen anew, because some of those that were chosen are not ready."""
_MOST_NAMED = 3


class HostsOfNight:
    """Use it as a context manager. `needs`: by entry, in the check's order; no host is touched before the first `take`."""

    def __init__(self, check: Check, night: date, needs: Mapping[str, HostNeed]) -> None:
        self._check, self._night, self._needs = check, night, needs
        self._left = set(needs)
        self._taken: _Taken | None = None
        self._failure: IbccError | OSError | None = None

    def __enter__(self) -> "HostsOfNight":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._give_back()

    def take(self, entry: str) -> TonightHosts | None:
        """Returns the hosts of an entry; None for one that needs none. Raises IbccError or OSError if there are none for it
        tonight, with the reason."""
        if entry not in self._needs:
            return None
        if self._failure is not None:
            raise self._failure
        if self._taken is None:
            try:
                self._taken = _take(HostPlan.of(self._check, self._night), self._needs)
            except (IbccError, OSError) as error:
                self._failure = error
                raise
        return self._taken.of(entry)

    def done(self, entry: str) -> None:
        """The entry was observed. Gives the hosts back if no other needs them."""
        self._left.discard(entry)
        if not self._left:
            self._give_back()

    def _give_back(self) -> None:
        taken, self._taken = self._taken, None
        if taken is not None:
            self._failure = UnreachableError("its hosts were given back already")
            if taken.job is not None:
                taken.job.release()


@dataclass(kw_only=True)
class _Taken:
    plan: HostPlan
    choice: Choice
    until: datetime
    job: HeldJob | None
    inventory: Inventory
    states: HostStates | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    """Why nodes that were chosen before are not among these."""

    def of(self, entry: str) -> TonightHosts:
        some = "; ".join(list(self.missing.values())[:_MOST_NAMED])
        missing = f" ({len(self.missing)} others are not ready: {some})" if self.missing else ""
        if entry in self.choice.failed:
            raise UnreachableError(self.choice.failed[entry] + missing)
        mine = self.choice.mine[entry]
        states = self.states
        source = f"inventory '{self.plan.inventory.name}'" if self.job is None else f"job {self.job.id}"
        return TonightHosts(
            inventory=self.inventory.only(mine),
            how=f"{len(mine)} hosts, {fold(mine)}, of {source}{missing}",
            until=self.until,
            most_gbps=self.plan.limits.most_gbps,
            workload=self.choice.workloads.get(entry),
            foreign=None if states is None else _foreign([node for node in mine if node in states.elsewhere], len(mine)),
            lead_s=self.plan.limits.lead_s,
            lost=(lambda: None) if self.job is None else self.job.lost,
            look=(lambda: None) if self.job is None else self.job.look,
        )


def _take(plan: HostPlan, needs: Mapping[str, HostNeed]) -> _Taken:
    """Takes hosts that are ready. Raises IbccError; then none are taken."""
    without: dict[str, str] = {}
    for number in range(ROUNDS):
        window = open_until(plan.windows, datetime.now(UTC))
        if window is None:
            raise UnreachableError(plan.closed())
        seconds = plan.limits.lead_s + min(need.seconds for need in needs.values())
        if window < datetime.now(UTC) + timedelta(seconds=seconds):
            raise UnreachableError(f"it takes {seconds:.0f} s, and the maintenance window ends at {window:%H:%M:%S} UTC")
        choice = _chosen(plan, needs, without)
        if not choice.nodes:
            return _Taken(plan=plan, choice=choice, until=datetime.now(UTC), job=None, inventory=plan.inventory, missing=without)
        taken = _taken(plan, choice, window)
        taken.missing = dict(without)
        try:
            taken.states = _look(taken)
        except BaseException:
            _release(taken)
            raise
        if not taken.states.missing or number == ROUNDS - 1:
            return taken
        lost = None if taken.job is None else taken.job.look()
        _release(taken)
        if lost is not None:
            raise UnreachableError(lost)
        without |= taken.states.missing
    raise AssertionError("a round returns or raises")


def _chosen(plan: HostPlan, needs: Mapping[str, HostNeed], without: Mapping[str, str]) -> Choice:
    try:
        return plan.choose(needs, frozenset(without))
    except UnreachableError as error:
        raise UnreachableError("; ".join([str(error), *list(without.values())[:_MOST_NAMED]])) from error


def _taken(plan: HostPlan, choice: Choice, window: datetime) -> _Taken:
    limits, launcher = plan.limits, plan.inventory.launcher
    until, job = datetime.now(UTC) + timedelta(seconds=limits.most_s), None
    if limits.slurm is not None:
        job = HeldJob(limits.slurm, choice.nodes, name=plan.job_name, limit_s=limits.most_s)
        until = job.start()
        if isinstance(launcher, Srun):
            launcher = launcher.model_copy(update={"job": job.id})
    inventory = plan.inventory.only(choice.nodes, launcher=launcher, maintenance=plan.windows)
    return _Taken(plan=plan, choice=choice, until=min(until, window), job=job, inventory=inventory)


def _look(taken: _Taken) -> HostStates:
    inventory = taken.inventory
    launcher = open_launcher(inventory.launcher, inventory.agent.command)
    return look_at_hosts(launcher, inventory, taken.plan.chooser.names.guids, program=PROGRAMS["write"])


def _release(taken: _Taken) -> None:
    if taken.job is not None:
        taken.job.release()


def _foreign(elsewhere: Sequence[str], of: int) -> str | None:
    if not elsewhere:
        return None
    return f"{len(elsewhere)} of {of} hosts ({fold(elsewhere)}) send over Ethernet, and not through this InfiniBand fabric"
