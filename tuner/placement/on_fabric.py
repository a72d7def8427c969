# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A workload on a fabric: with the hosts that it names where these suit, and with others that play the same roles elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tuner.document_base.model import build_model
from tuner.documents.roles import Contributors, RoleCounts, Roles
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.fabric.subnets import largest, subnets
from tuner.placement.flows import all_share, required_flows, shared_by
from tuner.placement.packet_times import packet_ratio, rate_ratio, stretched
from tuner.placement.place import Shared, place, shared_links
from tuner.placement.role_flows import as_roles_send, counted, unplaced
from tuner.placement.shape import can_be_placed

_FIRST = 64
"""Hosts among which roles are placed at first, so that those that are near each other are taken; four times as many as roles
need, if that is more."""


@dataclass(frozen=True, kw_only=True)
class OnFabric:
    """A workload as it runs on a fabric, without roles."""

    workload: Workload
    shared: tuple[Shared, ...]
    """Links that victims share with contributors, of single flows and ping-pongs."""
    placed: bool
    """Hosts were chosen; otherwise they are those that the document names."""
    time_factor: float
    """Factor by which its times follow the fabric's packet times."""
    rate_factor: float
    """Factor by which throughputs follow the rate of the fabric's hosts."""
    roles: Roles | None = None
    """Roles of the document, with the numbers that were asked for."""


def on_fabric(
    workload: Workload,
    built: BuiltFabric,
    *,
    fabric: str,
    counts: RoleCounts | None = None,
    hosts: Sequence[str] | None = None,
    most_flows: int | None = None,
) -> OnFabric:
    """Returns the workload on a fabric. `fabric`: what the result calls it. `counts`: other numbers of hosts than its roles have.
    `hosts`: references of those that may be chosen; by default all, of several subnets those of the
    largest. `most_flows`: as Workload.expanded.

    The hosts that the document names stay on the fabric that it names, and wherever they all are and every victim shares a link
    with a contributor. Others are chosen elsewhere, if the workload has roles, or single flows of a shape that can be placed.
    Deterministic. Raises BadInputError, which names few hosts, if there are no hosts for it.
    """
    return _Placing(built, fabric, hosts, most_flows).place(workload, counts)


@dataclass(frozen=True)
class _Placing:
    """Arguments of on_fabric."""

    built: BuiltFabric
    fabric: str
    hosts: Sequence[str] | None
    most_flows: int | None

    def place(self, workload: Workload, counts: RoleCounts | None) -> OnFabric:
        roles = counted(workload, counts)
        return replace(self._placed(workload, roles), roles=roles)

    def _placed(self, workload: Workload, roles: Roles | None) -> OnFabric:
        if (workload.flows or workload.patterns) and (roles is None or roles is workload.roles):
            kept = self._kept(workload)
            if kept is not None:
                return kept
        if roles is not None and roles.contributors is not None:
            return self._of_roles(workload, roles, roles.contributors)
        if roles is not None and roles.hosts is not None:
            return self._of_hosts(workload, roles.hosts)
        placed = self._near(workload, None)
        return self._result(placed, 1.0, tuple(shared_links(placed, self.built)), placed=True, rate_factor=1.0)

    def _kept(self, workload: Workload) -> OnFabric | None:
        """The workload with its own hosts; None if it is to have others."""
        roles, own = workload.roles, self.fabric == workload.fabric
        if roles is not None and roles.hosts is not None and not own:
            return None
        try:
            flows = required_flows(workload, self.built, self.most_flows)
        except BadInputError:
            if roles is None and (own or not can_be_placed(workload)):
                raise
            return None
        if not own and roles is not None and not all_share(flows, roles, self.built):
            return None
        factor = 1.0 if own else packet_ratio(workload, self.built)
        kept = stretched(_moved(workload, self.fabric), factor)
        rate_factor = 1.0 if own else rate_ratio(workload, self.built)
        return self._result(kept, factor, shared_by(flows, roles, self.built), placed=False, rate_factor=rate_factor)

    def _of_roles(self, workload: Workload, roles: Roles, contributors: Contributors) -> OnFabric:
        factor = packet_ratio(workload, self.built)
        placed = self._near(stretched(unplaced(workload, roles), factor), contributors.sharing)
        made = as_roles_send(placed, roles, self.built)
        shared = tuple(shared_links(placed, self.built))
        return self._result(made, factor, shared, placed=True, rate_factor=rate_ratio(workload, self.built))

    def _of_hosts(self, workload: Workload, most: int) -> OnFabric:
        """Patterns over all hosts, on no more than so many, spread over the fabric."""
        factor = packet_ratio(workload, self.built)
        document = stretched(_moved(workload, self.fabric), factor).model_dump()
        hosts = self._candidates()
        if len(hosts) > most or self.hosts is not None:
            chosen = [hosts[i * len(hosts) // most] for i in range(most)] if len(hosts) > most else hosts
            for pattern in document["patterns"]:
                if list(pattern.get("hosts", ())) == ["*"]:
                    pattern["hosts"] = chosen
        made = build_model(Workload, document, source=f"workload {workload.name}")
        made.expanded(self.built.hosts, most_flows=self.most_flows)
        return self._result(made, factor, (), placed=True, rate_factor=rate_ratio(workload, self.built))

    def _near(self, workload: Workload, sharing: int | None) -> Workload:
        """Tries few hosts at first. Raises BadInputError if all are too few."""
        hosts = self._candidates()
        count = max(_FIRST, 4 * len({host for flow in workload.flows for host in (flow.src, flow.dst)}))
        while count < len(hosts):
            try:
                return place(workload, self.built, hosts[:count], fabric=self.fabric, alike=sharing).workload
            except BadInputError:
                count *= 4
        return place(workload, self.built, hosts, fabric=self.fabric, alike=sharing).workload

    def _candidates(self) -> list[str]:
        """Hosts that may be chosen: without others that were given, all of the largest subnet."""
        directory = self.built.hosts
        if self.hosts is not None:
            return [directory.reference(directory.find(host)) for host in self.hosts]
        document = self.built.document
        found = subnets(document)
        chosen = None if len(found) < 2 else largest(found).number
        return [
            directory.reference(one)
            for one in directory.endports
            if one.kind == "host" and chosen in (None, document.subnets.get((one.node, one.port)))
        ]

    def _result(
        self, workload: Workload, factor: float, shared: tuple[Shared, ...], *, placed: bool, rate_factor: float
    ) -> OnFabric:
        return OnFabric(workload=workload, shared=shared, placed=placed, time_factor=factor, rate_factor=rate_factor)


def _moved(workload: Workload, fabric: str) -> Workload:
    """Returns a workload for another fabric, without its roles."""
    changed = workload.model_copy(update={"fabric": fabric, "roles": None})
    changed._document = workload._document
    return changed
