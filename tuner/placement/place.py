# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A workload's flows on other hosts: which of those that there are can play its roles.

Two shapes are known, the two of the literature:

- **A hotspot.** All contributors send to one receiver. Each victim's path shares a link between switches with some of theirs, and
  does not go to the receiver; the other contributors' paths have nothing in common with the first victim's links.
- **A shared link.** There is no victim; contributors with a receiver each have one link between switches in common.

Who sends where else keeps its partners' names apart, and takes whichever hosts are left.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.placement.paths import Paths, Routes
from tuner.placement.search import hotspot, shared_link
from tuner.placement.shape import Shape


class TooSlowError(BadInputError):
    """There may be hosts, but contributors that send less together than their receiver takes."""


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
    workload: Workload,
    built: BuiltFabric,
    candidates: Sequence[str],
    *,
    fabric: str,
    alike: int | None = None,
    fewer_victims: bool = False,
    weak: bool | None = None,
    routes: Routes | None = None,
) -> Placement:
    """Finds hosts among `candidates` (references on the fabric) for a workload's flows. `fabric`: what the placed workload calls
    it. `alike`: how many contributors are to share a link with the first victim; by default about half of them, but one at least.
    `fewer_victims`: victims beyond the first are left out where they do not fit. `weak`: contributors to one receiver
    may send less together than it takes; None: only if no others fit. `routes`: as Paths.

    Deterministic. Raises BadInputError if the workload has another shape, or no hosts fit; TooSlowError if only such
    contributors may fit.
    """
    if workload.patterns:
        raise BadInputError(
            f"workload '{workload.name}' has patterns, which choose hosts themselves; only one of single flows can be placed"
        )
    shape = Shape.of(workload)
    routes = Routes() if routes is None else routes
    paths = Paths(built, candidates, routes)
    left_out = {flow.name for flow in shape.victims[1:]} if fewer_victims else set()
    needed = len({host for flow in workload.flows if flow.name not in left_out for host in (flow.src, flow.dst)})
    if needed > len(candidates):
        raise BadInputError(f"workload '{workload.name}' needs {needed} hosts, and there are {len(candidates)}")
    found = _found(shape, paths, alike, fewer_victims, bool(weak))
    if found is None and paths.too_slow:
        if weak is not None:
            raise TooSlowError(f"the hosts that fit workload '{workload.name}' send less than their receivers take")
        paths = Paths(built, candidates, routes)
        found = _found(shape, paths, alike, fewer_victims, True)
    if found is None:
        what = (
            "a link between switches that leads to as many receivers"
            if not shape.has_hotspot
            else "a victim's path that shares a link between switches with contributors and does not end where theirs do"
            if shape.victims
            else f"a link between switches that {alike or 'some'} contributors use and the others do not"
        )
        raise BadInputError(
            f"none of the {len(candidates)} hosts have {what}; workload '{workload.name}' cannot be placed on them"
            f"{', as they are all on one switch' if paths.leaves == 1 else ''}"
        )
    left = (host for host in candidates if host not in set(found.values()))
    for flow in shape.others:
        for host in (flow.src, flow.dst):
            if host not in found:
                found[host] = next(left)
    placed = _renamed(workload, found, fabric)
    return Placement(hosts=found, workload=placed, shared=tuple(shared_links(placed, built)))


def shared_links(workload: Workload, built: BuiltFabric) -> Iterator[Shared]:
    """Yields the links that the victims of a workload share with its contributors by the forwarding tables; without victims,
    those that the contributors share with the first of them. Flows that share none are left out."""
    paths = Paths(built, ())
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


def too_slow(workload: Workload, built: BuiltFabric) -> str | None:
    """A sentence if contributors to one receiver cannot congest it, as they send less together than it takes; else None."""
    paths = Paths(built, ())
    senders: dict[str, list[str]] = {}
    for flow in workload.flows:
        if flow.role == "contributor":
            senders.setdefault(flow.dst, []).append(flow.src)
    for receiver, sources in senders.items():
        if len(sources) > 1 and not paths.fill(sources, receiver):
            return (
                f"{len(sources)} contributors to {receiver} can send {paths.sent_gbps(sources):.4g} Gb/s together, and it takes "
                f"{paths.taken_gbps(receiver):.4g}, so that they do not congest it"
            )
    return None


def _found(shape: Shape, paths: Paths, alike: int | None, fewer_victims: bool, weak: bool) -> dict[str, str] | None:
    if not shape.has_hotspot:
        return shared_link(shape, paths)
    if paths.leaves == 1 and (shape.victims or alike != 0):
        return None
    if shape.victims and not paths.any_shared:
        return None
    return hotspot(shape, paths, alike, fewer_victims=fewer_victims, weak=weak)


def _renamed(workload: Workload, hosts: Mapping[str, str], fabric: str) -> Workload:
    document: dict[str, Any] = workload.model_dump(exclude={"roles"})
    document["fabric"] = fabric
    document["flows"] = [flow for flow in document["flows"] if flow["src"] in hosts]
    for flow in document["flows"]:
        flow["src"], flow["dst"] = hosts[flow["src"]], hosts[flow["dst"]]
    return Workload.model_validate(document)
