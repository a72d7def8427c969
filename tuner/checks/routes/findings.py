# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Findings about the forwarding tables of a night."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from tuner.checks.observation import Finding
from tuner.checks.routes.changes import Changes, Link, SwitchChange, port_names
from tuner.checks.severity import Severity
from tuner.documents.lft import NO_ROUTE
from tuner.fabric.credit_loops import Channel, credit_loop
from tuner.fabric.forwarding import NOTHING, Forwarding, SwitchRow
from tuner.fabric.routes import Group, Missing, Routes

MOST = 20
"""Findings of one code; one more counts the rest."""
_LINKS = 5
"""Links that a finding names."""
_AS_BEFORE = 0.9
"""A group of ports that was at least so far off in the good night, as a share of today's value, is as it was."""


class Night:
    """Forwarding tables of one night, and what follows from them."""

    def __init__(self, forwarding: Forwarding) -> None:
        self.forwarding = forwarding
        self.routes = Routes(forwarding)

    @cached_property
    def loop(self) -> tuple[Channel, ...] | None:
        """None: the tables alone do not tell, as the SL of each path is not known."""
        return None if self.forwarding.sl_by_path else credit_loop(self.forwarding)

    def place(self, switch: int, port: int) -> str:
        return f"{self.forwarding.switches[switch].name}/{port}"


@dataclass(frozen=True)
class Compared:
    """The last good night, and what has changed since."""

    date: date
    night: Night
    changes: Changes


def findings(now: Night, good: Compared | None, unbalanced: float) -> list[Finding]:
    """`unbalanced`: a port that carries so many times its fair share is a finding. What the good night had too is a warning or
    none."""
    found = [*_changed(now, good), *_sl2vl(now, good), *_missing(now, good), *_loop(now, good)]
    return [*found, *_unbalanced(now, good, unbalanced)]


def _changed(now: Night, good: Compared | None) -> Iterator[Finding]:
    if good is None or not good.changes.entries:
        return
    changes = good.changes
    switches = _counted(len(changes.entries), "switch", "switches")
    total = f"{changes.count} entries of {switches} lead elsewhere than on {good.date}"
    links = _links(now, good)
    if links:
        total += f", {changes.by_links} of them by a link that is gone or new; links: {'; '.join(links[:_LINKS])}" + (
            f"; and {len(links) - _LINKS} more" if len(links) > _LINKS else ""
        )
    if changes.engines is not None:
        before, today = changes.engines
        yield Finding(
            code="route-changed",
            sentence=f"the routing engine is {today}, and was {before} on {good.date}",
            place="OpenSM",
            evidence=total,
            next_step="grep -E '^routing_engine' /etc/opensm/opensm.conf",
        )
    elif links:
        first = (*changes.gone, *changes.new)[0]
        more = f", and {len(links) - 1} more links are gone or new" if len(links) > 1 else ""
        yield Finding(
            code="route-changed",
            sentence=f"routes have changed since {good.date}, as link {links[0]}{more}",
            place=_named(first, _names(now, good)),
            evidence=total,
            next_step=f"iblinkinfo -G 0x{_a_switch(first, now.forwarding):016x}",
            severity="warn",
        )
    elif _is_routed_anew(now, good):
        yield Finding(
            code="route-changed",
            sentence=f"OpenSM has routed anew since {good.date}, and links carry their shares as before",
            place="OpenSM",
            evidence=f"{total}; no link has changed",
            next_step="grep -E 'SUBNET UP|re-routing' /var/log/opensm.log",
            severity="warn",
        )
    else:
        yield from (_of_switch(one, good.date) for one in changes.entries)


def _is_routed_anew(now: Night, good: Compared) -> bool:
    """True for what OpenSM does by itself, as when a host has rebooted: the same engine has changed most switches, all hosts
    are reached, and no port carries more of its fair share than one did. A person who sets a table changes few."""
    before, engine = good.night, now.forwarding.engine
    most, most_before = (max((one.share for one in night.routes.groups), default=1.0) for night in (now, before))
    is_same = engine is not None and engine == before.forwarding.engine and not now.routes.missing + before.routes.missing
    return is_same and 2 * len(good.changes.entries) > len(now.forwarding.switches) and most <= most_before / _AS_BEFORE


def _links(now: Night, good: Compared) -> list[str]:
    """Links that are gone or new, as clauses."""
    names = _names(now, good)
    both = (("gone", good.changes.gone), ("new", good.changes.new))
    return [f"{_named(link, names)} is {what}" for what, some in both for link in some]


def _of_switch(one: SwitchChange, night: date) -> Finding:
    name, before, now = one.example
    return Finding(
        code="route-changed",
        sentence=f"{one.switch.name} sends what is for {_counted(one.entries, 'adapter port')} elsewhere than on {night}, "
        "and no link has changed",
        place=one.switch.name,
        evidence=f"{one.entries} of {one.of} entries; that for {name} is {_port(now)}, and was {_port(before)}",
        next_step=f"ibroute -G 0x{one.switch.guid:016x}",
    )


def _sl2vl(now: Night, good: Compared | None) -> Iterator[Finding]:
    if good is None:
        return
    yield from (_of_tables(switch, pairs, good.date) for switch, pairs in good.changes.sl2vl)


def _of_tables(switch: SwitchRow, pairs: int | None, night: date) -> Finding:
    if pairs is not None:
        what, evidence = "has other SL-to-VL tables than", f"the tables of {_counted(pairs, 'pair')} of ports differ"
    elif switch.sl2vl is None:
        what, evidence = "has no SL-to-VL tables of OpenSM's, and had some", "OpenSM sets them with its option qos only"
    else:
        what, evidence = "has SL-to-VL tables of OpenSM's, and had none", "OpenSM sets them with its option qos"
    return Finding(
        code="sl2vl-changed",
        sentence=f"{switch.name} {what} on {night}",
        place=switch.name,
        evidence=evidence,
        next_step=f"smpquery -G sl2vl 0x{switch.guid:016x}",
    )


