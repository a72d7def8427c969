# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tonight's hosts as far as documents, the clock and Slurm's list of idle nodes tell: what a dry run prints."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from tuner.checks.hosts.choice import Choice, Chooser, turn
from tuner.checks.hosts.need import HostNeed
from tuner.documents.check import Check
from tuner.documents.check_hosts import CheckHosts
from tuner.documents.fabric import load_fabric
from tuner.documents.inventory import Inventory, load_inventory
from tuner.documents.inventory_maintenance import MaintenanceWindow
from tuner.documents.node_sets import fold
from tuner.errors import BadInputError, IbccError, UnreachableError
from tuner.fabric.built_fabric import build
from tuner.hosts.host_names import HostNames
from tuner.hosts.maintenance import next_opening, open_until
from tuner.hosts.slurm_job import free_states, node_states, submission


@dataclass(frozen=True, kw_only=True)
class HostPlan:
    """Plan of tonight's hosts, made without reaching one."""

    check: Check
    limits: CheckHosts
    inventory: Inventory
    nodes: tuple[str, ...]
    """Those that may be used."""
    chooser: Chooser
    night: date

    @classmethod
    def of(cls, check: Check, night: date) -> "HostPlan":
        """Raises BadInputError for documents that do not fit each other."""
        limits = check.hosts
        if limits is None:
            raise BadInputError(f"check '{check.name}' has no section hosts, which says which hosts may be used")
        inventory = load_inventory(limits.inventory)
        built = build(load_fabric(check.fabric))
        if built.document.name != (other := load_fabric(inventory.fabric).name):
            raise BadInputError(
                f"check '{check.name}' is of fabric '{built.document.name}', and inventory '{inventory.name}' of '{other}'; they "
                "must be of the same"
            )
        nodes = tuple(inventory.by_node if limits.nodes is None else (host.node for host in inventory.select(limits.nodes)))
        chooser = Chooser(
            limits=limits, inventory=inventory, names=HostNames(inventory, built.hosts), built=built, fabric=check.fabric
        )
        return cls(check=check, limits=limits, inventory=inventory, nodes=nodes, chooser=chooser, night=night)

    @property
    def windows(self) -> tuple[MaintenanceWindow, ...]:
        return self.inventory.maintenance if self.limits.windows else ()

    @property
    def job_name(self) -> str:
        return f"ibcc-check-{self.check.name}"

    def choose(self, needs: Mapping[str, HostNeed], without: frozenset[str]) -> Choice:
        """Raises UnreachableError if no host is free, or Slurm does not respond."""
        free = set(self.nodes) - without
        if self.limits.slurm is not None:
            states = node_states(self.limits.slurm)
            if not free & states.keys():
                raise UnreachableError(
                    f"Slurm has none of the {len(free)} nodes that may be used, {_some(free)}; it has {_some(states)}"
                )
            free = {node for node in free if states.get(node) in free_states(self.limits.slurm)}
            if not free:
                raise UnreachableError(f"none of the {len(self.nodes)} nodes that may be used is idle, as Slurm says")
        if not free:
            raise UnreachableError(f"none of the {len(self.nodes)} hosts that may be used is ready")
        count = max(_count(need, self.limits) for need in needs.values())
        order = turn(self.nodes, self.night.toordinal(), count) if self.limits.rotate else self.nodes
        panel = [node for node in self.nodes if node in free]
        return self.chooser.choose(needs, [node for node in order if node in free], panel)

    def closed(self) -> str:
        """Says when the next window begins."""
        opens = next_opening(self.windows, datetime.now(UTC))
        when = "" if opens is None else f"; the next one begins at {opens:%Y-%m-%d %H:%M} UTC"
        return f"inventory '{self.inventory.name}' allows no measurement now, outside its maintenance windows{when}"


def planned_lines(check: Check, night: date, needs: Mapping[str, HostNeed]) -> list[str]:
    """Returns sentences about which hosts would be taken, how, when and for what load. It reads Slurm's list of idle nodes, and
    reaches no host. A reason why there would be none is among them."""
    if not needs:
        return []
    try:
        plan = HostPlan.of(check, night)
        limits, lines = plan.limits, []
        until = open_until(plan.windows, datetime.now(UTC))
        if until is None:
            lines.append(plan.closed())
        elif plan.windows:
            lines.append(f"the maintenance window of inventory '{plan.inventory.name}' ends at {until:%Y-%m-%d %H:%M} UTC")
        choice = plan.choose(needs, frozenset())
    except (IbccError, OSError) as error:
        return [str(error)]
    for entry in needs:
        if entry in choice.failed:
            lines.append(f"there would be no hosts for {entry}: {choice.failed[entry]}")
        else:
            nodes = choice.mine[entry]
            seconds = limits.lead_s + needs[entry].seconds
            lines.append(
                f"{entry} would use {len(nodes)} hosts, {fold(nodes)}, for about {seconds:.0f} s, and "
                f"offer up to {choice.gbps[entry]:.4g} Gb/s"
            )
    if choice.nodes:
        lines.append(f"all would be given back after at most {limits.most_s} s")
        if limits.slurm is not None:
            command = submission(limits.slurm, choice.nodes, name=plan.job_name, limit_s=limits.most_s)
            lines.append(f"they would be taken by {' '.join(command)}")
    return lines


def _count(need: HostNeed, limits: CheckHosts) -> int:
    """About how many hosts are used."""
    if need.workload is None:
        return limits.most_hosts
    ends = {name for flow in need.workload.flows for name in (flow.src, flow.dst)}
    return min(limits.most_hosts, len(ends) or limits.most_hosts)


def _some(nodes: Iterable[str]) -> str:
    """Some of them, for a sentence."""
    first = sorted(nodes)
    return fold(first[:3]) + (" …" if len(first) > 3 else "")
