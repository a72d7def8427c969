# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Chooses the hosts of tonight: those on which workloads can be placed, then others near them, up to what the check allows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tuner.checks.hosts.load import offered_gbps
from tuner.checks.hosts.need import HostNeed
from tuner.documents.check_hosts import CheckHosts
from tuner.documents.inventory import Inventory
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.hosts.host_names import HostNames
from tuner.placement.place import place
from tuner.placement.role_flows import single_flows
from tuner.placement.shape import can_be_placed

_FIRST = 64
"""Hosts among which a workload is placed at first, so that those that are near each other are taken."""
_USUAL_BYTES = 65536


@dataclass(kw_only=True)
class Choice:
    """`nodes`: those to be taken, of all entries. By entry: `mine`, its nodes; `workloads`, on tonight's hosts; `gbps`, its
    greatest load; `failed`, why there are no hosts for it."""

    nodes: tuple[str, ...] = ()
    mine: dict[str, tuple[str, ...]] = field(default_factory=dict)
    workloads: dict[str, Workload] = field(default_factory=dict)
    gbps: dict[str, float] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Chooser:
    """`fabric`: the check's, as workloads name it. `names`: of the inventory's hosts on it."""

    limits: CheckHosts
    inventory: Inventory
    names: HostNames
    built: BuiltFabric
    fabric: str

    def choose(self, needs: Mapping[str, HostNeed], candidates: Sequence[str], panel: Sequence[str] | None = None) -> Choice:
        """`needs`: by entry. `candidates`: nodes that are free, those that are preferred first. `panel`: the same for workloads,
        whose nights are compared with each other; None: as `candidates`. Deterministic."""
        choice = Choice()
        # Workloads come first: they need certain hosts, and others any.
        for entry, need in sorted(needs.items(), key=lambda item: item[1].workload is None):
            try:
                mine = self._chosen(choice, entry, need, candidates if need.workload is None or panel is None else panel)
            except BadInputError as error:
                choice.failed[entry] = error.sentence
                continue
            choice.mine[entry] = mine
            choice.nodes += tuple(node for node in mine if node not in choice.nodes)
            choice.gbps[entry] = self._load(choice.workloads.get(entry), mine)
        return choice

    def _chosen(self, choice: Choice, entry: str, need: HostNeed, candidates: Sequence[str]) -> tuple[str, ...]:
        """Nodes of an entry, those of others preferred. Raises BadInputError."""
        seconds = self.limits.lead_s + need.seconds
        if seconds > self.limits.most_s:
            raise BadInputError(f"it takes {seconds:.0f} s, and hosts.most_s is {self.limits.most_s}")
        order = [*choice.nodes, *(node for node in candidates if node not in choice.nodes)]
        if need.workload is None:
            return self._any(need, choice.nodes, order[len(choice.nodes) :])
        workload = self._on(need.workload, order)
        nodes = tuple(dict.fromkeys(self.names.nodes[name] for name in self.names.of(workload)))
        self._require_allowed(workload, len(nodes), len({*choice.nodes, *nodes}))
        choice.workloads[entry] = workload
        return nodes

    def _require_allowed(self, workload: Workload, own: int, together: int) -> None:
        limits = self.limits
        if together > limits.most_hosts:
            raise BadInputError(
                f"workload '{workload.name}' needs {own} hosts, so {together} would be used in all, and hosts.most_hosts is "
                f"{limits.most_hosts}"
            )
        load = offered_gbps(workload, self.built.hosts)
        if limits.most_gbps is not None and load > limits.most_gbps:
            raise BadInputError(
                f"workload '{workload.name}' offers up to {load:.4g} Gb/s, and hosts.most_gbps is {limits.most_gbps:g}; fewer "
                "flows or a rate_gbps for each would be right"
            )

    def _on(self, workload: Workload, order: Sequence[str]) -> Workload:
        if can_be_placed(single := single_flows(workload)):
            return self._near(order, lambda hosts: place(single, self.built, hosts, fabric=self.fabric).workload)
        # A workload of another shape, or with patterns, uses the hosts that it names itself.
        own = workload.expanded(self.built.hosts)
        for name in self.names.of(own):
            if self.names.nodes[name] not in order:
                raise BadInputError(f"host '{name}', which workload '{workload.name}' needs, is not free")
        return own

    def _near(self, order: Sequence[str], placed: Callable[[Sequence[str]], Workload]) -> Workload:
        """Tries few candidates at first. Raises BadInputError if all are too few."""
        hosts = [self.inventory.by_node[node].host for node in order]
        count = _FIRST
        while count < len(hosts):
            try:
                return placed(hosts[:count])
            except BadInputError:
                count *= 4
        return placed(hosts)

    def _any(self, need: HostNeed, taken: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
        """Returns as many hosts as are useful and allowed: those taken anyway, and others from few switches, but not all from
        one. Raises BadInputError."""
        count = min(len(taken) + len(others), self.limits.most_hosts)
        if count < need.least:
            raise BadInputError(f"it needs {need.least} hosts, and {count} are free and allowed (hosts.most_hosts)")
        by_leaf: dict[int, list[str]] = {}
        for node in others:
            by_leaf.setdefault(self.leaf(node), []).append(node)
        most = self.limits.most_gbps
        while count >= need.least:
            half = (count + 1) // 2
            first = [node for nodes in by_leaf.values() for node in nodes[:half]]
            rest = [node for nodes in by_leaf.values() for node in nodes[half:]]
            chosen = tuple([*taken, *first, *rest][:count])
            if most is None or self._load(None, chosen) <= most:
                return chosen
            count -= 1
        raise BadInputError(
            f"the {need.least} hosts that it needs offer more than hosts.most_gbps, {self.limits.most_gbps:g}; a higher limit "
            "would be right"
        )

    def _load(self, workload: Workload | None, nodes: Sequence[str]) -> float:
        if workload is not None:
            return offered_gbps(workload, self.built.hosts)
        return sum(self.built.hosts.capacity_gbps(self.inventory.by_node[node].host, _USUAL_BYTES) for node in nodes)

    def leaf(self, node: str) -> int:
        """The switch that a node is linked to, as the simulator numbers it; -1 for none."""
        endport = self.built.hosts.find(self.inventory.by_node[node].host)
        peer = self.built.fabric.peer(endport.node, endport.port)
        return -1 if peer is None else peer[0]


def turn(nodes: Sequence[str], night: int, count: int) -> list[str]:
    """The nodes in the order of preference of a night, a number that grows by 1 each night. About `count` of them are used: each
    night begins where the one before ended."""
    begin = night * max(1, count) % len(nodes)
    return [*nodes[begin:], *nodes[:begin]]
