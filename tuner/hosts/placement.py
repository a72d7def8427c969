# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A workload's roles on other hosts: which of those that there are can play them, by the fabric's forwarding tables.

Two shapes are known, the two of the literature:

- **A hotspot.** All contributors send to one receiver. Each victim's path shares a link between switches with some of theirs, and
  does not go to the receiver; the other contributors' paths have nothing in common with the victims' links.
- **A shared link.** There is no victim; contributors with a receiver each have one link between switches in common.

Who sends where else keeps its partners' names apart, and takes whichever hosts are left.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tuner.documents.flow import Flow
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric

Link = tuple[int, int]
"""A directed one: the node and the port by which packets leave."""

_RECEIVERS = 200
"""Number of hosts that are tried as the hotspot, spread over the fabric; rounding makes it up to twice as many."""


@dataclass(frozen=True, kw_only=True)
class Shared:
    """Links that a victim has in common with contributors."""

    flow: str
    """The victim; of a workload without victims, the first contributor."""
    links: tuple[str, ...]
    """Between switches, in the direction of the traffic, `S1/19 → S2/19`, in the order of its path."""
    contributors: tuple[str, ...]
    """Flows that share one of them."""


@dataclass(frozen=True, kw_only=True)
class Placement:
    hosts: Mapping[str, str]
    """Host that plays each of the workload's own hosts, by the latter."""
    workload: Workload
    """On those hosts, and their fabric."""
    shared: tuple[Shared, ...]


def place(
    workload: Workload, built: BuiltFabric, candidates: Sequence[str], *, fabric: str, alike: int | None = None
) -> Placement:
    """Finds hosts among `candidates` (references on the fabric) for a workload's flows. `fabric`: what the placed workload calls
    it. `alike`: how many contributors are to share a link with the first victim; by default about half of them, but one at least.

    Deterministic. Raises BadInputError if the workload has another shape, or no hosts fit.
    """
    if workload.patterns:
        raise BadInputError(
            f"workload '{workload.name}' has patterns, which choose hosts themselves; only one of single flows can be placed"
        )
    shape = _Shape.of(workload)
    paths = _Paths(built, candidates)
    needed = len({host for flow in workload.flows for host in (flow.src, flow.dst)})
    if needed > len(candidates):
        raise BadInputError(f"workload '{workload.name}' needs {needed} hosts, and there are {len(candidates)}")
    found = _shared_link(shape, paths) if not shape.victims else _hotspot(shape, paths, alike)
    if found is None:
        what = (
            "a link between switches that leads to as many receivers"
            if not shape.victims
            else "a victim's path that shares a link between switches with contributors and does not end where theirs do"
        )
        raise BadInputError(
            f"none of the {len(candidates)} hosts have {what}; workload '{workload.name}' cannot be placed on them"
        )
    left = (host for host in candidates if host not in set(found.values()))
    for flow in shape.others:
        for host in (flow.src, flow.dst):
            if host not in found:
                found[host] = next(left)
    placed = _renamed(workload, found, fabric)
    return Placement(hosts=found, workload=placed, shared=tuple(shared_links(placed, built)))


def can_be_placed(workload: Workload) -> bool:
    """True for a workload of one of the two shapes; whether there are hosts for it is another question."""
    try:
        _Shape.of(workload)
    except BadInputError:
        return False
    return not workload.patterns


def shared_links(workload: Workload, built: BuiltFabric) -> Iterator[Shared]:
    """Yields the links that the victims of a workload share with its contributors by the forwarding tables; without victims,
    those that the contributors share with the first of them. Flows that share none are left out."""
    paths = _Paths(built, ())
    contributors = [flow for flow in workload.flows if flow.role == "contributor"]
    victims = [flow for flow in workload.flows if flow.role == "victim"] or contributors[:1]
    for victim in victims:
        own = paths.between_switches(victim.src, victim.dst)
        sharers = {
            flow.name: set(own) & set(paths.between_switches(flow.src, flow.dst)) for flow in contributors if flow is not victim
        }
        common = {link for links in sharers.values() for link in links}
        if common:
            yield Shared(
                flow=victim.name,
                links=tuple(paths.text(link) for link in own if link in common),
                contributors=tuple(name for name, links in sharers.items() if links),
            )