def _missing(now: Night, good: Compared | None) -> Iterator[Finding]:
    missing = now.routes.missing
    known: dict[tuple[int, str], int] = {}
    if missing and good is not None:
        old = good.night.forwarding.switches
        known = {(old[one.switch].guid, one.why): one.pairs for one in good.night.routes.missing}
    for missing_route in missing:
        guid = now.forwarding.switches[missing_route.switch].guid
        yield _of_missing(
            now, missing_route, "warn" if known.get((guid, missing_route.why), 0) >= missing_route.pairs else "fail"
        )


def _of_missing(now: Night, one: Missing, severity: Severity) -> Finding:
    f = now.forwarding
    leaf, d = one.example
    destination = f.destinations[d]
    switch = f.switches[one.switch].name
    port = int(f.out[one.switch, d])
    match one.why:
        case "no entry":
            where = f"{switch} has no entry for {destination.name}"
        case "leads nowhere":
            where = f"{switch} sends what is for {destination.name} to port {port}, which has no link"
        case "another host":
            other = f.destinations[int(f.attached[one.switch, port])].name
            where = f"{switch} sends what is for {destination.name} to {other}"
        case "circle":
            where = f"what is for {destination.name} goes in a circle through {switch}"
    more = f", and so for {one.destinations - 1} others" if one.destinations > 1 else ""
    return Finding(
        code="route-missing",
        sentence=f"{_counted(one.pairs, 'pair')} of hosts cannot reach each other: {where}{more}",
        place=switch,
        evidence=f"from {f.switches[leaf].name} to {destination.name}, LID {destination.lid}",
        next_step=f"ibtracert {_a_lid(f, leaf, d)} {destination.lid}",
        severity=severity,
    )


def _loop(now: Night, good: Compared | None) -> Iterator[Finding]:
    if not now.loop:
        return
    accepted = good is not None and bool(good.night.loop)
    channels = [f"{now.place(one.switch, one.port)} VL {one.vl}" for one in (*now.loop, now.loop[0])]
    first = now.forwarding.switches[now.loop[0].switch]
    shown = channels if len(channels) <= MOST else [*channels[: MOST // 2], "…", *channels[-MOST // 2 :]]
    yield Finding(
        code="credit-loop",
        sentence=f"the routes have a credit loop through {_counted(len(now.loop), 'link')}, so they can deadlock",
        place=now.place(now.loop[0].switch, now.loop[0].port),
        evidence=" -> ".join(shown),
        next_step=f"ibroute -G 0x{first.guid:016x}",
        severity="warn" if accepted else "fail",
    )


def _unbalanced(now: Night, good: Compared | None, unbalanced: float) -> Iterator[Finding]:
    groups = sorted(now.routes.groups, key=lambda group: -group.share)
    off = [group for group in groups if group.share >= unbalanced]
    known: dict[tuple[int, int, tuple[int, ...]], float] = {}
    if off and good is not None:
        known = {_key(good.night.forwarding, group): group.share for group in good.night.routes.groups}
    fresh = [group for group in off if known.get(_key(now.forwarding, group), 0.0) < _AS_BEFORE * group.share]
    yield from (_of_group(now, group) for group in fresh)


def _of_group(now: Night, group: Group) -> Finding:
    f = now.forwarding
    most = max(range(len(group.ports)), key=lambda i: group.pairs[i])
    place = now.place(group.switch, group.ports[most])
    others = "to the next level" if group.to == NOTHING else f"to {f.switches[group.to].name}"
    idle = sum(pairs == 0 for pairs in group.pairs)
    return Finding(
        code="link-unbalanced",
        sentence=f"{place} carries {group.pairs[most]} pairs of hosts, {group.share:.1f} times its fair share of the "
        f"{len(group.ports)} ports {others}",
        place=place,
        evidence=f"{group.fair:.0f} would be fair; {_counted(idle, 'of these ports carries', 'of these ports carry')} none",
        next_step=f"ibroute -G 0x{f.switches[group.switch].guid:016x}",
        severity="warn",
    )


def _key(forwarding: Forwarding, group: Group) -> tuple[int, int, tuple[int, ...]]:
    to = 0 if group.to == NOTHING else forwarding.switches[group.to].guid
    return forwarding.switches[group.switch].guid, to, group.ports


def _named(link: Link, names: Mapping[int, str]) -> str:
    return " - ".join(port_names(link, names))


def _names(now: Night, good: Compared) -> dict[int, str]:
    return good.night.forwarding.names | now.forwarding.names


def _a_switch(link: Link, forwarding: Forwarding) -> int:
    """GUID of an end that is a switch of tonight's, else of the first end."""
    present = {switch.guid for switch in forwarding.switches}
    return next((guid for guid, _ in link if guid in present), link[0][0])


def _a_lid(forwarding: Forwarding, leaf: int, but: int) -> int:
    """LID of a host of that switch."""
    at = ((forwarding.at_switch == leaf) & forwarding.is_host).nonzero()[0].tolist()
    return int(next(forwarding.destinations[d].lid for d in at if d != but))


def _port(port: int) -> str:
    return "none" if port == NO_ROUTE else f"port {port}"


def _counted(count: int, one: str, several: str | None = None) -> str:
    return f"{count} {one if count == 1 else several or f'{one}s'}"
