# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A workload on a fabric: with the hosts that it names where these suit, and with others that play the same roles elsewhere."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tuner.document_base.model import build_model
from tuner.documents.roles import Contributors, RoleCounts, Roles
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.fabric.subnets import largest, subnets
from tuner.placement.flows import all_share, required_flows, shared_by
from tuner.placement.packet_times import packet_ratio, rate_ratio, stretched
from tuner.placement.paths import Routes
from tuner.placement.place import Shared, TooSlowError, place, shared_links, too_slow
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
    """Roles of the document, with the numbers that were asked for, or that fit."""
    groups: int = 1
    """Groups of these roles, each with its own hotspot."""
    total_factor: float = 1.0
    """Factor by which throughputs of all flows together follow the number of hosts, beside `rate_factor`."""
    fitted: str | None = None
    """Sentence on what does not fit, and what is taken instead, and on contributors that cannot congest their receiver; None: all
    fits."""
    is_too_slow: bool = False
    """Contributors to one receiver send less together than it takes."""


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
    routes: Routes = field(default_factory=Routes)

    def place(self, workload: Workload, counts: RoleCounts | None) -> OnFabric:
        roles = counted(workload, counts)
        found = self._placed(workload, roles)
        return found if found.roles is not None else replace(found, roles=roles)

    def _placed(self, workload: Workload, roles: Roles | None) -> OnFabric:
        if (workload.flows or workload.patterns) and (roles is None or roles is workload.roles):
            kept = self._kept(workload)
            if kept is not None:
                return kept
        if roles is not None and roles.contributors is not None:
            return self._of_roles(workload, roles, roles.contributors)
        if roles is not None and roles.hosts is not None:
            return self._of_hosts(workload, roles, roles.hosts)
        placed = self._near(workload, None, self._candidates())
        found = self._result(placed, 1.0, tuple(shared_links(placed, self.built)), placed=True, rate_factor=1.0)
        slow = too_slow(placed, self.built)
        return replace(found, fitted=slow, is_too_slow=slow is not None)

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
        hosts = self._candidates()
        first, fitting = self._fitting(workload, roles, contributors, factor, hosts)
        groups, taken = [first], _hosts_of(first)
        wanted = 0 if roles.busy is None else math.ceil(roles.busy * len(hosts))
        while len(taken) < wanted:
            left = [host for host in hosts if host not in taken]
            try:
                groups.append(self._group(workload, fitting, factor, left, fewer_victims=True))
            except BadInputError:
                break
            taken |= _hosts_of(groups[-1])
        placed = _together(groups)
        made = as_roles_send(placed, fitting, self.built)
        shared = tuple(shared_links(placed, self.built))
        found = self._result(made, factor, shared, placed=True, rate_factor=rate_ratio(workload, self.built))
        slow = too_slow(placed, self.built)
        said = _what_fits(roles, fitting, self.fabric, len(taken), wanted)
        said = "; ".join(part for part in (said, slow) if part) or None
        return replace(
            found, roles=fitting, groups=len(groups), total_factor=float(len(groups)), fitted=said, is_too_slow=slow is not None
        )

    def _fitting(
        self, workload: Workload, roles: Roles, contributors: Contributors, factor: float, hosts: Sequence[str]
    ) -> tuple[Workload, Roles]:
        """Places one group, with fewer victims and then fewer contributors where not all of them fit. Raises BadInputError if
        not even two contributors and a victim fit."""
        try:
            return self._group(workload, roles, factor, hosts), roles
        except BadInputError as error:
            refusal = error
        if contributors.receivers == "one":
            victims = 0 if roles.victims is None else roles.victims.count
            least = 3 + 2 * min(1, victims)
            if len(hosts) < least:
                raise BadInputError(
                    f"workload '{workload.name}' needs at least {least} hosts, two contributors and their receiver"
                    f"{' and a victim and its destination' if victims else ''}, and there are {len(hosts)}"
                )
            for count in _smaller(contributors.count, len(hosts) - 1 - 2 * min(1, victims)):
                fewer = roles.counted(RoleCounts(contributors=count))
                try:
                    placed = self._group(workload, fewer, factor, hosts, fewer_victims=True)
                except BadInputError as error:
                    refusal = error
                    continue
                there = sum(flow.role == "victim" for flow in placed.flows)
                return placed, fewer if there == victims else fewer.counted(RoleCounts(victims=there))
        raise refusal

    def _group(
        self, workload: Workload, roles: Roles, factor: float, hosts: Sequence[str], *, fewer_victims: bool = False
    ) -> Workload:
        assert roles.contributors is not None
        flows = stretched(unplaced(workload, roles), factor)
        return self._near(flows, roles.contributors.sharing, hosts, fewer_victims=fewer_victims)

    def _of_hosts(self, workload: Workload, roles: Roles, most: int) -> OnFabric:
        """Patterns over all hosts, on no more than so many, spread over the fabric."""
        factor = packet_ratio(workload, self.built)
        document = stretched(_moved(workload, self.fabric), factor).model_dump()
        hosts = self._candidates()
        usual = most
        if roles.busy is not None:
            most = max(most, math.ceil(roles.busy * len(hosts)))
        chosen = [hosts[i * len(hosts) // most] for i in range(most)] if len(hosts) > most else hosts
        everybody = sum(endport.kind == "host" for endport in self.built.hosts.endports)
        if len(chosen) < everybody or self.hosts is not None:
            for pattern in document["patterns"]:
                if list(pattern.get("hosts", ())) == ["*"]:
                    pattern["hosts"] = chosen
        made = build_model(Workload, document, source=f"workload {workload.name}")
        made.expanded(self.built.hosts, most_flows=self.most_flows)
        found = self._result(made, factor, (), placed=True, rate_factor=rate_ratio(workload, self.built))
        return replace(found, total_factor=len(chosen) / usual)

    def _near(self, workload: Workload, sharing: int | None, hosts: Sequence[str], *, fewer_victims: bool = False) -> Workload:
        """Tries few hosts at first, and contributors that cannot congest their receiver last. Raises BadInputError if all are too
        few."""
        try:
            return self._nearest(workload, sharing, hosts, fewer_victims, weak=False)
        except TooSlowError:
            return self._nearest(workload, sharing, hosts, fewer_victims, weak=True)

    def _nearest(
        self, workload: Workload, sharing: int | None, hosts: Sequence[str], fewer_victims: bool, *, weak: bool
    ) -> Workload:
        count, taken = (
            max(_FIRST, 4 * len(_hosts_of(workload))),
            partial(place, workload, self.built, fabric=self.fabric, alike=sharing, weak=weak, routes=self.routes),
        )
        while count < len(hosts):
            try:
                return taken(candidates=hosts[:count]).workload
            except BadInputError:
                count *= 4
        return taken(candidates=hosts, fewer_victims=fewer_victims).workload

    def _candidates(self) -> list[str]:
        """Hosts that may be chosen: without others that were given, all of the largest subnet."""
        directory = self.built.hosts
        if self.hosts is not None:
            return [directory.reference(directory.find(host)) for host in self.hosts]
        document = self.built.document
        found = subnets(document)
        chosen = None if len(found) < 2 else largest(found).number
        return [
            directory.reference(endport)
            for endport in directory.endports
            if endport.kind == "host" and chosen in (None, document.subnets.get((endport.node, endport.port)))
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


def _hosts_of(workload: Workload) -> set[str]:
    return {host for flow in workload.flows for host in (flow.src, flow.dst)}


def _smaller(count: int, most: int) -> Iterator[int]:
    """Yields numbers of contributors to try, down to two."""
    count = min(count, most)
    while count >= 2:
        yield count
        count = count * 3 // 4


def _together(groups: Sequence[Workload]) -> Workload:
    """One workload of several groups; flows of the second are called NAME.2, and so on."""
    first, *others = groups
    flows = [flow.model_dump() for flow in first.flows]
    for number, group in enumerate(others, start=2):
        flows += [flow.model_dump() | {"name": f"{flow.name}.{number}"} for flow in group.flows]
    return build_model(Workload, first.model_dump() | {"flows": flows}, source=f"workload {first.name}") if others else first


def _what_fits(asked: Roles, taken: Roles, fabric: str, busy: int, wanted: int) -> str | None:
    parts = []
    for name in ("victims", "contributors"):
        was, now = (0 if group is None else group.count for group in (getattr(asked, name), getattr(taken, name)))
        if now < was:
            parts.append(f"{now} of {was} {name}")
    said = [f"{' and '.join(parts)} fit on fabric '{fabric}'"] if parts else []
    if busy < wanted:
        said.append(f"there is room for {busy} of {wanted} hosts")
    return f"{'; '.join(said)}: these are taken" if said else None
