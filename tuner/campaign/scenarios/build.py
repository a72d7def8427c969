# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes the scenarios of a campaign: places the workloads with other contributors, elsewhere, with traffic beside them."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from tuner.campaign.scenarios.axes import Point, name_of, points, varied_axes
from tuner.campaign.scenarios.scenario import Scenario
from tuner.document_base.model import build_model
from tuner.documents.campaign import Campaign
from tuner.documents.campaign_scenarios import Scenarios
from tuner.documents.device_model import leaves, nested
from tuner.documents.flow import MIN_GBPS
from tuner.documents.roles import RoleCounts
from tuner.documents.workload import Workload, load_workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.fabric.one_subnet import with_slow_receiver
from tuner.placement.on_fabric import on_fabric
from tuner.suggest.receivers import paths

BACKGROUND = "background"
"""Start of the names of flows between hosts that play no role."""
_OTHER_PLACES = (2, 3, 4)
"""Places that show whether a workload moves: one alone may have the first place's hosts by chance."""


def scenarios_of(
    campaign: Campaign, built: Mapping[str, BuiltFabric], workloads: Sequence[Workload], hosts: Sequence[str] | None
) -> tuple[Scenario, ...]:
    """Returns the scenarios of a campaign that has some, in the order of the axes; none of one that has not. Variants are
    scenarios with the workloads' own contributors and places.

    `built`: the fabrics by name; `workloads`: the campaign's own, placed, in the order of its document; `hosts`: those that may
    play roles. Raises BadInputError for a scenario that cannot be placed, that contradicts what a fabric says of its devices, or
    in which there is nothing to measure.
    """
    scenarios = asked_of(campaign)
    if scenarios is None:
        return ()
    varied, found = varied_axes(scenarios), []
    for reference, own in zip(campaign.workloads, workloads, strict=True):
        document, fabric = load_workload(reference), built[own.fabric]
        maker = ScenarioMaker(campaign, document, own, fabric, hosts)
        for point in points(scenarios):
            before = "" if len(workloads) == 1 else f"{own.name}: "
            name = before + name_of(point, varied=varied)
            model = model_of(point, campaign, fabric)
            found.append(maker.scenario(point, name, model))
    return tuple(found)


def asked_of(campaign: Campaign) -> Scenarios | None:
    """Returns what a campaign's document asks for, be it by `scenarios` or by `variants`; None if it asks for nothing."""
    if campaign.scenarios is None and campaign.variants:
        return Scenarios.model_construct(models=campaign.variants)
    return campaign.scenarios


def model_of(point: Point, campaign: Campaign, built: BuiltFabric) -> dict[str, Any]:
    """Returns the settings of a scenario's devices. Raises BadInputError where the fabric's document says otherwise, unless they
    are a variant's, which may."""
    asked = asked_of(campaign)
    assert asked is not None
    settings = asked.models.get(point.model, {})
    model = {path.removeprefix("model."): value for path, value in settings.items()}
    known = {} if campaign.scenarios is None else dict(leaves(built.document.model))
    for path, value in leaves(nested(model)):
        if path in known and known[path] != value:
            raise BadInputError(
                f"scenarios.models.{point.model} sets model.{path} to {value}, and fabric '{built.document.name}' says in its "
                f"model that its devices have {known[path]}; leave the scenario out, or the setting out of the fabric's model"
            )
    return model


def placed_before(campaign: Campaign, own: Workload, contributors: int | None = None, place: int = 1) -> Workload | None:
    """Returns a workload on the hosts that its roles were given before, as the campaign's document has it; None if it has none.

    `own`: on the fabric of the campaign, by its name in the document."""
    for roles in () if campaign.scenarios is None else campaign.scenarios.placed:
        if (roles.workload, roles.contributors, roles.place) == (own.name, contributors, place):
            return load_workload(roles.file).model_copy(update={"name": own.name, "fabric": own.fabric, "roles": None})
    return None