@dataclass(frozen=True)
class _Shape:
    contributors: tuple[Flow, ...]
    victims: tuple[Flow, ...]
    others: tuple[Flow, ...]

    @classmethod
    def of(cls, workload: Workload) -> "_Shape":
        by_role = {role: tuple(f for f in workload.flows if f.role == role) for role in ("contributor", "victim", "other")}
        contributors, victims = by_role["contributor"], by_role["victim"]
        receivers = {flow.dst for flow in contributors}
        sources = [flow.src for flow in (*contributors, *victims)]
        ends = {flow.dst for flow in (*contributors, *victims)}
        problem = ""
        if not contributors:
            problem = "it has no contributors"
        elif victims and len(receivers) > 1:
            problem = f"its contributors have {len(receivers)} receivers beside a victim"
        elif not victims and len(receivers) < len(contributors):
            problem = "it has no victim, and contributors with one receiver"
        elif len(set(sources)) < len(sources) or ends & set(sources):
            problem = "a host plays two roles in it"
        elif any(flow.dst in receivers for flow in victims) or len({flow.dst for flow in victims}) < len(victims):
            problem = "its victims need a receiver each, and not the contributors'"
        if problem:
            raise BadInputError(
                f"workload '{workload.name}' cannot be placed: {problem}. Possible are contributors to one receiver and "
                "victims to others, or only contributors with a receiver each"
            )
        return cls(contributors, victims, by_role["other"])


