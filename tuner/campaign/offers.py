# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which goals a campaign can have on a fabric: those whose roles find hosts there, whose victims are hurt without congestion
control, and whose devices have values to search."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tuner.campaign.device_space import device_space
from tuner.campaign.harm import HURT, victims_share
from tuner.campaign.shipped import ShippedCampaign, goals
from tuner.documents.workload import load_workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.subnets import largest, largest_described, of_subnet, subnets
from tuner.placement.on_fabric import OnFabric, on_fabric

BUSY = 0.25
"""Fraction of the hosts that takes part at least: fewer tell little of a fabric."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A goal on a fabric."""

    name: str
    offered: bool
    reason: str
    """One sentence: why it is not offered, or what takes part and what victims get."""
    busy: float | None = None
    """Fraction of the hosts that take part; None: none were found."""
    share: float | None = None
    """What victims get with congestion control off, as a fraction of their fair share; None: not measured."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Offer":
        return cls(**document)


def offers(built: BuiltFabric, *, fabric: str, hosts: Sequence[str] | None = None) -> Iterator[Offer]:
    """Yields an offer for each goal; simulates some seconds on large fabrics. `fabric`: what sentences call it. `hosts`:
    references of those that may take part; by default all, of several subnets those of the largest, as a campaign is on one."""
    prefix = ""
    if hosts is None and len(found := subnets(built.document)) > 1:
        built = build(of_subnet(built.document, largest(found).number))
        prefix = f"on {largest_described(found)}: "
    for goal in goals().values():
        made = offer(goal, built, fabric=fabric, hosts=hosts)
        yield replace(made, reason=f"{_capital(prefix)}{made.reason[0].lower()}{made.reason[1:]}") if prefix else made


def offer(goal: ShippedCampaign, built: BuiltFabric, *, fabric: str, hosts: Sequence[str] | None = None) -> Offer:
    """Returns whether a goal can be had on a fabric, and why not."""
    busy: float | None = None
    try:
        placed = [on_fabric(load_workload(reference), built, fabric=fabric, hosts=hosts) for reference in goal.spec["workloads"]]
        device_space([(built, one.workload) for one in placed], {})
        busy = max(_busy(one, built) for one in placed)
        if busy < BUSY:
            return _refused(goal, f"only {busy:.0%} of the hosts can take part; {BUSY:.0%} are needed", busy)
        share = min(victims_share(built, one.workload) for one in placed)
    except BadInputError as error:
        return _refused(goal, error.sentence, busy)
    what = (
        "victims get"
        if placed[0].roles is None or placed[0].roles.victims or placed[0].roles.hosts
        else "the slowest sender gets"
    )
    found = f"with congestion control off {what} {share:.0%} of the fair share"
    if share > HURT:
        return Offer(name=goal.name, offered=False, reason=_sentence(f"nobody is hurt: {found}"), busy=busy, share=share)
    fitted = "".join(f"; {one.fitted}" for one in placed if one.fitted)
    reason = _sentence(f"{busy:.0%} of the hosts take part; {found}{fitted}")
    return Offer(name=goal.name, offered=True, reason=reason, busy=busy, share=share)


def _refused(goal: ShippedCampaign, sentence: str, busy: float | None) -> Offer:
    return Offer(name=goal.name, offered=False, reason=_sentence(sentence), busy=busy)


def _sentence(text: str) -> str:
    return f"{_capital(text)}."


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _busy(one: OnFabric, built: BuiltFabric) -> float:
    total = sum(endport.kind == "host" for endport in built.hosts.endports)
    flows = one.workload.expanded(built.hosts).flows
    there = {host for flow in flows for host in (flow.src, *([] if getattr(flow, "destinations", None) else [flow.dst]))}
    return len(there) / total