class ScenarioMaker:
    """Makes scenarios of one workload: those of its campaign, and any others."""

    def __init__(
        self, campaign: Campaign, document: Workload, own: Workload, built: BuiltFabric, hosts: Sequence[str] | None
    ) -> None:
        self._campaign = campaign
        self._document = document
        self._own = own
        self._built = built
        self._hosts = hosts
        self._placed: dict[tuple[int | None, int], Workload] = {}

    def scenario(self, point: Point, name: str, model: Mapping[str, Any]) -> Scenario:
        """Raises BadInputError, which names the scenario."""
        try:
            placed = self._place(point.contributors, point.place)
            made = self._with_slow_receiver(self._with_slow_host(self._with_background(placed, point), point), point)
        except BadInputError as error:
            raise BadInputError(f"scenario '{name}': {error.sentence}") from error
        flows = made.expanded(self._built.hosts).flows
        roles = [flow.role for flow in flows]
        for metric, role in (("victims_share", "victim"), ("contributors_share", "contributor")):
            wanted = [goal.objective for goal in self._campaign.objectives] + list(self._campaign.constraints)
            if metric in wanted and role not in roles:
                raise BadInputError(
                    f"scenario '{name}' leaves nothing to measure: workload '{self._own.name}' has no {role}s, and the campaign "
                    f"asks for {metric}"
                )
        named = made.model_copy(update={"name": name})
        return Scenario(workload=named, placed=placed, model=dict(model), point=point, contributors=roles.count("contributor"))

    @property
    def moves(self) -> bool:
        """Other places have other hosts. They have not where the document names its hosts and no roles: these stay on a fabric
        that has them."""
        for place in _OTHER_PLACES:
            try:
                elsewhere = self._place(None, place)
            except BadInputError:
                return True
            if (elsewhere.flows, elsewhere.patterns) != (self._own.flows, self._own.patterns):
                return True
        return False

    def _place(self, contributors: int | None, place: int) -> Workload:
        key = contributors, place
        if key not in self._placed:
            self._placed[key] = self._newly_placed(contributors, place)
        return self._placed[key]

    def _newly_placed(self, contributors: int | None, place: int) -> Workload:
        if contributors is None and place == 1:
            return self._own
        if (kept := placed_before(self._campaign, self._own, contributors, place)) is not None:
            return kept
        counts = self._campaign.roles or RoleCounts()
        if contributors is not None:
            counts = counts.model_copy(update={"contributors": contributors})
        document, hosts = self._document, self._hosts
        if place > 1:
            hosts = self._shuffled(place)
            if document.roles is not None:
                document = document.model_copy(update={"flows": (), "patterns": ()})  # its own hosts are the first place's
        found = on_fabric(document, self._built, fabric=self._own.fabric, counts=counts, hosts=hosts)
        if found.fitted is not None:
            instead = "more" if found.is_too_slow else "fewer"
            raise BadInputError(
                f"it cannot be placed: {found.fitted.removesuffix(': these are taken')}; give {instead} contributors"
            )
        return found.workload

    def _shuffled(self, place: int) -> list[str]:
        directory = self._built.hosts
        hosts = list(self._hosts or (directory.reference(end) for end in directory.endports if end.kind == "host"))
        random.Random(place).shuffle(hosts)
        return hosts

    def _with_background(self, workload: Workload, point: Point) -> Workload:
        """Adds pairs of hosts that play no role, half of which send to the other half."""
        if point.background == 0:
            return workload
        directory = self._built.hosts
        busy = {directory.find(end) for flow in workload.expanded(directory).flows for end in (flow.src, flow.dst)}
        free = [end for end in directory.endports if end.kind == "host" and end not in busy]
        if len(free) < 2:
            raise BadInputError(
                f"it cannot be placed: background is {point.background:g}, and {len(free)} of {len(directory.endports)} hosts of "
                f"fabric '{self._built.document.name}' play no role; two at least must be left"
            )
        references = [directory.reference(end) for end in free]
        random.Random(point.place).shuffle(references)
        half = len(references) // 2
        pairs = zip(references[:half], references[half : 2 * half], strict=True)
        sender = next((flow for flow in workload.flows if flow.role == "contributor"), None)
        message_bytes = 65536 if sender is None else sender.message_bytes
        flows = [
            {
                "name": f"{BACKGROUND} {number}",
                "src": src,
                "dst": dst,
                "message_bytes": message_bytes,
                "rate_gbps": _rate(point.background * directory.capacity_gbps(src, message_bytes)),
            }
            for number, (src, dst) in enumerate(pairs, start=1)
        ]
        own = [flow.model_dump() for flow in workload.flows]
        return build_model(Workload, workload.model_dump() | {"flows": own + flows}, source=f"workload {workload.name}")

    def _with_slow_host(self, workload: Workload, point: Point) -> Workload:
        """Holds the last contributor to a part of its fair share."""
        if point.slow_host == 1:
            return workload
        senders = [flow for flow in workload.flows if flow.role == "contributor"]
        if len(senders) < 2:
            raise BadInputError(
                f"slow_host is {point.slow_host:g}, and there are {len(senders)} contributors; two at least are needed"
            )
        slow = senders[-1]
        ways = paths(self._built)
        share = ways[self._built.hosts.find(slow.dst)].receive_gbps / len(senders)
        flows = [
            flow.model_dump() | ({"rate_gbps": _rate(point.slow_host * share)} if flow.name == slow.name else {})
            for flow in workload.flows
        ]
        return build_model(Workload, workload.model_dump() | {"flows": flows}, source=f"workload {workload.name}")

    def _with_slow_receiver(self, workload: Workload, point: Point) -> Workload:
        """Names the fabric on which the receiver of the last contributor takes a part of what it can."""
        if point.slow_receiver == 1:
            return workload
        document = self._built.document
        receiver = next((flow.dst for flow in reversed(workload.flows) if flow.role == "contributor"), None)
        if receiver is None:
            raise BadInputError(f"slow_receiver is {point.slow_receiver:g}, and no single flow is a contributor's")
        end = self._built.hosts.find(receiver)
        place = end.node - len(document.switches)
        if document.hosts[place].host_model is not None:
            raise BadInputError(
                f"slow_receiver is {point.slow_receiver:g}, and host '{receiver}' has the host model "
                f"{document.hosts[place].host_model}, which says how fast it receives; take one of them out"
            )
        gbps = _rate(point.slow_receiver * paths(self._built)[end].receive_gbps)
        return workload.model_copy(update={"fabric": with_slow_receiver(workload.fabric, place, gbps)})


def _rate(gbps: float) -> float:
    return max(MIN_GBPS, float(f"{gbps:.6g}"))