class _Paths:
    """Routes between hosts, of which each is looked up once."""

    def __init__(self, built: BuiltFabric, candidates: Sequence[str]) -> None:
        self.candidates = list(candidates)
        self._built = built
        self._index: dict[str, int] = {}
        self._known: dict[tuple[str, str], tuple[Link, ...]] = {}

    def between_switches(self, src: str, dst: str) -> tuple[Link, ...]:
        """The links that packets from `src` to `dst` take, the hosts' own left out; none without a route."""
        if (src, dst) not in self._known:
            try:
                route = self._built.fabric.route(self._endport(src), self._endport(dst))
            except RuntimeError:
                route = []
            self._known[src, dst] = tuple((node, port) for node, port in route[1:-1])
        return self._known[src, dst]

    def text(self, link: Link) -> str:
        fabric = self._built.fabric
        peer = fabric.peer(*link)
        assert peer is not None
        return f"{fabric.node_name(link[0])}/{link[1]} → {fabric.node_name(peer[0])}/{peer[1]}"

    @cached_property
    def receivers(self) -> list[str]:
        """Hosts to try as the hotspot, spread over the list."""
        step = max(1, len(self.candidates) // _RECEIVERS)
        return self.candidates[::step]

    def _endport(self, reference: str) -> int:
        if reference not in self._index:
            self._index[reference] = self._built.endport(reference)
        return self._index[reference]


def _hotspot(shape: _Shape, paths: _Paths, alike: int | None) -> dict[str, str] | None:
    n = len(shape.contributors)
    wanted = max(1, n // 2) if alike is None else min(max(1, alike), n)
    # With fewer sharing if it cannot be otherwise, then with more.
    for sharing in [*range(wanted, 0, -1), *range(wanted + 1, n + 1)]:
        for receiver in paths.receivers:
            by_link: dict[Link, list[str]] = {}
            for host in paths.candidates:
                if host != receiver:
                    for link in paths.between_switches(host, receiver):
                        by_link.setdefault(link, []).append(host)
            # Links that the fewest hosts share come first: such a link is no bottleneck itself.
            for link, sources in sorted(by_link.items(), key=lambda item: len(item[1])):
                if len(sources) >= sharing and (found := _around(shape, paths, receiver, link, sources, sharing)) is not None:
                    return found
    return None


def _around(
    shape: _Shape, paths: _Paths, receiver: str, link: Link, sources: Sequence[str], sharing: int
) -> dict[str, str] | None:
    """Returns the roles with `sharing` contributors and the first victim on one link; None if it has no place for them."""
    first, *more = shape.victims
    over = set(sources)
    # One that the contributors do not need, if there is: it may send over the link to somebody else as well.
    for victim in [*reversed(sources), *(host for host in paths.candidates if host not in over)]:
        if victim == receiver:
            continue
        end = next(
            (
                host
                for host in paths.candidates
                if host not in (receiver, victim) and link in paths.between_switches(victim, host)
            ),
            None,
        )
        if end is None:
            continue
        taken = {receiver, victim, end}
        sharers = [host for host in sources if host not in taken][:sharing]
        if len(sharers) < sharing:
            continue
        taken |= set(sharers)
        own = set(paths.between_switches(victim, end))
        apart = [
            host for host in paths.candidates if host not in taken and not own & set(paths.between_switches(host, receiver))
        ][: len(shape.contributors) - sharing]
        if len(apart) < len(shape.contributors) - sharing:
            continue
        found = dict(zip((flow.src for flow in shape.contributors), (*sharers, *apart), strict=True))
        found |= {shape.contributors[0].dst: receiver, first.src: victim, first.dst: end}
        if all(_add_victim(flow, paths, found, receiver, sharers) for flow in more):
            return found
    return None


def _add_victim(flow: Flow, paths: _Paths, found: dict[str, str], receiver: str, sharers: Sequence[str]) -> bool:
    """Another victim, on any link of the contributors that share one already."""
    common = {link for host in sharers for link in paths.between_switches(host, receiver)}
    taken = set(found.values())
    free = [host for host in paths.candidates if host not in taken]
    for victim in free:
        for end in free:
            if end != victim and common & set(paths.between_switches(victim, end)):
                found |= {flow.src: victim, flow.dst: end}
                return True
    return False


def _shared_link(shape: _Shape, paths: _Paths) -> dict[str, str] | None:
    n = len(shape.contributors)
    for first in paths.receivers:
        by_link: dict[Link, list[str]] = {}
        for host in paths.candidates:
            if host != first:
                for link in paths.between_switches(host, first):
                    by_link.setdefault(link, []).append(host)
        for link, sources in sorted(by_link.items(), key=lambda item: len(item[1])):
            if len(sources) < n:
                continue
            pairs = _pairs(paths, link, sources, first, n)
            if pairs is not None:
                found = dict(zip((flow.src for flow in shape.contributors), (src for src, _ in pairs), strict=True))
                return found | dict(zip((flow.dst for flow in shape.contributors), (dst for _, dst in pairs), strict=True))
    return None


def _pairs(paths: _Paths, link: Link, sources: Sequence[str], first: str, n: int) -> list[tuple[str, str]] | None:
    """`n` pairs of different hosts whose paths all take the link, the first one's to `first`."""
    pairs = [(sources[0], first)]
    taken = {sources[0], first}
    for src in sources[1:]:
        if src in taken:
            continue
        end = next((h for h in paths.candidates if h not in taken and h != src and link in paths.between_switches(src, h)), None)
        if end is not None:
            pairs.append((src, end))
            taken |= {src, end}
        if len(pairs) == n:
            return pairs
    return None


def _renamed(workload: Workload, hosts: Mapping[str, str], fabric: str) -> Workload:
    document: dict[str, Any] = workload.model_dump()
    document["fabric"] = fabric
    for flow in document["flows"]:
        flow["src"], flow["dst"] = hosts[flow["src"]], hosts[flow["dst"]]
    return Workload.model_validate(document)
