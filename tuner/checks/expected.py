# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What may be gone or moved tonight without being a fault: as people have planned it, and as Slurm or an inventory says."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from tuner.checks.decisions import Decision, Decisions, host_name, is_link, names_one
from tuner.checks.symptoms.symptom import nodes_of
from tuner.documents.check import Drained
from tuner.documents.check_hosts import SlurmJob
from tuner.documents.inventory import Inventory, load_inventory
from tuner.errors import IbccError
from tuner.hosts.maintenance import open_until
from tuner.hosts.slurm_job import is_off, node_reports
from tuner.opensm.device_states import first_names


@dataclass(frozen=True)
class Expected:
    """`off`: who says that a host is drained or off, by its name, or by its node description. `private`: texts in it that only
    operators may read. `problems`: why others could not say."""

    plans: tuple[Decision, ...] = ()
    off: Mapping[str, str] = field(default_factory=dict)
    private: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def gone(self, ports: Iterable[str]) -> str | None:
        """Returns why a link with these ends, or a device, may be gone: none of it is a fault then. None if it may not."""
        ends = tuple(ports)
        places = (*ends, *nodes_of(ends))
        for plan in self.plans:
            if names_one(plan.what, places) or is_link(plan.what, ends):
                return plan.told
        return next((why for place in places if (why := self.off.get(place) or self.off.get(host_name(place)))), None)

    def moved(self, ports: Iterable[str]) -> str | None:
        """Returns why a link with these ends may be new; None if it may not."""
        ends = tuple(ports)
        return next(
            (one.told for one in self.plans if one.kind == "moved" and names_one(one.what, (*ends, *nodes_of(ends)))), None
        )


NOTHING = Expected()
"""Nothing may be gone."""


def facts_of(gone: Iterable[tuple[str, str]], what: str) -> Iterator[str]:
    """`gone`: place and reason of each. One sentence for a reason."""
    by_reason: dict[str, list[str]] = {}
    for place, why in gone:
        by_reason.setdefault(why, []).append(place)
    for why, places in by_reason.items():
        count = f"{len(places)} {what}s are" if len(places) > 1 else f"{what} {places[0]} is"
        more = f": {first_names(places)}" if len(places) > 1 else ""
        yield f"{count} gone, {why}{more}"


def expected_tonight(
    drained: Drained | None,
    decisions: Decisions,
    night: date,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Expected:
    """Asks Slurm, where the check says so."""
    plans = decisions.planned(night)
    if drained is None:
        return Expected(plans)
    off: dict[str, str] = {}
    private: list[str] = []
    problems: list[str] = []
    inventory: Inventory | None = None
    if drained.inventory is not None:
        try:
            inventory = load_inventory(drained.inventory)
            if inventory.maintenance and open_until(inventory.maintenance, clock()) is not None:
                off |= dict.fromkeys(inventory.by_host, f"in a maintenance window of inventory '{inventory.name}'")
        except IbccError as error:
            problems.append(f"the inventory does not say which hosts are off: {error}")
    if drained.slurm:
        try:
            for node, (state, reason) in node_reports(SlurmJob(partition=drained.partition)).items():
                if is_off(state):
                    host = node if inventory is None or node not in inventory.by_node else inventory.by_node[node].host
                    off[host] = off[node] = f"{state} as Slurm says{f' ({reason})' if reason else ''}"
                    private += [reason] if reason else []
        except IbccError as error:
            problems.append(f"Slurm does not say which hosts are drained: {error}")
    return Expected(plans, off, tuple(dict.fromkeys(private)), tuple(problems))
